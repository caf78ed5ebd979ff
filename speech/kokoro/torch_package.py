"""The ``kokoro`` package's network and its official weights, from a local folder."""

from __future__ import annotations

import importlib
import importlib.util
import io
import json
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import torch
from torch.nn.utils import remove_weight_norm

from speech.errors import ModelFileError, UsageError

LOWEST_TORCH = (2, 10)
"""``torch.load`` of earlier ones is unsafe even with ``weights_only`` (PYSEC-2026-2286)."""

INSTALL = "pip install 'earshot[gpu]' (Python below 3.13)"
_REPOSITORY = "hexgrad/Kokoro-82M"
_PARTS = ("bert", "bert_encoder", "predictor", "decoder", "text_encoder")
_DATA_PARALLEL = "module."


def load_network(folder: Path) -> Any:
    """The package's ``KModel`` with the weights of ``folder``, on the CPU, in eval mode.

    ``folder`` holds ``config.json`` and one ``*.pth``, as published. Raises
    ``ModelFileError`` for files that are absent or not Kokoro's, ``UsageError`` where the
    package is missing.
    """
    module = _package()
    config, checkpoint = _config(folder), _checkpoint(folder)
    try:
        network = build(module, config)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ModelFileError(f"{folder / 'config.json'} is not Kokoro's: {error!r}") from error
    _fill(network, _read(checkpoint), checkpoint)
    _fold_weight_norms(network)
    return network


def build(module: Any, config: dict[str, Any]) -> Any:
    """A ``KModel`` in eval mode with the initial random weights."""
    nothing = io.BytesIO()
    torch.save({}, nothing)
    nothing.seek(0)
    with warnings.catch_warnings():
        # About the package's own style: an old weight_norm, dropout in one-layer LSTMs.
        warnings.simplefilter("ignore")
        return module.KModel(_REPOSITORY, config, nothing).eval()


def _package() -> Any:
    """``kokoro.model``, without the package's ``__init__``.

    That removes every handler of the process's log and imports the package's own
    grapheme-to-phoneme code, spaCy included, none of which is used here.
    """
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if version < LOWEST_TORCH:
        raise UsageError(f"torch {torch.__version__} is older than 2.10; {INSTALL}")
    if "kokoro" in sys.modules:
        return importlib.import_module("kokoro.model")
    spec = importlib.util.find_spec("kokoro")
    if spec is None or spec.submodule_search_locations is None:
        raise UsageError(f"the kokoro package is not installed; {INSTALL}")
    bare = types.ModuleType("kokoro")
    bare.__path__ = list(spec.submodule_search_locations)
    sys.modules["kokoro"] = bare
    try:
        return importlib.import_module("kokoro.model")
    except ImportError as error:
        raise UsageError(f"the kokoro package cannot be imported ({error}); {INSTALL}") from error
    finally:
        # A later ``import kokoro`` by someone else gets the real one.
        del sys.modules["kokoro"]


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        config = json.loads(path.read_bytes())
    except OSError as error:
        raise ModelFileError(_absent(path.name, folder)) from error
    except ValueError as error:
        raise ModelFileError(f"{path} is not JSON: {error}") from error
    if not isinstance(config, dict) or not isinstance(config.get("vocab"), dict):
        raise ModelFileError(f"{path} is not Kokoro's: it has no vocabulary")
    return config


def _checkpoint(folder: Path) -> Path:
    found = sorted(folder.glob("*.pth"))
    if not found:
        raise ModelFileError(_absent("kokoro-v1_0.pth", folder))
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise ModelFileError(f"{folder} holds several checkpoints ({names}); leave one")
    return found[0]


def _absent(name: str, folder: Path) -> str:
    return f"no {name} in {folder}; put {_REPOSITORY}'s config.json and kokoro-v1_0.pth there"


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # pickle, zip, type and value errors share no base
        raise ModelFileError(
            f"{path} cannot be read ({type(error).__name__}); fetch it again"
        ) from error
    if not isinstance(state, dict) or not all(isinstance(state.get(p), dict) for p in _PARTS):
        raise ModelFileError(f"{path} is not a Kokoro checkpoint: it lacks {', '.join(_PARTS)}")
    return state


def _fill(network: Any, state: dict[str, dict[str, Any]], path: Path) -> None:
    """Load every weight; the package itself would pass over missing ones in silence."""
    for name in _PARTS:
        plain = {key.removeprefix(_DATA_PARALLEL): value for key, value in state[name].items()}
        try:
            missing = getattr(network, name).load_state_dict(plain, strict=False).missing_keys
        except RuntimeError as error:
            raise ModelFileError(f"{path} does not fit config.json in {name}") from error
        lost = [key for key in missing if not _is_identity(key)]
        if lost:
            raise ModelFileError(
                f"{path} is not a Kokoro checkpoint: {name} lacks {len(lost)} weights, "
                f"{lost[0]} among them"
            )


def _is_identity(key: str) -> bool:
    """Whether the weight may be absent.

    The norms' own affine pair came after the weights were published, for the exporter's
    sake, and stays one and zero.
    """
    return key.endswith((".norm.weight", ".norm.bias"))


def _fold_weight_norms(network: Any) -> None:
    """Compute each normed weight once instead of at every call (which no two threads may do)."""
    for module in network.modules():
        if hasattr(module, "weight_g"):
            remove_weight_norm(module)
