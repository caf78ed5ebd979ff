"""Guards: the public failures of area C, as far as the policy and the filter decide them."""

from __future__ import annotations

import pytest

from speech.barge_in.decision import Action
from speech.barge_in.replies import Replies
from tests.barge_in.bench import Bench


class FakeSpeaker:
    """Writes what the policy and the filter let through."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.written: list[str] = []

    def audio(self, ms: float, reply_id: str, frames: int = 1) -> None:
        self.bench.wait(ms)
        for _ in range(frames):
            held = self.bench.policy.ducked is not None
            if self.bench.policy.replies.admits(reply_id, "audio") and not held:
                self.written.append(reply_id)


def test_c01_the_rest_of_the_old_answer_stays_out_of_the_new_turn() -> None:
    b = Bench()
    speaker = FakeSpeaker(b)
    b.reply(0)
    b.play(150, text="One.")
    speaker.audio(150, "R1", 10)
    b.voice(400, 880)
    speaker.audio(470, "R1", 20)
    b.words(900, "and the price?")
    b.reply(1000, "R2")
    speaker.audio(1100, "R1", 5)
    speaker.audio(1200, "R2", 20)
    assert speaker.written == ["R1"] * 10 + ["R2"] * 20
    assert b.policy.replies.dropped == {"audio": 5}


def test_c02_interrupted_before_the_first_audio() -> None:
    b = Bench()
    speaker = FakeSpeaker(b)
    b.reply(0)
    b.voice(120, 300)
    speaker.audio(301, "R1", 20)
    b.words(340, "no, the other one")
    b.reply(350, "R2")
    speaker.audio(500, "R1", 5)
    speaker.audio(520, "R2", 20)
    assert b.done == ["duck R1", "cut R1"]
    assert speaker.written == ["R2"] * 20


@pytest.mark.parametrize("onset_ms", range(0, 210, 10))
def test_c05_c06_the_tool_of_a_reply_that_is_talked_into_does_not_run(onset_ms: int) -> None:
    """Dispatched while the policy decides: the duck holds it back, the cut drops it."""
    b = Bench()
    b.reply(0)
    b.voice(onset_ms, 800)
    dispatched_ms = onset_ms + 70
    decided = [d for d in b.log if d.at * 1000 <= dispatched_ms]
    assert decided[-1].action is Action.DUCK, "held at dispatch"
    b.words(900, "and what about Friday?")
    assert not b.policy.replies.admits("R1", "tool")
    assert b.policy.replies.dropped == {"tool": 1}


def test_c06_without_a_voice_the_tool_runs() -> None:
    b = Bench()
    b.reply(0)
    assert b.policy.ducked is None
    assert b.policy.replies.admits("R1", "tool")


def test_c10_the_bot_does_not_talk_to_itself() -> None:
    for heard_ms in (2_000, 3_400):
        for text in (
            "the meeting is on thursday at ten", "meeting is on thursday", "thursday at ten",
        ):  # fmt: skip
            b = Bench()
            b.play(1_000, text="The meeting is on Thursday at ten.")
            if heard_ms > 3_000:
                b.end(3_000)
            b.words(heard_ms, text)
            assert b.log[-1].drop_words, (heard_ms, text)
        b = Bench()
        b.play(1_000, text="The meeting is on Thursday at ten.")
        b.words(heard_ms, "is it on thursday or friday?")
        assert not b.log[-1].drop_words


def test_c11_the_text_of_a_cut_reply_is_not_flushed_with_the_goodbye() -> None:
    b = Bench()
    b.reply(0)
    b.words(200, "never mind")
    b.reply(800, "bye")
    assert not b.policy.replies.admits("R1", "text")
    assert b.policy.replies.admits("bye", "text")
    assert b.policy.replies.live == ("bye",)


def test_c12_the_second_half_cuts_the_answer_to_the_first() -> None:
    b = Bench()
    b.words(0, "I would like to")
    b.reply(300, "R1")
    b.voice(900, 1_700)
    b.words(1_700, "book a table for two")
    b.reply(1_800, "R2")
    b.play(2_500, "R2", text="For when?")
    b.settle()
    assert [d for d in b.done if d.startswith("cut")] == ["cut R1"]
    assert b.policy.replies.live == ("R2",)


def test_a_dead_id_never_lives_again() -> None:
    replies = Replies()
    assert replies.begin("R1")
    replies.kill("R1")
    assert not replies.begin("R1")
    assert replies.current is None
    assert not replies.admits("R1", "audio")


def test_killed_before_it_began() -> None:
    replies = Replies()
    replies.kill("R1")
    assert not replies.begin("R1")


def test_a_reply_that_ended_is_not_dead() -> None:
    replies = Replies()
    replies.begin("R1")
    replies.end("R1")
    assert replies.current is None
    assert replies.admits("R1", "text")


def test_memory_is_bounded_and_forgets_the_oldest() -> None:
    replies = Replies(remembered=3)
    for number in range(5):
        replies.kill(f"R{number}")
    assert [replies.is_dead(f"R{number}") for number in range(5)] == [
        False,
        False,
        True,
        True,
        True,
    ]
    with pytest.raises(ValueError):
        Replies(0)
