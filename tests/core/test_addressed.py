"""What is not said to the bot neither stops it nor reaches it: wake phrases and the talk key."""

from __future__ import annotations

import pytest

from tests.core.stage import Stage, says, stage

LONG = " ".join(f"word{number}" for number in range(40)) + "."
WAKE = {"wake_phrases": ["computer"], "end": "silence", "silence_s": 0.2}


async def _greeted(scene: Stage) -> None:
    scene.start()
    await scene.until_event("heard_text", 2)


async def test_asleep_it_is_not_interrupted_but_by_its_name() -> None:
    async with stage(says("It is noon."), bot={"greeting": LONG}, turn=WAKE) as scene:
        await _greeted(scene)
        await scene.hear("What a day this is.")
        await scene.until_event("heard_text", 5)
        assert scene.named("interrupt") == []
        assert scene.server.requests == []
        await scene.hear("Computer, what time is it?")
        await scene.until_event("interrupt")
        await scene.until(lambda: "noon" in scene.heard)
        await scene.end(goodbye=False)
    assert "word39" not in scene.heard


async def test_its_own_name_from_its_own_mouth_does_not_wake_it() -> None:
    greeting = "Hello, I am your computer, here to help. Please name me. " + LONG
    async with stage(says("It is noon."), bot={"greeting": greeting}, turn=WAKE) as scene:
        scene.start()
        await scene.until(lambda: "me." in scene.heard)
        await scene.hear("hello I am your computer here to help")
        heard = len(scene.named("heard_text"))
        await scene.until_event("heard_text", heard + 3)
        assert scene.named("interrupt") == []
        await scene.hear("Computer, what time is it?")
        await scene.until(lambda: "noon" in scene.heard)
        await scene.end(goodbye=False)


@pytest.mark.parametrize("down", [True, False])
async def test_with_a_talk_key_only_what_is_said_meanwhile_counts(down: bool) -> None:
    keyed = {"policy": "push_to_talk"}
    async with stage(says("Fine."), bot={"greeting": LONG}, barge_in=keyed) as scene:
        await _greeted(scene)
        if down:
            scene.conversation.talk_key(down=True)
            await scene.until_event("interrupt")
        await scene.hear("What time is it?")
        if down:
            scene.conversation.talk_key(down=False)
            await scene.until(lambda: "Fine." in scene.heard)
        else:
            await scene.until_event("heard_text", 8)
        assert bool(scene.named("interrupt")) is down
        await scene.end(goodbye=False)
    assert bool(scene.server.requests) is down


async def test_a_greeting_that_must_be_heard_is_heard_to_its_end() -> None:
    """What was said meanwhile is answered behind it."""
    text = {"greeting": "This call is recorded. " * 3, "greeting_interruptible": False}
    async with stage(says("Fine."), bot=text) as scene:
        await _greeted(scene)
        await scene.hear("What time is it?")
        await scene.until(lambda: "Fine." in scene.heard)
        await scene.end(goodbye=False)
    assert scene.heard.count("recorded.") == 3
