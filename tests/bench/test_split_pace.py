"""Opening clauses go ahead where the model is slow, and only there."""

from __future__ import annotations

from bench.split.pace import TOKENS_PER_S, pace, talk
from bench.split.replies_set import build_set
from speech.units.release import ReleaseRules

SENTENCE = "Salt lowers the freezing point of water, which is why it is spread on the roads here."
TOKENS = [f" {word}" for word in SENTENCE.split()]


def test_a_slow_models_opening_clause_is_heard_before_its_sentence_is_written() -> None:
    whole = talk(TOKENS, 4, ReleaseRules(first_clause=False))
    parted = talk(TOKENS, 4, ReleaseRules())
    assert (whole.clauses, parted.clauses) == (0, 1)
    assert parted.first_sound_s < whole.first_sound_s - 1


def test_a_quick_models_sentences_stay_whole() -> None:
    assert talk(TOKENS, 64, ReleaseRules()) == talk(TOKENS, 64, ReleaseRules(first_clause=False))


def test_each_pace_is_measured() -> None:
    rows = pace(build_set(quick=True))
    assert [row["tokens_per_s"] for row in rows] == list(TOKENS_PER_S)
    for row in rows:
        assert row["first_sound_s"]["clauses"] <= row["first_sound_s"]["sentences"]
