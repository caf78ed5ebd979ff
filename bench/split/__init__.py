"""``earshot bench split``: how streamed replies are cut into units, by us and by others."""
