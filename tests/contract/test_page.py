"""proto/README.md is what an author in an unlisted language reads: it cannot say what is not so."""

from __future__ import annotations

import re

from arena.league.sitting import STRAYS
from arena.players.remote import MESSAGE_BYTES, METHOD, PROTOCOL
from arena.referee.faults import FAULTS
from arena.sdk import stream
from tests.contract.conversation import PAGE, conversation, section, with_section


def test_the_conversation_is_what_is_said() -> None:
    """The page shows a real game, byte for byte; 'python -m tests.contract' writes it anew."""
    said = conversation()
    page = PAGE.read_text(encoding="utf-8")
    assert with_section(page, section(said)) == page
    assert "hello" in said[0]["bot"]
    assert "welcome" in said[1]["referee"]
    assert "goodbye" in said[-1]["referee"]
    asked = [request for line in said for request in line.get("referee", {}).get("requests", ())]
    answers = [answer for line in said for answer in line.get("bot", {}).get("answers", ())]
    assert len(asked) == len(answers) == 5
    for request, answer in zip(asked, answers, strict=True):
        assert answer["action"] in request["legal_actions"]
        assert (answer["game_id"], answer.get("decision")) == (request["game_id"], request.get("decision"))


def test_numbers_and_names_of_the_page() -> None:
    """The limits that the page states are those of the code."""
    page = re.sub(r"\s+", " ", PAGE.read_text(encoding="utf-8"))
    assert f"protocol = {PROTOCOL}" in page
    assert f"at most {MESSAGE_BYTES >> 10} KiB" in page
    assert f"`/{METHOD}/Play`" in page
    assert f"max_in_flight = {stream.MAX_IN_FLIGHT}" in page
    assert f"more than {stream.FLUSH_S * 1000:g} ms has passed" in page
    assert f"wait {stream.REDIAL_S * 1000:g} ms" in page
    assert STRAYS == 10
    for fault in FAULTS:
        assert f"| `{fault.word}` |" in page
    for code in stream.MAY_RETURN:
        assert f"`{code.name}`" in page
