"""The time and date, here or in another place."""

from __future__ import annotations

import difflib
import functools
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

from bot.tools.context import ToolContext, ToolError

CLOSE_ENOUGH = 0.8
"""One letter off in five. Six hundred names lie close together: less guesses wildly."""

COUNTRIES = {
    "china": "Asia/Shanghai",
    "england": "Europe/London",
    "france": "Europe/Paris",
    "germany": "Europe/Berlin",
    "india": "Asia/Kolkata",
    "italy": "Europe/Rome",
    "japan": "Asia/Tokyo",
    "spain": "Europe/Madrid",
    "uk": "Europe/London",
    "united kingdom": "Europe/London",
}
"""Names people say that the zone database lacks. Countries with several zones are left out:
there the model is told to name a city."""

CITIES = {
    "beijing": "Asia/Shanghai",
    "bangalore": "Asia/Kolkata",
    "boston": "America/New_York",
    "delhi": "Asia/Kolkata",
    "frankfurt": "Europe/Berlin",
    "miami": "America/New_York",
    "milan": "Europe/Rome",
    "montreal": "America/Toronto",
    "mumbai": "Asia/Kolkata",
    "munich": "Europe/Berlin",
    "new delhi": "Asia/Kolkata",
    "san francisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles",
    "washington": "America/New_York",
}
"""Large cities that do not name a zone of their own."""


async def current_time(context: ToolContext, place: str | None = None) -> dict[str, str]:
    """The time and the date now.

    Args:
        place: A large city or an IANA time zone, such as Tokyo or Europe/Paris. Leave it
            out for the time here.
    """
    now = context.clock.now()
    if place is None or not place.strip() or place.strip().lower() in ("here", "local"):
        return _spoken(now) | {"place": "here"}
    zone = find_zone(place)
    return _spoken(now.astimezone(ZoneInfo(zone))) | {"place": place.strip(), "zone": zone}


def _spoken(when: datetime) -> dict[str, str]:
    hour = when.hour % 12 or 12
    return {
        "time": f"{hour}:{when.minute:02d} {'AM' if when.hour < 12 else 'PM'}",
        "date": f"{when:%A}, {when.day} {when:%B} {when.year}",
    }


def find_zone(place: str) -> str:
    """The IANA zone of a city, a country with one zone, or a zone's own name.

    Raises ``ToolError`` with a sentence that can be said.
    """
    wanted = place.split(",")[0].strip().lower()
    zones = _zones()
    for candidate in (place.strip().lower(), wanted):
        if candidate in zones:
            return zones[candidate]
    guess = difflib.get_close_matches(wanted, zones, 1, CLOSE_ENOUGH)
    hint = f"Did you mean {guess[0].title()}?" if guess else "Name a large city, such as Paris."
    raise ToolError(f"I do not know the time zone of {place.strip()}. {hint}")


@functools.cache
def _zones() -> dict[str, str]:
    """Zones by their own name and by their city's, in lower case with spaces."""
    known = sorted(available_timezones())
    zones = {zone.lower(): zone for zone in known}
    for zone in known:
        if "/" in zone and not zone.startswith(("Etc/", "SystemV/", "posix/", "right/")):
            zones.setdefault(zone.rsplit("/", 1)[-1].replace("_", " ").lower(), zone)
    return zones | COUNTRIES | CITIES
