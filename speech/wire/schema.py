"""The protocol as a JSON schema document, made of the messages' classes.

``python -m speech.wire.schema > speech/wire/schema.json`` writes the file that is kept in the
repository and served at ``GET /schema``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from speech.wire.client import CLIENT_MESSAGES, Close
from speech.wire.codec import adapter
from speech.wire.errors import Code
from speech.wire.fields import VERSION
from speech.wire.frame import AUDIO, MAX_FRAME_BYTES
from speech.wire.json_text import MAX_MESSAGE_BYTES
from speech.wire.service import SERVER_MESSAGES
from speech.wire.version0 import SERVER_MESSAGES_0, Synthesize

_HEADER = (
    ("version", "uint8", VERSION),
    ("kind", "uint8", AUDIO),
    ("reserved", "uint16", 0),
    ("unit", "uint32", None),
    ("sequence", "uint32", None),
    ("first_sample", "uint32", None),
)


def document() -> dict[str, Any]:
    """Every message under ``$defs``; which side sends it in which version under ``x-versions``.

    The document itself accepts any one message.
    """
    definitions: dict[str, Any] = {}
    ours, theirs = (
        _refs(messages, "V1", definitions) for messages in (CLIENT_MESSAGES, SERVER_MESSAGES)
    )
    theirs0 = _refs(SERVER_MESSAGES_0, "V0", definitions)
    ours0 = [*_refs((Synthesize,), "V0", definitions), _ref(f"V1{Close.__name__}")]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Earshot's speech protocol",
        "anyOf": [*ours, *theirs, *ours0[:1], *theirs0],
        "x-versions": {
            "0": {"client": ours0, "server": theirs0, "audio": "bare PCM16LE, mono"},
            "1": {"client": ours, "server": theirs, "audio": _frame()},
        },
        "x-error-codes": [_code(code) for code in Code],
        "x-max-message-bytes": MAX_MESSAGE_BYTES,
        "$defs": definitions,
    }


def text() -> str:
    """The document as it is kept in the repository."""
    return json.dumps(document(), indent=1, sort_keys=True) + "\n"


def kept() -> str:
    """The document that is installed with this package."""
    return files("speech.wire").joinpath("schema.json").read_text(encoding="utf-8")


def _refs(
    messages: Sequence[type[Any]], prefix: str, definitions: dict[str, Any]
) -> list[dict[str, str]]:
    for message in messages:
        template = f"#/$defs/{prefix}{{model}}"
        schema = adapter(message).json_schema(ref_template=template)
        for name, inner in schema.pop("$defs", {}).items():
            definitions[prefix + name] = inner
        if "type" in schema["properties"]:
            schema["required"] = ["type", *schema.get("required", [])]
        definitions[prefix + message.__name__] = schema
    return [_ref(prefix + message.__name__) for message in messages]


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _frame() -> dict[str, Any]:
    return {
        "frame": "binary",
        "byte_order": "little",
        "max_bytes": MAX_FRAME_BYTES,
        "header": [
            {"name": name, "type": kind} | ({} if value is None else {"value": value})
            for name, kind, value in _HEADER
        ],
        "payload": "PCM16LE, mono, at the session's rate",
    }


def _code(code: Code) -> dict[str, Any]:
    return {
        "code": code.value,
        "meaning": code.meaning,
        "retryable": code.retryable,
        "ends_unit": code.ends_unit,
    }


if __name__ == "__main__":
    sys.stdout.write(text())
