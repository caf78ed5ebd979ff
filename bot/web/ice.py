"""ICE: what aioice has no settings for."""

from __future__ import annotations

import functools

from aioice import ice

LOOPBACK = "127.0.0.1"

CONSENT_INTERVAL_S = 1.5
CONSENT_FAILURES = 4
"""A peer that died answers no consent checks (RFC 7675). Each comes 0.8 to 1.2 intervals after
the last and waits half a second: it is noticed after 9.2 s at most. aioice's own figures, six
checks 5 s apart, keep its place for 30 s."""

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


def notice_lost_peers() -> None:
    """Close connections whose peer died without a word within 10 s; idempotent."""
    ice.CONSENT_INTERVAL = CONSENT_INTERVAL_S  # type: ignore[assignment]  # it only multiplies it
    ice.CONSENT_FAILURES = CONSENT_FAILURES
