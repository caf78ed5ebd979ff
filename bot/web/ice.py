"""ICE on a machine without a network: offer the loopback address."""

from __future__ import annotations

import functools

from aioice import ice

LOOPBACK = "127.0.0.1"

_host_addresses = ice.get_host_addresses


@functools.wraps(_host_addresses)
def _addresses_or_loopback(use_ipv4: bool, use_ipv6: bool) -> list[str]:
    found: list[str] = _host_addresses(use_ipv4, use_ipv6)
    if use_ipv4 and not any("." in address for address in found):
        return [*found, LOOPBACK]
    return found


def allow_loopback() -> None:
    """Offer 127.0.0.1 where this machine has no other IPv4 address; idempotent.

    aioice leaves loopback out and has no setting for it, so a page on a laptop without a
    network (and a test in an empty network namespace) could never connect.
    """
    ice.get_host_addresses = _addresses_or_loopback
