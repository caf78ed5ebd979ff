"""A stream's score counts right units, false cuts, missed ends and delays as the docs say."""

from __future__ import annotations

import pytest

from bench.split.contestant import Growing
from bench.split.notation import Section, read_reply
from bench.split.reply import Reply
from bench.split.score import Released, Score, score


def scored(line: str, given: list[str], match: str = "exact") -> Score:
    reply: Reply = read_reply("r", Section("k", "en", match, "", 1), line)  # type: ignore[arg-type]
    tokens = list(reply.text)
    return score(reply, tokens, [Released(text, len(tokens)) for text in given])


@pytest.mark.parametrize(
    ("line", "given", "right", "false_cuts", "missed"),
    [
        ("One.¦ Two.", ["One.", " Two. "], 2, 0, 0),
        ("One.¦ Two.", ["One. Two."], 0, 0, 1),
        ("Dr. Ito came.¦ Yes.", ["Dr.", "Ito came.", "Yes."], 1, 1, 0),
        ("Dr. Ito came.¦ Yes.", ["Dr. Ito", "came. Yes."], 0, 1, 1),
        ("(One.)¦ Two.", ["(One.", ") Two."], 0, 1, 1),
        ("At 5 p.m.╎ Go.", ["At 5 p.m.", "Go."], 2, 0, 0),
        ("At 5 p.m.╎ Go.", ["At 5 p.m. Go."], 1, 0, 0),
        ("One.¦ Two.", [], 0, 0, 2),
        ("One.¦ Two.", ["0ne.", "Two."], 1, 0, 0),
    ],
)
def test_exact(line: str, given: list[str], right: int, false_cuts: int, missed: int) -> None:
    result = scored(line, given)
    assert (result.right, result.false_cuts, result.missed_ends) == (right, false_cuts, missed)


@pytest.mark.parametrize(
    ("line", "given", "right", "false_cuts"),
    [
        ("⟪1.⟫ Go.⏎⟪2.⟫ Stop.", ["1. Go.", "Stop."], 2, 0),
        ("⟪1.⟫ Go.⏎⟪2.⟫ Stop.", ["1.", "Go.", "2.", "Stop."], 2, 2),
        ("Hi! 🎉¦ *Bye*.", ["Hi!", "🎉", "Bye."], 2, 0),
        ("Run:⏎⟦```⏎a. B⏎```⟧⏎Done.", ["Run:", "Done."], 2, 0),
        ("Run:⏎⟦```⏎a. B⏎```⟧⏎Done.", ["Run:", "```\na.", "B\n```", "Done."], 2, 0),
        ("Run:⏎⟦```⏎a. B⏎```⟧⏎Done.", ["Run:\n```\na.", "B\n```\nDone."], 0, 0),
    ],
)
def test_by_letters(line: str, given: list[str], right: int, false_cuts: int) -> None:
    result = scored(line, given, "letters")
    assert (result.right, result.false_cuts) == (right, false_cuts)


def test_a_code_block_that_is_spoken_costs_precision() -> None:
    result = scored("Run:⏎⟦```⏎a⏎```⟧⏎Done.", ["Run:", "```\na\n```", "Done."], "letters")
    assert result.f1 == pytest.approx(2 * 2 / 5)


def test_delays_are_of_right_inner_units_only() -> None:
    reply = read_reply("r", Section("k", "en", "exact", "", 1), "One.¦ Two.¦ Three.")
    tokens = ["One", ".", " Two", ".", " Three", "."]
    given = [Released("One.", 2), Released("Two.", 5), Released("Three.", 6)]
    assert score(reply, tokens, given).delays == [0, 1]
    early = [Released("One.", 1), Released("Two. Three.", 6)]
    assert score(reply, tokens, early).delays == [-1]


def test_a_library_under_a_stream_releases_all_but_its_last_sentence() -> None:
    def sentences(text: str, lang: str) -> list[str]:
        assert lang == "xx"
        return [part + "." for part in text.split(".") if part.strip()]

    given = Growing(sentences).units(["A", ".", " B. C", " d.", " "], "xx")
    assert given == [
        Released("A.", 2), Released(" B.", 2), Released(" C d. ", 5),
    ]  # fmt: skip


def test_sums_add_up() -> None:
    total = Score()
    assert total.f1 == 0
    total.add(scored("One.¦ Two.", ["One.", "Two."]))
    total.add(scored("One.¦ Two.", ["One. Two."]))
    assert (total.labelled, total.wanted, total.given, total.right) == (4, 4, 3, 2)
    assert total.f1 == pytest.approx(4 / 7)
