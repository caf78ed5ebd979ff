"""What a server says of itself is not repeated: it may hold the text it was given."""

from __future__ import annotations

import pytest

from speech.engines.remote.incoming import IncomingUnit
from speech.engines.remote.talk0 import _failure
from speech.engines.remote.told import code_in, says
from speech.errors import EngineBusyError, EngineError
from speech.wire import Error

SECRET = "call my doctor at 555 0199"


@pytest.mark.parametrize("said", ["queue_saturated", "idle", "e42"])
def test_a_code_is_repeated(said: str) -> None:
    assert code_in(said) == said
    assert said in says(said)


@pytest.mark.parametrize("said", [SECRET, "", "a" * 21, "a_b_c_d_e_f", "a\nb", "Text", "a__b"])
def test_words_are_not(said: str) -> None:
    assert code_in(said) == ""
    assert says(said) == "the speech server says no"


def test_a_known_code_is_explained_in_our_words() -> None:
    assert says("text_too_long").endswith(": The unit's text is longer than the session's limit.")


@pytest.mark.parametrize("code", ["synthesis_failed", "text_too_long", "of_later", SECRET])
def test_no_error_of_a_unit_holds_what_was_said(code: str) -> None:
    with pytest.raises(EngineError) as caught:
        IncomingUnit("u", "1").message(Error(code, f"cannot say {SECRET!r}", False, "1"))
    assert SECRET not in str(caught.value)
    assert SECRET not in str(_failure(f"synthesis failed: {SECRET}"))


def test_a_full_container_is_busy_whatever_else_it_says() -> None:
    assert isinstance(_failure(f"queue_full: {SECRET}"), EngineBusyError)
