"""A webhook is accepted only with its carrier's signature over exactly this request."""

from __future__ import annotations

import base64
import dataclasses

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from bot.phone.signatures import (
    MAX_AGE_S,
    BasicAuth,
    PlivoSignature,
    SignedRequest,
    TelnyxSignature,
    TwilioSignature,
)

# Twilio's documented example (its helper libraries test with the same values).
TWILIO_FORM = {
    "CallSid": ["CA1234567890ABCDE"],
    "Caller": ["+14158675309"],
    "Digits": ["1234"],
    "From": ["+14158675309"],
    "To": ["+18005551212"],
}
TWILIO_URL = "https://mycompany.com/myapp.php?foo=1&bar=2"
TWILIO = SignedRequest(
    TWILIO_URL, {"x-twilio-signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8="}, form=TWILIO_FORM
)

# The values of plivo-go's utils_test.go.
PLIVO_FORM = {
    "Direction": ["outbound"],
    "From": ["19792014278"],
    "ALegUUID": ["3e82ae9d-2c78-4d85-b1a4-6eae7dbafb36"],
    "CallStatus": ["in-progress"],
    "BillRate": ["0.002"],
    "ParentAuthID": ["MANWVLYTK4ZWU1YTY4QA"],
    "To": ["sip:PlivoSignature382029104058171078704104@phone-qa.voice.plivodev.com"],
    "ALegRequestUUID": ["3e82ae9d-2c78-4d85-b1a4-6eae7dbafb36"],
    "CallUUID": ["3e82ae9d-2c78-4d85-b1a4-6eae7dbafb36"],
    "RequestUUID": ["3e82ae9d-2c78-4d85-b1a4-6eae7dbafb36"],
    "SIP-H-To": ["<sip:PlivoSignature382029104058171078704104@52.9.11.55;transport=udp>;tag=1"],
    "SessionStart": ["2020-04-08 11:34:33.238707"],
    "Event": ["StartApp"],
}
PLIVO_TOKEN = "Y2Q2ZDgxZmY5YWRiOTI5YmQ1Njg0MTAxZWIyOTc4"
PLIVO_URL = "https://plivobin.non-prod.plivops.com/api/v1/validate_signature03.xml"


def plivo(url: str, signature: str, header: str = "x-plivo-signature-v3") -> SignedRequest:
    headers = {header: signature, "x-plivo-signature-v3-nonce": "31627761595286130198"}
    return SignedRequest(url, headers, form=PLIVO_FORM)


PLIVO = plivo(PLIVO_URL, "iAjE5QqI37mbkYe4w3jTMudqEzbDufdqi7sYwTu64e0=")


class TestTwilio:
    def test_the_documented_example_is_accepted(self) -> None:
        assert TwilioSignature("12345").accepts(TWILIO)

    def test_repeated_fields_count_once_and_in_order(self) -> None:
        form = {"Sid": ["CA123"], "SidAccount": ["AC123"], "Digits": ["5678", "1234", "1234"]}
        headers = {"x-twilio-signature": "IK+Dwps556ElfBT0I3Rgjkr1wJU="}
        assert TwilioSignature("12345").accepts(SignedRequest(TWILIO_URL, headers, form=form))

    @pytest.mark.parametrize(
        "url",
        ["https://mycompany.com:443/myapp.php?foo=1&bar=2", TWILIO_URL],
    )
    def test_the_standard_port_makes_no_difference(self, url: str) -> None:
        assert TwilioSignature("12345").accepts(dataclasses.replace(TWILIO, url=url))

    @pytest.mark.parametrize(
        "changed",
        [
            {"url": TWILIO_URL + "&extra=1"},
            {"form": {**TWILIO_FORM, "Digits": ["12345"]}},
            {"form": {k: v for k, v in TWILIO_FORM.items() if k != "To"}},
            {"form": None},
            {"headers": {}},
            {"headers": {"x-twilio-signature": ""}},
            {"headers": {"x-twilio-signature": "rsoydt4t1cutdk1pdd93/vvr8b8="}},
            {"headers": {"x-twilio-signature": "\u738b"}},
        ],
    )
    def test_any_change_is_refused(self, changed: dict[str, object]) -> None:
        assert not TwilioSignature("12345").accepts(dataclasses.replace(TWILIO, **changed))  # type: ignore[arg-type]

    def test_another_token_is_refused(self) -> None:
        assert not TwilioSignature("12346").accepts(TWILIO)


class TestPlivo:
    @pytest.mark.parametrize(
        "request_",
        [
            PLIVO,
            plivo(PLIVO_URL + "/?a=b&c=d", "k7Pusd4OxCIjR5IfA9iedDNu/h/gbdYqdzG/MiYtd1c="),
            plivo(PLIVO_URL, "other," + PLIVO.headers["x-plivo-signature-v3"]),
            plivo(PLIVO_URL, PLIVO.headers["x-plivo-signature-v3"], "x-plivo-signature-ma-v3"),
        ],
    )
    def test_plivos_own_examples_are_accepted(self, request_: SignedRequest) -> None:
        assert PlivoSignature(PLIVO_TOKEN).accepts(request_)

    @pytest.mark.parametrize(
        "changed",
        [
            {"url": PLIVO_URL + "?a=b"},
            {"form": {**PLIVO_FORM, "From": ["1"]}},
            {"headers": {**PLIVO.headers, "x-plivo-signature-v3-nonce": "1"}},
            {"headers": {"x-plivo-signature-v3": PLIVO.headers["x-plivo-signature-v3"]}},
            {"headers": {}},
        ],
    )
    def test_any_change_is_refused(self, changed: dict[str, object]) -> None:
        assert not PlivoSignature(PLIVO_TOKEN).accepts(dataclasses.replace(PLIVO, **changed))  # type: ignore[arg-type]


class TestTelnyx:
    """Telnyx publishes no fixed example: its libraries sign with a fresh key, as this does."""

    NOW = 1_700_000_000
    BODY = b"CallSid=v3%3Aabc&From=%2B13129457420"
    KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    PUBLIC = base64.b64encode(KEY.public_key().public_bytes_raw()).decode()

    def check(self) -> TelnyxSignature:
        return TelnyxSignature(self.PUBLIC, clock=lambda: float(self.NOW))

    def signed(self, stamp: str, body: bytes = BODY) -> SignedRequest:
        signature = base64.b64encode(self.KEY.sign(f"{stamp}|".encode() + body)).decode()
        headers = {"telnyx-signature-ed25519": signature, "telnyx-timestamp": stamp}
        return SignedRequest("https://bot.example.com/call", headers, body=body)

    @pytest.mark.parametrize("age", [0, 1, MAX_AGE_S, -MAX_AGE_S])
    def test_a_fresh_signature_is_accepted(self, age: float) -> None:
        assert self.check().accepts(self.signed(str(int(self.NOW - age))))

    @pytest.mark.parametrize("age", [MAX_AGE_S + 1, -MAX_AGE_S - 1, 10**9])
    def test_an_old_or_future_one_is_refused(self, age: float) -> None:
        assert not self.check().accepts(self.signed(str(int(self.NOW - age))))

    @pytest.mark.parametrize("stamp", ["", "soon", "-1", "1e9", "\u0661" * 10, "9" * 400])
    def test_a_timestamp_that_is_no_number_is_refused(self, stamp: str) -> None:
        request = self.signed(str(self.NOW))
        headers = {**request.headers, "telnyx-timestamp": stamp}
        assert not self.check().accepts(dataclasses.replace(request, headers=headers))

    @pytest.mark.parametrize("signature", ["", "AAAA", "***", base64.b64encode(bytes(64)).decode()])
    def test_a_wrong_signature_is_refused(self, signature: str) -> None:
        request = self.signed(str(self.NOW))
        headers = {**request.headers, "telnyx-signature-ed25519": signature}
        assert not self.check().accepts(dataclasses.replace(request, headers=headers))

    def test_another_body_is_refused(self) -> None:
        request = dataclasses.replace(self.signed(str(self.NOW)), body=self.BODY + b"&x=1")
        assert not self.check().accepts(request)

    @pytest.mark.parametrize("key", ["", "not base64!", "AAAA"])
    def test_a_broken_key_refuses_everything(self, key: str) -> None:
        check = TelnyxSignature(key, clock=lambda: float(self.NOW))
        assert not check.accepts(self.signed(str(self.NOW)))


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("Basic a2V5OnRva2Vu", True),
        ("Basic a2V5OndvbmcK", False),
        ("Bearer a2V5OnRva2Vu", False),
        ("", False),
    ],
)
def test_basic_authentication_compares_user_and_password(header: str, accepted: bool) -> None:
    request = SignedRequest("https://bot.example.com/call", {"authorization": header})
    assert BasicAuth("key", "token").accepts(request) is accepted


@given(st.dictionaries(st.text(), st.text()), st.text())
def test_no_header_makes_a_check_raise(headers: dict[str, str], value: str) -> None:
    names = ("x-twilio-signature", "x-plivo-signature-v3", "telnyx-signature-ed25519")
    given_ = {**headers, **dict.fromkeys(names, value), "x-plivo-signature-v3-nonce": value}
    request = SignedRequest("https://bot.example.com/call", given_)
    for check in (TwilioSignature("1"), PlivoSignature("1"), TelnyxSignature("1")):
        assert not check.accepts(request)
