"""The figures of the policy, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BargeInConfig:
    """Seconds and probabilities; every value can be configured.

    The window is long because it is cheap: the bot is silent from the duck on, so the user is
    not talked over while the policy makes up its mind.
    """

    confident: float = 0.5
    """Speech probability that begins a stretch: Silero's own threshold. A turn wants more
    (``vad.confidence``); falling silent in vain costs little and is undone."""
    sure: float = 0.8
    """Probability of a frame that is believed without a second one; above 1: none is. A click or
    a knock rarely reaches it, and the user's first syllable mostly does in its second frame."""
    keep: float = 0.4
    """Probability that goes on with it: weak syllables dip, and hysteresis bridges them."""
    echo_at_most: float = 0.5
    """A frame more likely the bot's own sound than not is no voice of the user."""
    onset_s: float = 0.045
    """A click is one Silero frame (32 ms). The second is believed as it comes; if it is later than
    that, so is the voice. 0 for a detector that smooths by itself and says on and off."""
    quiet_s: float = 0.2
    """Silence that ends a stretch: pipecat's ``stop_secs``; stop consonants are under 0.15 s."""
    brief_s: float = 0.3
    """A stretch shorter than that holds no word worth waiting for: clicks, knocks, half a cough."""
    cut_after_s: float = 0.8
    """Voice in a stretch that cuts without words; of the time before the duck ``onset_s`` counts,
    as that voice may have been the bot's echo, which ends with its sound. Of 7,044 coughs the
    median lasts 0.42 s, "some" more than 0.5 s (bohemia.team/halfsecond, Hyfe 2022); the "mm-hm"
    of case C08 has 0.35 s. LiveKit's 0.5 s and Vapi's 0.2 s cut into both."""
    window_s: float = 1.2
    """From duck to decision at the latest: a word of 0.4 s, 0.2 s until its end is believed and
    0.5 s of whisper tiny.en on one thread (notes: 0.5 s for 5 s of speech)."""
    partial_words: int = 2
    """Words of a partial transcript that cut: one word alone is often revised."""
    sure_logprob: float = -0.4
    """Mean log probability below which the words of a stretch shorter than ``cut_after_s`` may be
    none. whisper tiny.en made "Tim" and "I'm saying" of hums: of 28 in four voices, none a
    command, 26 were below; of 44 short sentences 11, most of them misheard."""
    words_wait_s: float = 1.5
    """After a cut without words: silence until the words must have come (0.7 s as above, doubled
    for a busy machine). Leaves half of the 3 s in which case C09 wants its answer."""
    give_up_s: float = 30.0
    """After a cut without words: a detector that still hears voice then is stuck. Whisper's
    window, within which a recogniser gives words of somebody who does speak."""
    protect_s: float = 3.0
    """Of the first sound: WebRTC's canceller takes 23 dB in its first 3 s and 47 dB later
    (notes/components.md). LiveKit and unmute wait as long. 0 with headphones and on the phone."""
    false_alarms: int = 3
    """Ducks without consequence in one reply; then only words count. A loudspeaker that leaks
    into the microphone would otherwise make the bot stutter through its whole reply."""

    def __post_init__(self) -> None:
        if not 0 < self.keep <= self.confident <= min(self.sure, 1):
            raise ValueError("0 < keep <= confident <= 1 and <= sure is required")
        if not 0 <= self.onset_s <= self.brief_s <= self.cut_after_s <= self.window_s:
            raise ValueError("0 <= onset_s <= brief_s <= cut_after_s <= window_s is required")
        if min(self.quiet_s, self.words_wait_s, self.give_up_s, self.protect_s) < 0:
            raise ValueError("times are not negative")
        if self.partial_words < 1 or self.false_alarms < 1:
            raise ValueError("partial_words and false_alarms are at least 1")
