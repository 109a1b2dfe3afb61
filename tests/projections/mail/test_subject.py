"""Base subjects."""

import time

import pytest

from projections.mail.subject import Subject, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plan", Subject("plan", reply=False, forward=False)),
        ("Re: Plan", Subject("plan", reply=True, forward=False)),
        ("RE :  Plan   B", Subject("plan b", reply=True, forward=False)),
        ("RE\u00a0: Umowa", Subject("umowa", reply=True, forward=False)),
        ("AW: RE: Umowa", Subject("umowa", reply=True, forward=False)),
        ("Re[2]: SV: Umowa", Subject("umowa", reply=True, forward=False)),
        ("Re*3: Re(4): Umowa", Subject("umowa", reply=True, forward=False)),
        ("Odp: PD: Umowa", Subject("umowa", reply=True, forward=True)),
        ("回复\uff1aUmowa", Subject("umowa", reply=True, forward=False)),
        ("転送: 会議", Subject("会議", reply=False, forward=True)),
        ("[list] Re: [other] Release", Subject("release", reply=True, forward=False)),
        ("Plan (fwd) (FWD)", Subject("plan", reply=False, forward=True)),
        ("[PATCH]", Subject("[patch]", reply=False, forward=False)),
        ("Re:", Subject("", reply=True, forward=False)),
        ("", Subject("", reply=False, forward=False)),
        ("Reply: R2D2", Subject("reply: r2d2", reply=False, forward=False)),
        ("Rex: a dog", Subject("rex: a dog", reply=False, forward=False)),
    ],
)
def test_prefixes_and_tags_are_taken_off(text: str, expected: Subject) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize("piece", ["Re: ", "[", "[a]", " ", "(fwd)", "Re[1", "re : ", "\u3000"])
def test_hostile_subjects_take_no_time(piece: str) -> None:
    start = time.process_time()
    parse(piece * 200_000)
    assert time.process_time() - start < 0.5
