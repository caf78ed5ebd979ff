"""The espeak-ng that comes with the package, loaded so that it leaves nothing behind."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import espeakng_loader
from phonemizer.backend.espeak import wrapper
from phonemizer.backend.espeak.api import EspeakAPI


class TracelessEspeakAPI(EspeakAPI):
    """phonemizer's, whose copy of the library is gone from the temporary folder once loaded.

    phonemizer copies the library for every instance and removes the copy when the interpreter
    ends in order, which a killed process does not and ours leaves out (``bot.leaving``). What
    is loaded needs its file no more, except on Windows, where phonemizer's own way stays.
    """

    def __init__(self, library: str | Path, data_path: str | Path | None) -> None:
        super().__init__(library, data_path)
        if sys.platform != "win32":
            shutil.rmtree(self._tempdir, ignore_errors=True)

    @staticmethod
    def _delete(library: object, tempdir: str) -> None:
        """What phonemizer calls at last: by then there is nothing left to remove."""
        shutil.rmtree(tempdir, ignore_errors=True)


def use_bundled_espeak() -> None:
    """From now on phonemizer, and misaki by it, reads with the package's own espeak-ng."""
    wrapper.EspeakWrapper.set_data_path(espeakng_loader.get_data_path())
    wrapper.EspeakWrapper.set_library(espeakng_loader.get_library_path())
    wrapper.EspeakAPI = TracelessEspeakAPI
