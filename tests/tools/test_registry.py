"""A tool is found by its name or ``module:function``; a wrong name says what was meant."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bot.tools import ToolContext, load_tools
from bot.tools.registry import BUILT_IN
from speech.errors import UsageError
from tests.tools.fakes import FakeVoice


def context() -> ToolContext:
    return ToolContext(say=FakeVoice().say)


def test_the_built_in_ones_by_name() -> None:
    tools = load_tools(list(BUILT_IN), context())
    assert [tool.name for tool in tools] == list(BUILT_IN)
    assert [tool.schema.name for tool in tools] == list(BUILT_IN)
    assert load_tools((), context()) == []


async def test_a_function_dropped_in_a_module_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = (
        '"""Mine."""\ndef greet(name: str) -> str:\n    """Greet."""\n    return f"Hi {name}"\n'
    )
    (tmp_path / "dropped_tools.py").write_text(module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    (tool,) = load_tools(["dropped_tools:greet"], context())
    assert await tool.call({"name": "Ada"}) == {"result": "Hi Ada"}
    with pytest.raises(UsageError, match="no function 'gret'; did you mean 'greet'"):
        load_tools(["dropped_tools:gret"], context())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("current_tim", "did you mean 'current_time'"),
        ("weather", "there are current_time, set_timer"),
        ("no_such_module_here:f", "cannot import 'no_such_module_here': ModuleNotFoundError"),
        ("math:pi", "no function 'pi'"),
        ("pathlib:Path", "no function 'Path'"),
        ("", "no tool ''"),
        (":f", "cannot import"),
        ("math:", "no function ''"),
    ],
)
def test_wrong_names(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        load_tools([name], context())
    assert "\n" not in str(caught.value)


def test_two_tools_of_one_name() -> None:
    with pytest.raises(UsageError, match="two tools named 'set_timer'"):
        load_tools(["set_timer", "bot.tools.timer:set_timer"], context())
