"""The sound card as a pipecat transport."""

from transports.local.devices import list_devices
from transports.local.notice import DeviceNotice
from transports.local.params import LocalParams
from transports.local.stats import LocalStats
from transports.local.transport import LocalTransport

__all__ = ["DeviceNotice", "LocalParams", "LocalStats", "LocalTransport", "list_devices"]
