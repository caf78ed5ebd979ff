"""The phone server starts only with an address a carrier can call and a signature it can check."""

from __future__ import annotations

import pytest

from bot.config.schema import PhoneSettings
from bot.config.secrets import Secrets
from bot.phone.carriers import carrier
from bot.phone.serve import refuse_bad_url, refuse_unsigned_public
from speech.errors import UsageError

SIGNED = carrier("twilio", Secrets({"TWILIO_AUTH_TOKEN": "12345"}))
UNSIGNED = carrier("twilio", Secrets({}))


@pytest.mark.parametrize(
    "url",
    [
        None,
        "https://bot.example.com",
        "https://bot.example.com/",
        "https://bot.example.com:8443/voice",
        "http://127.0.0.1:7861",
        "https://[2001:db8::1]:8443",
    ],
)
def test_an_address_is_taken(url: str | None) -> None:
    refuse_bad_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "bot.example.com",
        "//bot.example.com",
        "wss://bot.example.com",
        "https://",
        "https://:443",
        "https://h:abc",
        "https://h:99999",
        "https://h:-1",
        "https://h:0",
        "https://[::1",
        "https://h/?x=1",
        "https://h/#x",
        "https://h /",
        "https://h/\n",
        "https://user:hunter2@h",
    ],
)
def test_what_no_carrier_could_call_is_one_line(url: str) -> None:
    with pytest.raises(UsageError, match=r"phone\.public_url: expected .*https://") as told:
        refuse_bad_url(url)
    assert "\n" not in str(told.value)
    assert "hunter2" not in str(told.value)


@pytest.mark.parametrize(
    ("phone", "signed", "says"),
    [
        ({}, False, None),
        ({"public_url": "https://h"}, True, None),
        ({"public_url": "https://h"}, False, "phone.public_url is set, but TWILIO_AUTH_TOKEN"),
        ({"host": "0.0.0.0", "public_url": "https://h"}, True, None),
        ({"host": "0.0.0.0"}, False, "phone.host is 0.0.0.0, but TWILIO_AUTH_TOKEN"),
        ({"host": "0.0.0.0"}, True, "Set phone.public_url"),
    ],
)  # fmt: skip
def test_strangers_cannot_reach_an_unsigned_webhook(
    phone: dict[str, str], signed: bool, says: str | None
) -> None:
    settings, line = PhoneSettings(**phone), SIGNED if signed else UNSIGNED  # type: ignore[arg-type]
    if says is None:
        refuse_unsigned_public(settings, line)
        return
    with pytest.raises(UsageError, match=says):
        refuse_unsigned_public(settings, line)
