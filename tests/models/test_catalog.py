"""The catalog is complete and consistent, and the real cache is what it says."""

from __future__ import annotations

import dataclasses
import re

import pytest

from speech.errors import ModelFileError, UsageError
from speech.models.catalog import CATALOG, Model, find_model
from speech.models.store import check_files, model_dir, models_root
from tests.support import require


@pytest.mark.parametrize("model", CATALOG.values(), ids=lambda model: model.id)
def test_entry_is_complete(model: Model) -> None:
    assert model.licence in ("Apache-2.0", "MIT")
    names = {file.name for file in model.files}
    assert len(names) == len(model.files)
    for file in model.files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.size > 0
        assert "/" not in file.name
    assert model.mirrors or model.hub
    if model.mirrors:
        assert {name for package in model.mirrors[0] for name in package.members} == names
    if model.hub:
        assert set(model.hub.paths) == names
        assert re.fullmatch(r"[0-9a-f]{40}", model.hub.revision)


def test_an_extras_model_is_known_to_be_loadable_without_importing_the_extra() -> None:
    assert CATALOG["kokoro-82m-int8"].loadable
    assert not dataclasses.replace(CATALOG["kokoro-82m-torch"], package="no_such").loadable


def test_voices() -> None:
    voices = CATALOG["kokoro-voices"]
    assert len(voices.files) == 54
    assert {file.size for file in voices.files} == {510 * 256 * 4}
    without_npm = voices.mirrors[1][0].members
    assert "jf_alpha.bin" in without_npm


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("kokoro", "kokoro-82m-int8 or kokoro-voices or kokoro-82m-torch"),
        ("whisper-tiny", "whisper-tiny.en"),
        ("smolm2-135m-instruct", "smollm2-135m-instruct"),
        ("zzzz", "Known: kokoro-82m-int8, kokoro-voices"),
        ("", "Known: "),
    ],
)
def test_unknown_id_names_the_nearest(word: str, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        find_model(word)


@pytest.mark.models
@pytest.mark.parametrize("model", CATALOG.values(), ids=lambda model: model.id)
def test_real_cache_is_sound(model: Model) -> None:
    if not model.loadable:
        pytest.skip(f"{model.package} is not installed")
    try:
        folder = model_dir(model.id)
    except ModelFileError as error:
        require(False, str(error))
        return
    states = check_files(model, folder, "all")
    assert folder == models_root() / model.id
    assert set(states.values()) <= ({"verified", "missing"} if model.any_file else {"verified"})
