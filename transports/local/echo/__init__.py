"""Echo cancellation for the sound card: what is played is taken out of what is heard.

``EchoCanceller`` (canceller) joins the parts: ``FarEnd`` (far) holds what was played, by time;
``DeviceClock`` (clock) turns a device's sample counter into time; ``EchoState`` (state) says
how much of what is left is still the bot's own sound; ``processing`` is the edge to WebRTC's
library. docs/echo.md has the method and the figures.
"""

from transports.local.echo.canceller import EchoCanceller
from transports.local.echo.processing import AudioProcessing, open_processing

__all__ = ["AudioProcessing", "EchoCanceller", "open_processing"]
