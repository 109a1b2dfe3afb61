"""What is refused with what the browser needs to go on."""

from litestar import Response

from services.gateway.drafts.structs import Draft, DraftProblem, NewerRevision, Upload, WrongOffset
from services.gateway.errors import AnyRequest, Refused


class StaleError(Exception):
    """A save of a draft that somebody else has saved meanwhile."""

    def __init__(self, draft: Draft) -> None:
        super().__init__("newer_revision")
        self.draft = draft


class MisplacedError(Exception):
    """A piece of a file that does not follow what is here."""

    def __init__(self, upload: Upload) -> None:
        super().__init__("wrong_offset")
        self.upload = upload


def being_sent() -> Refused:
    return Refused(409, "being_sent", "This draft is being sent. Take the sending back first.")


def no_such_sender() -> Refused:
    """The draft is there: whoever writes it can go on as somebody else."""
    return Refused(409, "no_such_sender", "There is no such sender any more. Choose another one.")


def stale(_: AnyRequest, error: StaleError) -> Response[NewerRevision]:
    message = "This draft was changed in another place. Go on from what is there now."
    problem = DraftProblem(code="newer_revision", message=message)
    return Response(NewerRevision(error=problem, draft=error.draft), status_code=409)


def misplaced(_: AnyRequest, error: MisplacedError) -> Response[WrongOffset]:
    message = f"Go on from byte {error.upload.received}."
    problem = DraftProblem(code="wrong_offset", message=message)
    return Response(WrongOffset(error=problem, upload=error.upload), status_code=409)
