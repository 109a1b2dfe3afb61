"""The two ceremonies of WebAuthn: making a key, and signing in by one. User verification makes a passkey both factors at once."""

from typing import Any, NamedTuple
from uuid import UUID

import webauthn
from webauthn.authentication.verify_authentication_response import VerifiedAuthentication
from webauthn.helpers import base64url_to_bytes, options_to_json_dict
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)
from webauthn.registration.verify_registration_response import VerifiedRegistration

from services.gateway.errors import AnyRequest, Refused
from services.state.passkeys import Credential


class Site(NamedTuple):
    """For whom keys are made: the relying party's id, and the page's origin."""

    id: str
    origin: str


def site(request: AnyRequest, app_domain: str) -> Site:
    """Keys are for the whole of APP_DOMAIN where the page lies in it, else for the page's own host."""
    host = (request.url.hostname or "").lower()
    within = host == app_domain or host.endswith(f".{app_domain}")
    return Site(app_domain if within else host, str(request.base_url).rstrip("/").lower())


def to_register(at: Site, user_id: UUID, handle: str, challenge: bytes, known: list[bytes]) -> dict[str, Any]:
    """Options for `navigator.credentials.create`; an authenticator that has a key of the user already says so."""
    return options_to_json_dict(
        webauthn.generate_registration_options(
            rp_id=at.id,
            rp_name="Webmail",
            user_id=user_id.bytes,
            user_name=handle,
            user_display_name=handle,
            challenge=challenge,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.REQUIRED,
            ),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=one) for one in known],
        )
    )


def to_sign_in(at: Site, challenge: bytes) -> dict[str, Any]:
    """Options for `navigator.credentials.get`: whichever key of this site the user chooses."""
    return options_to_json_dict(
        webauthn.generate_authentication_options(
            rp_id=at.id, challenge=challenge, user_verification=UserVerificationRequirement.REQUIRED
        )
    )


def registered(at: Site, challenge: bytes, credential: dict[str, Any]) -> VerifiedRegistration:
    """Raises Refused."""
    try:
        return webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=at.id,
            expected_origin=at.origin,
            require_user_verification=True,
        )
    except Exception:  # noqa: BLE001 - the parsers of four formats; whatever they raise, nothing was proven
        raise Refused(400, "passkey_refused", "This passkey could not be checked. Try again.") from None


def signed(at: Site, challenge: bytes, credential: dict[str, Any], known: Credential) -> VerifiedAuthentication:
    """By the owner of a known key, for this challenge and this site. Raises Refused."""
    try:
        owner = base64url_to_bytes(credential["response"]["userHandle"])
        proof = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=at.id,
            expected_origin=at.origin,
            credential_public_key=known.public_key,
            credential_current_sign_count=known.sign_count,
            require_user_verification=True,
        )
    except Exception:  # noqa: BLE001 - as above
        raise not_known() from None
    if owner != known.user_id.bytes:
        raise not_known()
    return proof


def credential_id(credential: dict[str, Any]) -> bytes:
    """Raises Refused for what is none."""
    try:
        return base64url_to_bytes(credential["id"])
    except Exception:  # noqa: BLE001 - as above
        raise not_known() from None


def not_known() -> Refused:
    """The one answer to every sign-in that fails, whatever about it was wrong."""
    return Refused(401, "passkey_unknown", "This passkey is not known here. Sign in with your password.")
