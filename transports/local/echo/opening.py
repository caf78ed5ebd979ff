"""Whether there is echo cancellation, as the parameters want it."""

from __future__ import annotations

from loguru import logger

from speech.errors import DeviceError
from transports.local.echo.canceller import EchoCanceller
from transports.local.echo.processing import NoProcessing, open_processing
from transports.local.params import LocalParams


def open_canceller(params: LocalParams, rate_hz: int) -> EchoCanceller | None:
    """None where there is nothing to do: no speaker, and nothing else wanted.

    A speaker's echo is at least known of (its likelihood) where it is not cancelled. ``auto``
    does without a library that cannot be loaded. Raises ``DeviceError`` where what is asked for
    by name cannot be had.
    """
    echo = bool(params.echo_cancellation) and params.audio_out_enabled
    by_name = echo and params.echo_cancellation is True
    wanted = by_name or params.noise_suppression or params.gain_control
    if not (echo or wanted):
        return _likelihood_only(rate_hz) if params.audio_out_enabled else None
    try:
        processing = open_processing(
            rate_hz, echo=echo, noise=params.noise_suppression, gain=params.gain_control
        )
    except DeviceError as error:
        if wanted:
            raise
        logger.warning("no echo cancellation: {}", error)
        return _likelihood_only(rate_hz)
    return EchoCanceller(processing, rate_hz, cancels=echo)


def _likelihood_only(rate_hz: int) -> EchoCanceller:
    return EchoCanceller(NoProcessing(), rate_hz, cancels=False)
