"""Guards: the bot's own words are no turn, listening takes no floor, a user who speaks is kept."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.barge_in.config import BargeInConfig
from speech.barge_in.echo import MEMORY_S, REACH_S, WORD_S, EchoGuard
from speech.barge_in.tokens import tokens
from speech.barge_in.vocabulary import BACKCHANNELS, COMMANDS
from speech.barge_in.words import Sort, WordSorter

BOT = "The meeting is on Thursday at ten."


def guard(text: str = BOT, language: str = "en") -> EchoGuard:
    """It sounded from 10 s to 12 s."""
    g = EchoGuard(language)
    g.said(text, 10)
    g.silent(12)
    return g


@pytest.mark.parametrize(
    ("text", "echo"),
    [
        ("the meeting is on thursday at ten", True),
        ("Meeting is on Thursday.", True),
        ("The meeting is on Thursday at 10:00.", True),
        ("the meeting is on thirsty at ten", True),
        ("meet ing is on thurs day at ten", True),
        ("is it on thursday or friday?", False),
        ("is it on Thursday?", False),
        ("You said Thursday at ten, but I cannot come then.", False),
        ("The meeting is on Thursday at ten. Stop.", False),
        ("The meeting is on Thursday at ten, what about Friday", False),
        ("Can we move the meeting", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("began", [10.1, 12.4, None])
def test_echo(text: str, echo: bool, began: float | None) -> None:
    assert guard().is_echo(text, now=12.9, began=began, own=frozenset({("stop",)})) is echo


def test_echo_over_several_units() -> None:
    g = EchoGuard()
    g.said("Your order was sent today.", 1)
    g.said("It arrives on Monday morning.", 3)
    assert g.is_echo("was sent today it arrives on Monday", now=5, began=1.5)


def test_a_short_answer_in_the_words_of_the_question_is_one() -> None:
    g = guard("Would you like the red wine or the white wine?")
    assert not g.is_echo("White.", now=13, began=12.2)
    assert not g.is_echo("the white wine", now=13, began=12.2)
    assert g.is_echo("like the red wine or the white wine", now=12.5, began=10.2)


def test_a_user_who_takes_the_words_up_is_kept() -> None:
    g = guard("I can book you a table for two at seven.")
    assert not g.is_echo("a table for two please", now=13, began=12.2)
    assert WordSorter("en", g).sort("Yes, a table for two", now=13, began=11) is Sort.REAL


def test_one_word_of_the_bot_is_an_echo_while_it_sounds_only() -> None:
    assert guard().is_echo("Thursday", now=12.5, began=11)
    assert not guard().is_echo("Thursday", now=13, began=12.3)
    assert not guard().is_echo("Thursday", now=13)


def test_memory_outlasts_playback_and_ends() -> None:
    ends = 12 + MEMORY_S + 4 * WORD_S
    assert guard().is_echo("meeting is on thursday", now=ends - 0.1)
    assert not guard().is_echo("meeting is on thursday", now=ends + 0.1)


def test_a_whole_reply_in_one_transcript_is_an_echo() -> None:
    """As without echo cancellation: one stretch of voice, transcribed when the reply is over."""
    said = ["Honey bees keep their hive at the same warmth all through the winter.",
            "They gather into a ball.",
            "By turns each of them moves from the cold outside to the warm middle."]  # fmt: skip
    echoes = EchoGuard()
    for at, piece in zip((1.0, 6.0, 8.0), said, strict=True):
        echoes.said(piece, at)
    echoes.silent(12.5)
    assert echoes.is_echo(" ".join(said), now=14.0, began=1.2)
    assert not guard().is_echo("meeting is on thursday", now=14, began=12 + REACH_S + 0.1)


def test_a_very_long_transcript_is_not_compared() -> None:
    assert not guard(BOT * 30).is_echo(BOT * 30, now=12)


@pytest.mark.parametrize(
    ("language", "said", "heard", "asked"),
    [
        ("de", "Ihr Termin ist am Montag um zehn.", "ihr termin ist am montag um 10",
         "Geht auch Dienstag?"),
        ("fr", "Le magasin est fermé le dimanche.", "le magasin est ferme le dimanche",
         "Et le lundi alors ?"),
        ("ja", "会議は木曜日の十時からです。", "会議は木曜日の十時から", "金曜日はどうですか"),
        ("zh", "会议在星期四上午十点。", "会议在星期四上午10点", "星期五可以吗"),
        ("ko", "회의는 목요일 열 시입니다.", "회의는 목요일 열 시 입니다", "금요일은 어때요"),
        ("hi", "बैठक गुरुवार को दस बजे है।", "बैठक गुरुवार को दस बजे है", "शुक्रवार को क्यों नहीं"),
    ],
)  # fmt: skip
def test_echo_in_other_scripts(language: str, said: str, heard: str, asked: str) -> None:
    assert guard(said, language).is_echo(heard, now=12.5, began=10.1)
    assert not guard(said, language).is_echo(asked, now=12.5, began=10.1)


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=30, deadline=None)
def test_any_text_is_sorted(said: str, heard: str) -> None:
    sorter = WordSorter("en")
    sorter.guard.said(said, 0)
    assert sorter.sort(heard, now=1, began=0) in Sort


@pytest.mark.parametrize("language", sorted(BACKCHANNELS))
def test_every_phrase_of_the_tables_is_sorted_as_it_says(language: str) -> None:
    sorter = WordSorter(language)
    for phrase in BACKCHANNELS[language].split(", "):
        assert sorter.sort(phrase, now=0) is Sort.BACKCHANNEL, phrase
        assert sorter.sort(phrase, now=0, asked=True) is Sort.REAL, phrase
    for phrase in COMMANDS[language].split(", "):
        assert sorter.sort(phrase, now=0) is Sort.COMMAND, phrase


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("Mm-hmm.", Sort.BACKCHANNEL),
        ("mm hmm mm hmm", Sort.BACKCHANNEL),
        ("MMHMM", Sort.BACKCHANNEL),
        ("Oh I see, okay, got it.", Sort.BACKCHANNEL),
        ("um", Sort.BACKCHANNEL),
        ("uh-uh", Sort.COMMAND),
        ("yeah but", Sort.REAL),
        ("okay and the price", Sort.REAL),
        ("I see a problem", Sort.REAL),
        ("right?  what", Sort.REAL),
        ("[door slams]", Sort.NOTHING),
        ("...", Sort.NOTHING),
        ("*coughs* (laughs)", Sort.NOTHING),
    ],
)
def test_english(text: str, sort: Sort) -> None:
    assert WordSorter("en-GB").sort(text, now=0) is sort


def test_phrases_of_ones_own_and_unknown_languages() -> None:
    assert WordSorter("xx").sort("okay", now=0) is Sort.BACKCHANNEL
    assert WordSorter("en", extra=("roger that",)).sort("Roger that!", now=0) is Sort.BACKCHANNEL


def test_tokens() -> None:
    assert tokens("It's 21, Café—déjà!", "en") == ["its", "twenty", "one", "cafe", "deja"]
    assert tokens("木曜 ok", "ja") == ["木", "曜", "ok"]


@pytest.mark.parametrize(
    "wrong",
    [{"keep": 0.9}, {"window_s": 0.5}, {"quiet_s": -1}, {"partial_words": 0}, {"onset_s": 0.5}],
)
def test_a_config_that_cannot_work_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        BargeInConfig(**wrong)  # type: ignore[arg-type]
