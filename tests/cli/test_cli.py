"""Guards: ``earshot`` answers at once, errors are one line, exit codes say what happened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest

from bench.split.contestants import CONTESTANTS
from bench.tts.run import PARTS
from bot import cli
from bot.commands.bench import command as bench
from bot.commands.common import Invocation, earshot_command
from speech.errors import EarshotError, UsageError

HEAVY = ("pipecat", "onnxruntime", "numpy", "rich", "openai")


def run(*words: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *words],
        cwd=cwd, text=True, capture_output=True, timeout=60, check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])} | environ,
    )  # fmt: skip


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A command ``probe`` that fails the way its argument says."""
    faults: dict[str, BaseException] = {
        "known": EarshotError("the disk is full:\nfree some"),
        "usage": UsageError("no such voice"),
        "group": ExceptionGroup("g", [ValueError("x"), ExceptionGroup("h", [UsageError("inner")])]),
        "bug": ValueError("a\nb"),
        "leak": ValueError("key sk-test-0123456789abcd refused"),
        "ctrl-c": KeyboardInterrupt(),
        "exit": SystemExit(3),
    }

    @earshot_command(name="probe", epilog="Example: earshot probe bug")
    @click.argument("what")
    def command(invocation: Invocation, what: str) -> int:
        if what in faults:
            raise faults[what]
        invocation.emit({"voice": invocation.settings.tts.voice, "debug": invocation.debug})
        return int(what) if what.isdigit() else 0

    module = ModuleType("bot.commands.probe")
    module.command = command  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bot.commands.probe", module)
    monkeypatch.setattr(cli, "find_spec", lambda name: name in sys.modules)
    monkeypatch.setitem(cli.COMMANDS, "probe", "Probe.")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("what", "code", "line"),
    [
        ("known", 1, "earshot: the disk is full: free some"),
        ("usage", 2, "earshot: no such voice"),
        ("group", 2, "earshot: inner"),
        ("bug", 1, "earshot: unexpected ValueError: a b; run with --debug"),
        ("ctrl-c", 130, ""),
        ("exit", 3, ""),
        ("4", 4, ""),
        ("fine", 0, ""),
    ],
)
def test_how_a_command_ends(
    what: str, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["probe", what]) == code
    assert capsys.readouterr().err.strip() == line


@pytest.mark.usefixtures("probe")
def test_traceback_only_with_debug(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["probe", "bug", "--debug"]) == 1
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert said.rstrip().endswith("earshot: unexpected ValueError: a b")


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("words", [["probe", "leak"], ["probe", "leak", "--debug"]])
def test_no_error_shows_a_key(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".env").write_text("OPENAI_API_KEY=sk-test-0123456789abcd\n")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert cli.main(words) == 1
    said = capsys.readouterr().err
    assert "key <OPENAI_API_KEY> refused" in said
    assert "0123456789" not in said


@pytest.mark.usefixtures("probe")
def test_shared_options_reach_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.yaml").write_text("tts: {voice: from_file}\n")
    assert cli.main(["probe", "ok", "--config", "c.yaml", "--debug", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"voice": "from_file", "debug": True}
    assert cli.main(["probe", "ok", "--config", "c.yaml", "--set", "tts.voice=flag"]) == 0
    assert json.loads(capsys.readouterr().out)["voice"] == "flag"


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["porbe"], "earshot: no command 'porbe'; did you mean probe?"),
        (["xyzzy"], "earshot: no command 'xyzzy'; see earshot --help"),
        (["probe"], "earshot: Missing argument 'WHAT'."),
        (["probe", "a", "--jsn"], "earshot: No such option '--jsn'"),
        (["probe", "a", "--set", "tts.sped=1"], "did you mean tts.speed?"),
        (["probe", "a", "--config", "nope.yaml"], "earshot: no configuration file nope.yaml"),
    ],
)
def test_wrong_use_is_exit_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_help_is_quick_and_lists_only_what_is_there(tmp_path: Path) -> None:
    code = (
        "import sys; from bot import cli; cli.main(['--help']);"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, text=True, capture_output=True, timeout=60,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}, check=True,
    )  # fmt: skip
    assert done.stderr.strip() == "[]"
    assert "  config " in done.stdout
    assert "  agent " not in done.stdout


def listed() -> list[str]:
    return cli.earshot.list_commands(click.Context(cli.earshot))


@pytest.mark.parametrize("name", listed())
def test_every_command_has_help_with_an_example_and_json(name: str) -> None:
    command = cli.earshot.get_command(click.Context(cli.earshot), name)
    assert command is not None
    leaves = command.commands.values() if isinstance(command, click.Group) else [command]
    for leaf in leaves:
        text = leaf.get_help(click.Context(leaf, info_name=name))
        assert "earshot " in text.partition("Options:")[2], f"{name} {leaf.name}: no example"
        assert "--json" in text, f"{name} {leaf.name}: no --json"


@pytest.mark.parametrize("name", listed())
def test_no_command_needs_the_speech_stack_for_its_help(name: str, tmp_path: Path) -> None:
    code = (
        f"import sys; from bot import cli; cli.main([{name!r}, '--help']);"
        "print([n for n in ('pipecat', 'onnxruntime') if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, text=True, capture_output=True, timeout=60,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}, check=True,
    )  # fmt: skip
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("words", [[], ["models"], ["llm"]])
def test_a_group_without_a_command_shows_its_help(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert lines[0].startswith("Usage: earshot")
    assert "Commands:" in lines


def test_dash_h_is_help_everywhere(tmp_path: Path) -> None:
    """In a process of its own: a command remembers the help option it was first asked with."""
    code = (
        "from bot import cli; [cli.main([*w.split(), '-h']) for w in ('', 'config', 'models list')]"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, text=True, capture_output=True, timeout=60,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}, check=True,
    )  # fmt: skip
    assert done.stdout.count("Usage: earshot") == 3, done.stderr


def test_bench_names_the_parts_that_only_takes() -> None:
    text = bench.get_help(click.Context(bench))
    for part in (*PARTS, *CONTESTANTS):
        assert part in text


def test_version(tmp_path: Path) -> None:
    done = run("--version", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("earshot ")


def test_config_as_json_masks_secrets(tmp_path: Path) -> None:
    key = "sk-test-0123456789abcd"
    (tmp_path / "config.yaml").write_text("tts:\n  voice: am_adam\n")
    done = run("config", "--json", cwd=tmp_path, OPENAI_API_KEY=key, EARSHOT_LLM="embedded")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["values"]["tts"]["voice"] == "am_adam"
    assert record["origins"]["tts.voice"] == "config.yaml line 2"
    assert record["origins"]["llm.provider"] == "EARSHOT_LLM"
    assert record["secrets"]["OPENAI_API_KEY"] == "set (…abcd)"
    assert key not in done.stdout


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_config_shows_no_password_in_a_url(form: tuple[str, ...], tmp_path: Path) -> None:
    url = "--set=stt.base_url=http://user:hunter2@127.0.0.1:9/v1"
    done = run("config", *form, url, cwd=tmp_path, EARSHOT_LLM__BASE_URL="http://hunter2@h/v1")
    assert done.returncode == 0
    assert "hunter2" not in done.stdout + done.stderr
    assert "@127.0.0.1:9/v1" in done.stdout


def test_config_as_text_and_check(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("tts:\n  voice: am_adam\n")
    done = run("config", cwd=tmp_path)
    assert "tts.voice" in done.stdout
    assert "config.yaml line 2" in done.stdout
    assert run("config", "--check", cwd=tmp_path).stdout == "valid: config.yaml\n"
    (tmp_path / "config.yaml").write_text("tts:\n  voise: am_adam\n")
    bad = run("config", "--check", cwd=tmp_path)
    assert bad.returncode == 2
    assert bad.stderr == (
        "earshot: config.yaml line 2: unknown key tts.voise; did you mean tts.voice?\n"
    )


def test_a_secret_that_nobody_reads_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    hint = "OPENAI_API_KEYY is not read; did you mean OPENAI_API_KEY?"
    Path(".env").write_text("OPENAI_API_KEYY=sk-0123456789\nOPENAI_ORG_ID=x\nMY_API_KEY=x\n")
    assert cli.main(["config", "--check"]) == 0
    assert capsys.readouterr().err == f"earshot: .env: {hint}\n"
    assert cli.main(["config", "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hints"] == [hint]


def test_closed_pipe_is_quiet(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "config"], cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
