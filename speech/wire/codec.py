"""Messages of version 1 as text, and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Generic, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from speech.wire.client import CLIENT_MESSAGES, ClientMessage, Hello
from speech.wire.errors import Code, WireError
from speech.wire.fields import MAX_ID_CHARS, VERSION
from speech.wire.json_text import MAX_MESSAGE_BYTES, as_bytes, read_object
from speech.wire.service import SERVER_MESSAGES, ServerMessage

M = TypeVar("M")


_adapters: dict[type[Any], TypeAdapter[Any]] = {}


def adapter(message: type[Any]) -> TypeAdapter[Any]:
    """Reads and writes one kind of message; built once, which takes milliseconds."""
    if message not in _adapters:
        _adapters[message] = TypeAdapter(message)
    return _adapters[message]


def encode(message: Any) -> str:
    """The message as JSON; fields that are None are left out."""
    return adapter(type(message)).dump_json(message, exclude_none=True).decode()


class Vocabulary(Generic[M]):
    """The messages that one side may send."""

    def __init__(self, messages: Iterable[type[M]]) -> None:
        self.messages = {type_of(message): message for message in messages}

    def parse(self, raw: str | bytes, limit: int = MAX_MESSAGE_BYTES) -> M:
        """The message; fields it does not know are passed over. Raises ``WireError``."""
        data = as_bytes(raw, limit)
        return self.parse_object(read_object(data), data)

    def parse_object(self, read: dict[str, Any], data: bytes) -> M:
        """As ``parse``, of a message that has been read: ``data`` is its JSON."""
        kind = read.get("type")
        message = self.messages.get(kind) if isinstance(kind, str) else None
        if message is None:
            raise WireError(Code.UNKNOWN_TYPE, self._known(), unit_id_of(read))
        if message is Hello:
            _check_version(read.get("version"))
        return validated(message, read, data)

    def _known(self) -> str:
        return f"A message's type is one of {', '.join(self.messages)}."


def validated(message: type[M], read: dict[str, Any], data: bytes) -> M:
    """``data`` as a message of this kind. Raises ``WireError`` (bad_field)."""
    try:
        return cast(M, adapter(message).validate_json(data, strict=True))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "message"
        raise WireError(Code.BAD_FIELD, f"{place}: {first['msg']}.", unit_id_of(read)) from None


def unit_id_of(read: dict[str, Any]) -> str | None:
    """The unit that a message names, if it is fit to be repeated."""
    unit_id = read.get("id")
    fits = isinstance(unit_id, str) and 0 < len(unit_id) <= MAX_ID_CHARS
    return unit_id if fits and unit_id != "all" else None


def _check_version(version: Any) -> None:
    if isinstance(version, int) and not isinstance(version, bool) and version != VERSION:
        raise WireError(Code.WRONG_VERSION, f"This side speaks version {VERSION} (and 0).")


def type_of(message: type[Any]) -> str:
    """The ``type`` that messages of this kind carry."""
    return next(str(field.default) for field in fields(message) if field.name == "type")


CLIENT: Vocabulary[ClientMessage] = Vocabulary(CLIENT_MESSAGES)
SERVER: Vocabulary[ServerMessage] = Vocabulary(SERVER_MESSAGES)


def parse_client(raw: str | bytes, limit: int = MAX_MESSAGE_BYTES) -> ClientMessage:
    """What a client said; text or binary frame alike. Raises ``WireError``."""
    return CLIENT.parse(raw, limit)


def parse_server(raw: str | bytes, limit: int = MAX_MESSAGE_BYTES) -> ServerMessage:
    """What the server said in a text frame. Raises ``WireError``."""
    return SERVER.parse(raw, limit)
