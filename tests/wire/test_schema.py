"""The schema document in the repository is that of the messages' classes."""

from __future__ import annotations

import json
from typing import Any

from speech.wire import Code
from speech.wire.client import CLIENT_MESSAGES
from speech.wire.schema import document, kept, text
from speech.wire.service import SERVER_MESSAGES


def test_the_file_is_what_is_generated() -> None:
    assert kept() == text(), "run: python -m speech.wire.schema > speech/wire/schema.json"


def test_every_message_is_in_it_and_every_reference_leads_somewhere() -> None:
    definitions = document()["$defs"]
    for message in (*CLIENT_MESSAGES, *SERVER_MESSAGES):
        schema = definitions[f"V1{message.__name__}"]
        assert schema["properties"]["type"]["const"]
        assert "type" in schema["required"]
        assert schema["description"]
    assert {ref.removeprefix("#/$defs/") for ref in _refs(document())} <= set(definitions)


def test_every_error_code_is_explained() -> None:
    codes = {entry["code"]: entry for entry in document()["x-error-codes"]}
    assert codes.keys() == {code.value for code in Code}
    assert all(entry["meaning"] for entry in codes.values())


def test_it_is_json_that_any_program_reads() -> None:
    assert json.loads(kept())["$schema"].endswith("2020-12/schema")


def _refs(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(_refs, value.values()))
    if isinstance(value, list):
        return set().union(*map(_refs, value))
    return set()
