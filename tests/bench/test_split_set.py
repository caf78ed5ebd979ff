"""The labelled set is large, varied, mostly plain chat, and labelled as its notation says."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.split.decidable import decidable_at, decidable_token
from bench.split.notation import Section, read_grammar, read_reply
from bench.split.replies_set import build_set
from bench.split.reply import Reply, key_of, without
from bench.split.tokens import WAYS, stream

CASES = Path(__file__).parents[1] / "units" / "cases.json"


def reply_of(line: str, match: str = "exact") -> Reply:
    return read_reply("r", Section("kind", "en", match, "", 1), line)  # type: ignore[arg-type]


def units_of(reply: Reply) -> list[str]:
    return [
        without(reply.text, reply.silent, low, high).strip() for (low, high), _ in reply.units()
    ]


@pytest.mark.parametrize(
    ("line", "text", "units"),
    [
        ("One.¦ Two", "One. Two", ["One.", "Two"]),
        ("One ⏎⏎- two", "One \n\n- two", ["One", "- two"]),
        ("At 5 p.m.╎ Go.", "At 5 p.m. Go.", ["At 5 p.m. Go."]),
        ("Run:⏎⟦```⏎a. B⏎```⟧⏎Done.", "Run:\n```\na. B\n```\nDone.", ["Run:", "Done."]),
        ("Sun ☀️¦⏎Rain ", "Sun ☀️\nRain ", ["Sun ☀️", "Rain"]),
        ("| a |⏎|---|⏎| b |", "| a |\n|---|\n| b |", ["| a |", "|---|\n| b |"]),
    ],
)
def test_a_line_is_read(line: str, text: str, units: list[str]) -> None:
    reply = reply_of(line)
    assert (reply.text, units_of(reply)) == (text, units)


def test_what_may_be_left_out_is_right_both_ways() -> None:
    ((_span, keys),) = reply_of("⟪1.⟫ Open **it**.", "letters").units()
    assert keys == {"1openit", "openit"}


def test_a_grammar_is_written_out() -> None:
    grammar = read_grammar(
        ";; x\n=== rule who en\nann\nbob\n=== chat en exact x2\n{Who}, {07-09}\n"
    )
    (section,) = grammar.sections
    assert section.copies == 2
    lines = {grammar.expand(section.lines[0], "en", Random(seed)) for seed in range(40)}
    assert lines == {f"{who}, {n}" for who in ("Ann", "Bob") for n in ("07", "08", "09")}
    with pytest.raises(ValueError, match="no section before"):
        read_grammar("Hello.")


def test_letters_and_digits_are_compared_without_pictures() -> None:
    assert key_of(" I **love** it ❤️ １2.", "letters") == "iloveit12"
    assert key_of(" a \n b ", "exact") == "a b"


@pytest.fixture(scope="module")
def replies() -> list[Reply]:
    return build_set()


def test_there_is_enough_of_everything(replies: list[Reply]) -> None:
    kinds = Counter(reply.kind for reply in replies)
    languages = Counter(reply.lang for reply in replies)
    assert len(replies) >= 600
    assert len({reply.id for reply in replies}) == len(replies)
    assert 2 * kinds["chat"] >= len(replies)
    assert len(kinds) >= 30
    assert {"en", "de", "fr", "es", "it", "pt", "ja", "zh", "hi", "ar", "ru"} <= set(languages)
    assert len({reply.text for reply in replies if reply.kind == "chat"}) == kinds["chat"]


def test_every_mark_of_the_notation_was_read(replies: list[Reply]) -> None:
    for reply in replies:
        assert not set("¦╎⏎⟦⟧⟪⟫{}") & set(reply.text), reply.id
        assert all(key_of(unit, "letters") for unit in units_of(reply)), reply.id
        assert set(reply.maybe).isdisjoint(reply.ends), reply.id
        assert reply.ends == tuple(sorted(set(reply.ends))), reply.id


def test_the_set_is_the_same_every_time(replies: list[Reply]) -> None:
    assert build_set() == replies
    assert 50 < len(build_set(quick=True)) < 200


def test_no_unit_is_one_that_the_splitter_is_tested_with(replies: list[Reply]) -> None:
    cases: Any = json.loads(CASES.read_text(encoding="utf-8"))
    wanted = [case.get("expected") or case.get("allowed") for case in cases]
    known = {key_of(unit, "letters") for unit in _strings(wanted)}
    for reply in replies:
        assert known.isdisjoint(key_of(unit, "letters") for unit in units_of(reply)), reply.id


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for part in value or [] for text in _strings(part)]


@pytest.mark.parametrize("way", WAYS)
@given(text=st.text(alphabet="ab Zé।字 \n.?!1-", max_size=60), seed=st.text(max_size=3))
def test_tokens_joined_are_the_text(way: str, text: str, seed: str) -> None:
    tokens = stream(text, way, seed)
    assert "".join(tokens) == text
    assert all(tokens)
    assert tokens == stream(text, way, seed)


def test_pieces_look_like_a_models() -> None:
    tokens = stream('Sure! That is 1234.5, "ok?"\n\nUnquestionably.', "pieces", "x")
    assert tokens[:10] == ["Sure", "!", " That", " is", " 123", "4", ".", "5", ",", ' "']
    assert '?"\n\n' in tokens


@pytest.mark.parametrize(
    ("text", "end", "needed"),
    [
        ("It is 5. Then", 8, 10),
        ("Really? Then", 7, 8),
        ('"Really?" she', 9, 11),
        ("駅です。次", 4, 5),
        ("One \n- two", 3, 5),
        ("One.\n", 4, None),
        ("*waves* What", 7, 9),
    ],
)
def test_when_an_end_is_decidable(text: str, end: int, needed: int | None) -> None:
    assert decidable_at(text, end) == needed


def test_the_token_that_decides() -> None:
    assert decidable_token(["It is 5", ".", " ", "Then"], 8) == 3
    assert decidable_token(["It is 5", "."], 8) == 2
