"""Talking by the sound card."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from bot import talk_key
from bot.barge_in import PUSH_TO_TALK
from bot.config.schema import AudioSettings, Settings
from bot.config.secrets import Secrets
from bot.conversation import Conversation
from bot.last_queues import remember
from bot.leaving import EXIT_INTERRUPTED
from bot.native_noise import native_noise_logged
from bot.parts import open_parts
from bot.talk_key import space_bar
from bot.view import open_view
from speech.errors import DeviceError, UsageError
from speech.timeline import Timeline
from transports.local import LocalParams, LocalTransport, list_devices
from transports.local.backend import Backend

Notify = Callable[[str], None]

READY = "Talk now. Ctrl-C says goodbye."
READY_WITHOUT_CANCELLING = (
    "Talk now; headphones keep the bot from hearing itself. Ctrl-C says goodbye."
)


def missing_sound_card(audio: AudioSettings, backend: Backend | None = None) -> str | None:
    """Why this machine cannot talk by the sound card at all, or None.

    Who names a device in the configuration wants the sound card: that it is absent is then
    no reason for the page but an error, which opening it will raise.
    """
    try:
        devices = list_devices(backend)
    except DeviceError as error:
        return str(error).partition(":")[0]
    if audio.input_device is not None or audio.output_device is not None:
        return None
    if not any(device.inputs for device in devices):
        return "no microphone was found"
    if not any(device.outputs for device in devices):
        return "no speaker was found"
    return None


def can_open_a_browser() -> bool:
    """Whether a window can appear here; without one a text browser would take the terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


async def talk(
    settings: Settings,
    secrets: Secrets,
    *,
    notify: Notify,
    json: bool = False,
    backend: Backend | None = None,
    over: Callable[[int], object] = lambda _code: None,
) -> None:
    """Hold one conversation by the sound card, until Ctrl-C or SIGTERM.

    The first Ctrl-C has the goodbye spoken, the second ends at once. ``json`` prints the
    timeline as JSON lines in place of the view. ``over`` is told when the conversation is
    and only closing remains, with the exit code. Raises ``DeviceError`` for a device that is
    missing, busy or refuses every format, and what ``open_parts`` raises.
    """
    timeline = Timeline()
    transport = LocalTransport(_params(settings.audio), timeline, backend=backend)
    with native_noise_logged():
        await transport.open()
        try:
            for line in transport.describe():
                notify(line)
            async with open_parts(settings, secrets, notify=notify) as parts:
                conversation = Conversation(parts, transport, timeline, handle_sigint=True)
                notify(READY if transport.cancels_echo else READY_WITHOUT_CANCELLING)
                with open_view(timeline, json=json), _terminate_ends(conversation):
                    await _converse(conversation, over)
        finally:
            remember(timeline.queues.uses())
            await transport.aclose()


async def _converse(conversation: Conversation, over: Callable[[int], object]) -> None:
    try:
        await conversation.run()
    except asyncio.CancelledError:
        over(EXIT_INTERRUPTED)
        raise
    over(0)


@contextmanager
def _talk_key(settings: Settings, conversation: Conversation, notify: Notify) -> Iterator[None]:
    """Say how to talk; with push_to_talk the space bar is the key."""
    if settings.barge_in.policy != PUSH_TO_TALK:
        notify(READY)
        yield
        return
    with space_bar(lambda down: conversation.talk_key(down=down)) as watched:
        if not watched:
            raise UsageError(talk_key.NO_TERMINAL)
        notify(talk_key.READY)
        yield


def _params(audio: AudioSettings) -> LocalParams:
    return LocalParams(
        audio_in_sample_rate=audio.input_rate_hz,
        audio_out_sample_rate=audio.output_rate_hz,
        input_device=audio.input_device,
        output_device=audio.output_device,
        latency=audio.latency_s,
        silent_microphone_s=audio.silent_microphone_s,
        echo_cancellation=audio.echo_cancellation,
        noise_suppression=audio.noise_suppression,
        gain_control=audio.gain_control,
    )


@contextmanager
def _terminate_ends(conversation: Conversation) -> Iterator[None]:
    """SIGTERM ends as Ctrl-C does, with the goodbye; where the loop takes no signals, it kills."""
    loop = asyncio.get_running_loop()
    ending: set[asyncio.Task[None]] = set()
    with suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(
            signal.SIGTERM, lambda: ending.add(loop.create_task(conversation.end()))
        )
    try:
        yield
    finally:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGTERM)
        for task in ending:
            task.cancel()
