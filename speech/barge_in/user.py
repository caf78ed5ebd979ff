"""The user's side: voice, key and words as they stand."""

from __future__ import annotations

from speech.barge_in.config import BargeInConfig
from speech.barge_in.events import Voice, Words
from speech.barge_in.rules import Seen
from speech.barge_in.stretch import Stretch
from speech.barge_in.words import Sort, WordSorter


class User:
    """What the microphone, the recogniser and the talk key have said.

    ``needs_key``: with the key up there is no voice, and words count only for a while after it.
    """

    def __init__(self, config: BargeInConfig, words: WordSorter, needs_key: bool) -> None:
        self.words = words
        self._wait_s = config.words_wait_s
        self._sure_logprob, self._long_s = config.sure_logprob, config.cut_after_s
        self._onset_s = config.onset_s
        self._needs_key = needs_key
        self._stretch = Stretch(config)
        self._key_down = False
        self._key_up_at = float("-inf")

    @property
    def speaking(self) -> bool:
        """Whether there is voice now."""
        return self._stretch.speaking

    def settle(self, settled: bool = True) -> None:
        """This stretch was decided upon: only words decide anew."""
        self._stretch.settled = settled

    def ducked(self, now: float) -> None:
        """The bot falls silent: only voice that outlasts its sound tells a user from an echo."""
        self._stretch.trim(now, self._onset_s)

    def voice(self, frame: Voice, now: float) -> bool:
        """Take a frame; whether a new stretch begins."""
        if self._needs_key and not self._key_down:
            frame = Voice(frame.at, 0.0)
        return self._stretch.feed(frame, now)

    def key(self, down: bool, now: float) -> bool:
        """Take the key; whether it was pressed just now."""
        pressed = down and not self._key_down
        if self._key_down and not down:
            self._key_up_at = now
            if self._needs_key:
                self._stretch.feed(Voice(now, 0.0), now)
        self._key_down = down
        return pressed

    def may_say(self, now: float) -> bool:
        """Whether words that come now may be the user's."""
        held = self._key_down or now - self._key_up_at <= self._wait_s
        return held or not self._needs_key

    def sort(self, event: Words, now: float, asked: bool) -> Sort:
        """What kind of words; ``asked``: the bot has just asked something. Whoever presses a key
        to say "okay" wants it to be heard."""
        asked = asked or self._needs_key
        began = self._stretch.began if event.began is None else event.began
        sort = self.words.sort(event.text, now=now, began=began, asked=asked)
        unsure = sort is Sort.REAL and not asked and self._may_be_none(event, now)
        return Sort.UNSURE if unsure else sort

    def _may_be_none(self, event: Words, now: float) -> bool:
        unsure = event.logprob is not None and event.logprob < self._sure_logprob
        return unsure and self._stretch.voiced_s(now) < self._long_s

    def quiet_since(self, now: float) -> float | None:
        """Since when there is neither voice nor key; None: there is voice; infinite: the key."""
        if self._key_down:
            return float("inf")
        if self._stretch.speaking:
            return None
        return max(now - self._stretch.quiet_s(now), self._key_up_at)

    def seen(self, now: float, ducked_s: float | None, pressed: bool = False) -> Seen:
        """For the rules, without words."""
        stretch = self._stretch
        return Seen(
            now=now,
            speaking=stretch.speaking,
            sure=stretch.sure,
            settled=stretch.settled,
            voiced_s=stretch.voiced_s(now),
            quiet_s=stretch.quiet_s(now),
            ducked_s=ducked_s,
            pressed=pressed,
        )
