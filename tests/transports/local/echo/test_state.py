"""The bot's own sound is told from a user's by what is left, and by what was to be expected."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from transports.local.echo.state import EchoState

FRAME = 160
_RNG = np.random.default_rng(7)


def _sound(level: float) -> NDArray[np.int16]:
    """Noise whose level goes up and down by some dB, as that of syllables does."""
    frame = _RNG.normal(0, level * 10 ** _RNG.uniform(-0.3, 0.3), FRAME)
    return np.clip(frame, -32_768, 32_767).astype(np.int16)


def _state(seconds: float, *, echo: float, left: float) -> EchoState:
    """The bot alone, at 4,000: ``echo`` of it comes back, ``left`` of that is not removed."""
    state = EchoState()
    for _ in range(round(seconds * 100)):
        far = _sound(4_000)
        state.note(far, _times(far, echo), _times(far, echo * left))
    return state


def _times(samples: NDArray[np.int16], gain: float) -> NDArray[np.int16]:
    return np.rint(samples * gain).astype(np.int16)


def _likelihood(state: EchoState, *, echo: float, left: float, user: float) -> float:
    for _ in range(5):
        far, voice = _sound(4_000), _sound(user)
        state.note(far, _times(far, echo) + voice, _times(far, echo * left) + voice)
    return state.likelihood


def test_the_bot_silent_nothing_is_its_own() -> None:
    state = _state(3.0, echo=0.5, left=0.01)
    silence = np.zeros(FRAME, np.int16)
    for _ in range(200):
        state.note(silence, _sound(2_000), _sound(2_000))
    assert state.likelihood == 0.0


@pytest.mark.parametrize("left", [1.0, 0.5, 0.1])
@pytest.mark.parametrize("seconds", [0.1, 1.0, 5.0])
def test_the_bot_alone_is_its_own(seconds: float, left: float) -> None:
    assert _state(seconds, echo=0.5, left=left).likelihood > 0.5


@pytest.mark.parametrize(("left", "user"), [(0.01, 400), (0.03, 1_000), (0.1, 2_000)])
def test_a_user_over_a_cancelled_echo_is_heard(left: float, user: float) -> None:
    """Also one far below the echo (2,000): what is left of it is weaker still."""
    state = _state(5.0, echo=0.5, left=left)
    assert _likelihood(state, echo=0.5, left=left, user=user) < 0.5


def test_without_cancelling_only_who_is_louder_than_the_echo_is_heard() -> None:
    state = _state(5.0, echo=0.1, left=1.0)
    assert _likelihood(state, echo=0.1, left=1.0, user=400) > 0.5
    assert _likelihood(state, echo=0.1, left=1.0, user=4_000) < 0.5


def test_an_echo_that_is_late_and_rings_on_is_expected() -> None:
    state = _state(5.0, echo=0.5, left=0.2)
    for _ in range(10):  # 100 ms of room after the bot's last sample
        state.note(np.zeros(FRAME, np.int16), _sound(600), _sound(120))
    assert state.likelihood > 0.5


def test_the_levels_are_told() -> None:
    state = _state(10.0, echo=0.5, left=0.01)
    assert state.return_loss_db == pytest.approx(6.0, abs=3.0)
    assert state.enhancement_db == pytest.approx(40.0, abs=5.0)
    assert _state(1.0, echo=0.5, left=0.01).return_loss_db is None


def test_after_a_jump_all_is_the_bots_until_it_is_taken_out_again() -> None:
    state = _state(10.0, echo=0.5, left=0.01)
    state.misaligned()
    far = _sound(4_000)
    state.note(far, _times(far, 0.5), _times(far, 0.5))
    assert state.likelihood > 0.5


def test_digital_silence_is_no_error() -> None:
    state, silence = EchoState(), np.zeros(FRAME, np.int16)
    state.note(silence, silence, silence)
    state.note(_sound(4_000), silence, silence)
    assert 0.0 <= state.likelihood <= 1.0
