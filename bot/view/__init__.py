"""What ``earshot talk`` shows: a pure state, two ways to paint it, one thread that paints."""

from bot.view.state import ViewState
from bot.view.view import View, open_view

__all__ = ["View", "ViewState", "open_view"]
