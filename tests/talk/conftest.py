"""The virtual sound card for these tests."""

from tests.soundcard.fixtures import virtual_card

__all__ = ["virtual_card"]
