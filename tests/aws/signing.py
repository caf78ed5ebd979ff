"""Signature version 4, checked: of the request, and of each message after it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import urlsplit

from tests.aws.framing import Message, date_header

EVENTS = "STREAMING-AWS4-HMAC-SHA256-EVENTS"
_FIELDS = {"Credential", "SignedHeaders", "Signature"}


class BadSignatureError(Exception):
    """What a client signed is not what it sent, or not with a known key."""


@dataclass(frozen=True)
class Scope:
    """Where a signature is valid: key id, date, region, service."""

    key_id: str
    date: str
    region: str
    service: str

    @property
    def text(self) -> str:
        return f"{self.date}/{self.region}/{self.service}/aws4_request"

    def key(self, secret: str) -> bytes:
        """The key that signs."""
        key = b"AWS4" + secret.encode()
        for part in (self.date, self.region, self.service, "aws4_request"):
            key = _hmac(key, part)
        return key


class Chain:
    """A stream's signatures: each one signs the one before it."""

    def __init__(self, scope: Scope, key: bytes, seed: str) -> None:
        self._scope, self._key, self._prior = scope, key, seed
        self.checked = 0

    def check(self, message: Message) -> bytes:
        """The payload of a message whose signature is the next one."""
        date = message.headers[":date"]
        at = datetime.fromtimestamp(date / 1000, UTC)
        signed = "\n".join(
            [
                "AWS4-HMAC-SHA256-PAYLOAD",
                at.strftime("%Y%m%dT%H%M%SZ"),
                self._scope.text,
                self._prior,
                sha256(date_header(date)).hexdigest(),
                sha256(message.payload).hexdigest(),
            ]
        )
        expected = _hmac(self._key, signed)
        if not hmac.compare_digest(expected, message.headers[":chunk-signature"]):
            raise BadSignatureError("chunk")
        self._prior, self.checked = expected.hex(), self.checked + 1
        return message.payload


def check_request(
    method: str, target: str, headers: Mapping[str, str], secrets: Mapping[str, str]
) -> Chain:
    """What the stream's messages are checked with; ``secrets`` by key id.

    Raises ``BadSignatureError``.
    """
    fields = _fields(headers.get("authorization", ""))
    key_id, date, region, service, _ = fields["Credential"].split("/")
    scope = Scope(key_id, date, region, service)
    if key_id not in secrets:
        raise BadSignatureError(key_id)
    names = fields["SignedHeaders"].split(";")
    path, query = urlsplit(target).path, urlsplit(target).query
    canonical = "\n".join(
        [
            method,
            path,
            query,
            *(f"{name}:{_value(headers, name)}" for name in names),
            "",
            ";".join(names),
            headers["x-amz-content-sha256"],
        ]
    )
    signed = "\n".join(
        [
            "AWS4-HMAC-SHA256",
            headers["x-amz-date"],
            scope.text,
            sha256(canonical.encode()).hexdigest(),
        ]
    )
    key = scope.key(secrets[key_id])
    if not hmac.compare_digest(_hmac(key, signed).hex(), fields["Signature"]):
        raise BadSignatureError("request")
    return Chain(scope, key, fields["Signature"])


def _fields(authorization: str) -> dict[str, str]:
    scheme, _, rest = authorization.partition(" ")
    fields = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
    if scheme != "AWS4-HMAC-SHA256" or not {"Credential", "SignedHeaders", "Signature"} <= set(
        fields
    ):
        raise BadSignatureError("authorization")
    return fields


def _value(headers: Mapping[str, str], name: str) -> str:
    return (headers.get(name) or headers[":authority"] if name == "host" else headers[name]).strip()


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), sha256).digest()
