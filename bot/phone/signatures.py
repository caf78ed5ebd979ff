"""Proof that a webhook comes from the carrier: one check a carrier, all in constant time."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MAX_AGE_S = 300.0
"""How old a signed timestamp may be; Telnyx recommends five minutes."""

Form = Mapping[str, list[str]]


@dataclass(frozen=True)
class SignedRequest:
    """A webhook as the carrier sent it.

    ``url`` is the address the carrier called (the public one, with its query), ``headers``
    have lower-case names, ``form`` holds the decoded fields of a form body.
    """

    url: str
    headers: Mapping[str, str]
    body: bytes = b""
    form: Form | None = None


class SignatureCheck(Protocol):
    """Whether a request is the carrier's."""

    def accepts(self, request: SignedRequest) -> bool: ...


@dataclass(frozen=True)
class TwilioSignature:
    """``X-Twilio-Signature``: base64 HMAC-SHA1 of the URL and the sorted form fields.

    Twilio signs the URL with or without its port, so both are tried (its libraries do). Source:
    https://www.twilio.com/docs/usage/security#validating-requests
    """

    auth_token: str

    def accepts(self, request: SignedRequest) -> bool:
        given = request.headers.get("x-twilio-signature", "")
        fields = "".join(
            name + value
            for name, values in sorted((request.form or {}).items())
            for value in sorted(set(values))
        )
        # No short circuit: each comparison takes as long as the other.
        matches = [
            _same(given, _hmac64(self.auth_token, url + fields, "sha1"))
            for url in _with_and_without_port(request.url)
        ]
        return any(matches)


@dataclass(frozen=True)
class TelnyxSignature:
    """``telnyx-signature-ed25519`` over ``timestamp|body``, not older than ``MAX_AGE_S``.

    ``public_key`` is the base64 key of the account's portal page. Source:
    https://developers.telnyx.com/docs/development/sdk/python/webhooks
    """

    public_key: str
    clock: Callable[[], float] = time.time

    def accepts(self, request: SignedRequest) -> bool:
        stamp = request.headers.get("telnyx-timestamp", "")
        if not stamp.isascii() or not stamp.isdigit() or len(stamp) > 12:
            return False
        if abs(self.clock() - int(stamp)) > MAX_AGE_S:
            return False
        try:
            key = Ed25519PublicKey.from_public_bytes(base64.b64decode(self.public_key))
            signature = base64.b64decode(
                request.headers.get("telnyx-signature-ed25519", ""), validate=True
            )
            key.verify(signature, f"{stamp}|".encode() + request.body)
        except (InvalidSignature, ValueError, binascii.Error):
            return False
        return True


@dataclass(frozen=True)
class PlivoSignature:
    """``X-Plivo-Signature-V3``: base64 HMAC-SHA256 of URL, sorted fields and a nonce.

    The headers may hold several signatures, one for each valid token of the account; the
    main account's come in ``X-Plivo-Signature-MA-V3``. Source:
    https://www.plivo.com/docs/voice/concepts/signature-validation and the test values of
    Plivo's own libraries.
    """

    auth_token: str

    def accepts(self, request: SignedRequest) -> bool:
        nonce = request.headers.get("x-plivo-signature-v3-nonce", "")
        if not nonce:
            return False
        expected = _hmac64(self.auth_token, f"{self._signed_url(request)}.{nonce}", "sha256")
        names = ("x-plivo-signature-v3", "x-plivo-signature-ma-v3")
        given = ",".join(request.headers.get(name, "") for name in names).split(",")
        return any(_same(one.strip(), expected) for one in given)

    def _signed_url(self, request: SignedRequest) -> str:
        parts = urlsplit(request.url)
        query = _joined(parse_qs(parts.query, keep_blank_values=True), "{}={}", "&")
        fields = _joined(request.form or {}, "{}{}", "")
        url = f"{parts.scheme}://{parts.netloc}{parts.path}"
        if query or fields:
            url += "?" + query
        return url + ("." if query and fields else "") + fields


@dataclass(frozen=True)
class BasicAuth:
    """HTTP basic authentication, for a carrier that signs nothing (Exotel)."""

    user: str
    password: str

    def accepts(self, request: SignedRequest) -> bool:
        wanted = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return _same(request.headers.get("authorization", ""), f"Basic {wanted}")


@dataclass(frozen=True)
class NoSignature:
    """Accepts everything: for a server that only this machine can reach."""

    def accepts(self, request: SignedRequest) -> bool:
        return True


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def _hmac64(key: str, text: str, digest: str) -> str:
    mac = hmac.new(key.encode(), text.encode(), getattr(hashlib, digest))
    return base64.b64encode(mac.digest()).decode()


def _joined(fields: Form, pair: str, between: str) -> str:
    return between.join(
        pair.format(name, value) for name in sorted(fields) for value in sorted(fields[name])
    )


_STANDARD_PORTS = {"https": 443, "http": 80}


def _with_and_without_port(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    port = parts.port or _STANDARD_PORTS.get(parts.scheme)
    host = parts.netloc.rsplit(":", 1)[0] if parts.port else parts.netloc
    rest = url[len(parts.scheme) + 3 + len(parts.netloc) :]
    return f"{parts.scheme}://{host}{rest}", f"{parts.scheme}://{host}:{port}{rest}"
