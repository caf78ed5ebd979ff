"""From the parts of SageMaker's stream to the frames that the container sent."""

from __future__ import annotations

LARGEST_BYTES = 16 * 1024 * 1024
"""Of a frame: what the event-stream format allows a single part to be."""


class PartJoiner:
    """Joins parts up to the one that is COMPLETE; SageMaker passes fragments on as they are.

    A character may be cut between two parts. The first part's ``DataType`` tells text from
    binary; parts without one are binary.
    """

    def __init__(self, largest_bytes: int = LARGEST_BYTES) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._is_text = False
        self._largest_bytes = largest_bytes

    def take(self, data: bytes, data_type: str | None, *, is_last: bool) -> str | bytes | None:
        """The frame that this part completes, if it does.

        Raises ``ValueError`` for a frame that is too large, and for text that is no UTF-8.
        """
        if not self._pieces:
            self._is_text = data_type == "UTF8"
        self._pieces.append(data)
        self._size += len(data)
        if self._size > self._largest_bytes:
            raise ValueError(f"a frame over {self._largest_bytes} bytes")
        if not is_last:
            return None
        frame = b"".join(self._pieces)
        self._pieces, self._size = [], 0
        if not self._is_text:
            return frame
        try:
            return frame.decode()
        except UnicodeDecodeError as error:
            raise ValueError("text that is not UTF-8") from error
