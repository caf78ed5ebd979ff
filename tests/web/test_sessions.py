"""Sessions are bounded, end with their peer, and one's failure leaves the others talking."""

from __future__ import annotations

import asyncio

import pytest

from bot.web import sessions as module
from bot.web.sessions import Sessions
from speech.errors import EarshotError


class FakeConversation:
    """Runs until ended or cancelled; ``stuck`` never heeds either."""

    def __init__(self, fails: Exception | None = None, stuck: bool = False) -> None:
        self.fails = fails
        self.stuck = stuck
        self.calls: list[str] = []
        self.over = asyncio.Event()

    async def run(self) -> None:
        if self.fails:
            raise self.fails
        await self.over.wait()

    async def end(self, *, goodbye: bool = True) -> None:
        self._called("end")

    async def cancel(self) -> None:
        self._called("cancel")

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if not self.stuck:
            self.over.set()


async def test_a_place_is_freed_when_the_peer_leaves() -> None:
    async with asyncio.TaskGroup() as group:
        sessions = Sessions(1, group, lambda _: None)
        conversation, left = FakeConversation(), asyncio.Event()
        task = sessions.start(conversation, left)
        assert sessions.full
        left.set()
        await task
        assert conversation.calls == ["cancel"]
        assert not sessions.full


async def test_a_held_place_is_taken() -> None:
    async with asyncio.TaskGroup() as group:
        sessions = Sessions(1, group, lambda _: None)
        with sessions.hold():
            assert sessions.full
        assert not sessions.full


async def test_after_the_end_there_is_no_place_and_no_new_conversation() -> None:
    """One whose peer was being connected when Ctrl-C came must not keep the server."""
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        sessions = Sessions(2, group, lambda _: None)
        await sessions.end_all()
        assert sessions.full
        late = FakeConversation()
        sessions.start(late, asyncio.Event())
    assert late.calls == ["cancel"]


async def test_a_conversation_that_ends_itself_is_left_alone() -> None:
    async with asyncio.TaskGroup() as group:
        sessions = Sessions(1, group, lambda _: None)
        conversation = FakeConversation()
        task = sessions.start(conversation, asyncio.Event())
        await asyncio.sleep(0)
        conversation.over.set()
        await task
        assert conversation.calls == []


async def test_one_that_lasts_too_long_hears_the_goodbye() -> None:
    async with asyncio.TaskGroup() as group:
        sessions = Sessions(1, group, lambda _: None)
        conversation = FakeConversation()
        await sessions.start(conversation, asyncio.Event(), max_s=0.01)
        assert conversation.calls == ["end"]


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (EarshotError("No such voice."), "No such voice."),
        (RuntimeError("x"), "conversation failed"),
    ],
)
async def test_a_failure_is_told_and_the_others_go_on(failure: Exception, told: str) -> None:
    lines: list[str] = []
    async with asyncio.TaskGroup() as group:
        sessions = Sessions(2, group, lines.append)
        good = FakeConversation()
        kept = sessions.start(good, asyncio.Event())
        await sessions.start(FakeConversation(fails=failure), asyncio.Event())
        assert len(lines) == 1
        assert told in lines[0]
        assert not kept.done()
        await sessions.end_all()
        assert good.calls == ["end"]


async def test_a_stuck_conversation_does_not_keep_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "GOODBYE_S", 0.01)
    async with asyncio.TaskGroup() as group:
        sessions = Sessions(2, group, lambda _: None)
        task = sessions.start(FakeConversation(stuck=True), asyncio.Event())
        await sessions.end_all()
        assert task.done()
        assert len(sessions) == 0


class FakeEndlessGoodbye(FakeConversation):
    """Waits for ever with its goodbye; ``cut`` once that was cancelled."""

    cut = False

    async def end(self, *, goodbye: bool = True) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.cut = True


async def test_a_second_ctrl_c_cuts_the_goodbyes() -> None:
    conversation = FakeEndlessGoodbye()
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        sessions = Sessions(1, group, lambda _: None)
        talk = sessions.start(conversation, asyncio.Event())
        ending = asyncio.create_task(sessions.end_all())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        ending.cancel()
        await asyncio.wait({ending, talk})
    await asyncio.sleep(0)
    assert conversation.cut


async def test_a_stuck_conversation_is_given_up_when_its_peer_has_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "CANCEL_S", 0.01)
    async with asyncio.TaskGroup() as group:
        sessions = Sessions(1, group, lambda _: None)
        left = asyncio.Event()
        task = sessions.start(FakeConversation(stuck=True), left)
        left.set()
        await task
