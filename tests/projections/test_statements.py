"""Statement files: named, and a name that is not there is an error."""

import pytest

from projections.documents.memo import query


def test_a_statement_is_found_by_its_name() -> None:
    assert query.put.startswith("-- Documents of one user")
    assert {name for name, _ in query} >= {"put", "envelopes", "texts", "delete"}


def test_a_misspelt_statement_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no statement is named puts"):
        _ = query.puts
