"""Guards: only Kokoro's own weights are spoken with, and loading leaves the process alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

torch = pytest.importorskip("torch", reason="torch: scripts/second_python.sh")

from speech.errors import ModelFileError, UsageError  # noqa: E402
from speech.kokoro import torch_package  # noqa: E402
from speech.kokoro.torch_package import load_network  # noqa: E402
from speech.kokoro.torch_streaming import choose_device, choose_half  # noqa: E402
from tests.kokoro_torch.networks import Torch, published_config  # noqa: E402

pytestmark = pytest.mark.second_python

PARTS: dict[str, dict[str, Any]] = {
    part: {} for part in ("bert", "bert_encoder", "predictor", "decoder", "text_encoder")
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps(published_config()))
    return tmp_path


class TestFiles:
    def test_an_absent_folder_says_what_to_put_there(self, tmp_path: Path) -> None:
        with pytest.raises(ModelFileError, match=r"no config\.json in .*; put hexgrad/Kokoro-82M"):
            load_network(tmp_path / "nowhere")

    def test_an_absent_checkpoint(self, folder: Path) -> None:
        with pytest.raises(ModelFileError, match=r"no kokoro-v1_0\.pth in "):
            load_network(folder)

    def test_two_checkpoints_are_one_too_many(self, folder: Path) -> None:
        for name in ("kokoro-v1_0.pth", "kokoro-v1_1-zh.pth"):
            (folder / name).touch()
        with pytest.raises(ModelFileError, match=r"kokoro-v1_0\.pth, kokoro-v1_1-zh\.pth"):
            load_network(folder)

    @pytest.mark.parametrize("config", ["{", "[]", "{}", '{"vocab": {}}', '{"vocab": 3}'])
    def test_another_config(self, folder: Path, config: str) -> None:
        (folder / "config.json").write_text(config)
        (folder / "x.pth").touch()
        with pytest.raises(ModelFileError, match=r"config\.json is not "):
            load_network(folder)

    @pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 cut off"])
    def test_a_damaged_checkpoint(self, folder: Path, content: bytes) -> None:
        (folder / "x.pth").write_bytes(content)
        with pytest.raises(ModelFileError, match=r"x\.pth cannot be read .*; fetch it again"):
            load_network(folder)

    def test_a_checkpoint_that_runs_code_is_refused(self, folder: Path) -> None:
        torch.save({"bert": Path("/")}, folder / "x.pth")
        with pytest.raises(ModelFileError, match="cannot be read"):
            load_network(folder)

    @pytest.mark.parametrize("state", [[], {}, {**PARTS, "bert": 1}], ids=str)
    def test_another_models_checkpoint(self, folder: Path, state: object) -> None:
        torch.save(state, folder / "x.pth")
        with pytest.raises(ModelFileError, match="not a Kokoro checkpoint"):
            load_network(folder)

    def test_missing_weights_are_not_left_random(self, folder: Path) -> None:
        """The package itself passes over them in silence."""
        torch.save(PARTS, folder / "x.pth")
        with pytest.raises(ModelFileError, match=r"bert lacks \d+ weights"):
            load_network(folder)

    def test_weights_of_another_shape(self, folder: Path) -> None:
        torch.save({**PARTS, "bert": {"pooler.bias": torch.zeros(3)}}, folder / "x.pth")
        with pytest.raises(ModelFileError, match=r"does not fit config\.json in bert"):
            load_network(folder)


class TestProcess:
    def test_the_log_keeps_its_handlers(self, kokoro: Torch) -> None:
        """The package's own import removes all of them."""
        seen: list[str] = []
        handler = logger.add(seen.append, format="{message}")
        try:
            torch_package._package()
            logger.info("still here")
        finally:
            logger.remove(handler)
        assert seen == ["still here\n"]

    def test_the_package_is_left_for_others_to_import(self, kokoro: Torch) -> None:
        assert "kokoro" not in sys.modules
        assert "misaki" not in sys.modules

    def test_no_gradients_are_kept(self, kokoro: Torch) -> None:
        assert not any(weight.requires_grad for weight in kokoro.model._network.parameters())

    def test_the_vocabulary_is_the_configs(self, kokoro: Torch) -> None:
        assert kokoro.model.vocabulary == published_config()["vocab"]

    def test_a_missing_package_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(UsageError, match=r"kokoro package is not installed; pip install"):
            torch_package._package()

    @pytest.mark.parametrize("version", ["2.9.1+cu128", "1.13.0"])
    def test_a_torch_with_the_unsafe_loader_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, version: str
    ) -> None:
        monkeypatch.setattr(torch, "__version__", version)
        with pytest.raises(UsageError, match=r"older than 2\.10"):
            torch_package._package()


class TestDevice:
    def test_auto_takes_what_there_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
        assert choose_device("auto").type == "cpu"
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
        assert choose_device("auto").type == "mps"
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        assert choose_device("auto").type == "cuda"

    def test_an_absent_device_is_a_usage_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        with pytest.raises(UsageError, match="torch sees no cuda device here"):
            choose_device("cuda:1")

    @pytest.mark.parametrize("name", ["", "gpu", "toaster"])
    def test_an_unknown_device_is_a_usage_error(self, name: str) -> None:
        with pytest.raises(UsageError, match="no such device"):
            choose_device(name)

    @pytest.mark.parametrize("device", ["cpu", "mps"])
    def test_half_precision_is_for_cuda(self, device: str) -> None:
        assert not choose_half(torch.device(device), None)
        assert not choose_half(torch.device(device), False)
        with pytest.raises(UsageError, match="half precision needs a CUDA device"):
            choose_half(torch.device(device), True)

    @pytest.mark.parametrize("able", [True, False])
    def test_auto_takes_half_precision_where_the_device_has_it(
        self, able: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: able)
        assert choose_half(torch.device("cuda"), None) is able
        assert choose_half(torch.device("cuda"), True)

    def test_the_model_tells_what_it_computes_in(self, kokoro: Torch) -> None:
        assert kokoro.model.precision == "float32 on cpu"
