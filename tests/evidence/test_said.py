"""Guards: a false claim is taken back whatever it was written with, and until that was heard."""

from __future__ import annotations

import pytest

from tests.evidence.bench import Bench


def claimed(text: str, *pieces: str) -> Bench:
    """The claim has left, some of it was heard; then its call is known."""
    b = Bench(policy="speak")
    b.start()
    b.say(text)
    b.call("c1")
    b.end()
    hear(b, *pieces)
    b.log.clear()
    return b


def hear(b: Bench, *pieces: str) -> None:
    for piece in pieces:
        b.gate.heard(piece)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Chez [Nous](https://a.example/x) is booked.", ["Chez ", "Nous ", "is "]),
        ("[Siobhan](/ʃɪvˈɔn/) has paid.", ["Siobhan ", "has "]),
        ("<s>It is</s> *paid*.", ["It ", "is "]),
        ("The chef's table is well-kept.", ["The ", "chef'", "s ", "table "]),
        ("It cost $1,234.56 in all.", ["It ", "cost ", "$1,234.56 "]),
        ("予約しました。", ["予約", "しま"]),
    ],
)
def test_what_was_heard_counts_in_any_writing(text: str, pieces: list[str]) -> None:
    b = claimed(text, *pieces)
    b.do(b.gate.interrupted())
    b.bad("c1")
    assert b.text == f"!{text}"


def test_words_heard_after_a_cut_are_not_those_that_were_cut() -> None:
    b = claimed("Your table is full of flowers.", "Your ", "table ", "is ", "full ")
    b.do(b.gate.interrupted())
    b.start()
    b.say("Of course it is booked.")
    b.call("c2")
    hear(b, "Of ", "course ", "it ", "is ", "booked. ")
    b.bad("c2")
    assert b.text.endswith("!Of course it is booked.")


def test_words_that_the_voice_lost_do_not_hide_the_next() -> None:
    b = claimed("It is booked.", "It ", "is ")
    b.say("It is paid.")
    hear(b, "It ", "is ", "paid. ")
    b.bad("c1")
    assert b.text == "It is paid. !It is booked. !It is paid."


def test_words_of_others_are_not_held_against_a_unit() -> None:
    b = claimed("I have paid.", "I ", "am ", "busy. ", "I ", "have ", "paid. ")
    b.do(b.gate.interrupted())
    b.bad("c1")
    assert b.text == "!I have paid."


def failed_and_corrected() -> Bench:
    b = claimed("It is booked.", "It ", "is ", "booked. ")
    b.bad("c1")
    b.start()
    b.say("It is full.")
    assert b.text == "!It is booked. (start) *Not so. It is full."
    b.log.clear()
    return b


@pytest.mark.parametrize(("heard", "again"), [("", "*Not so. "), ("Not ", "")])
def test_a_correction_that_was_cut_off_is_owed_again(heard: str, again: str) -> None:
    b = failed_and_corrected()
    hear(b, heard)
    b.do(b.gate.interrupted())
    b.start()
    b.say("Go on.")
    assert b.text == f"(start) {again}Go on."


def test_a_correction_is_no_claim_and_takes_a_claim_back_once() -> None:
    b = claimed("Both are booked.", "Both ", "are ", "booked. ")
    b.call("c2")
    b.bad("c1")
    b.start()
    b.say("One is full.")
    hear(b, "Not ", "so. ")
    b.bad("c2")
    b.start()
    b.say("So is the other.")
    texts = "!Both are booked. (start) *Not so. One is full. (start) So is the other."
    assert b.text == texts
