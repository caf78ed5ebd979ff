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
from speech.spoken import Normalizer

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


@pytest.mark.parametrize(
    ("language", "written", "heard"),
    [
        ("en", "The total is $45.20.", "The total is forty five dollars and twenty cents."),
        ("en", "That will be $45.20.", "That will be 45 dollars 20 cents"),
        ("en", "Call 555-0199 for help.", "call 5550199 for help"),
        ("en", "Call 555-0199 for help.", "call five five five zero one nine nine for help"),
        ("en", "You were born in 1987.", "you were born in nineteen eighty seven"),
        ("en", "It is on the 21st, at 9 a.m.", "it is on the twenty first at 9am"),
        ("en", "Write to ana.lopez@example.org.", "write to ana dot lopez at example dot org"),
        ("en", "It is 20°C (in the shade).", "it is twenty degrees celsius in the shade"),
        ("en", "Take *two* of them now.", "take 2 of them now"),
        ("de", "Das macht 12,50 €.", "das macht zwölf euro fünfzig"),
        ("fr", "Le train part à 15h30.", "le train part à quinze heures trente"),
        ("es", "Cuesta 12,50 €.", "cuesta doce euros con cincuenta"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("began", [10.1, 12.4])
def test_an_echo_is_one_however_it_is_written(
    language: str, written: str, heard: str, began: float
) -> None:
    assert guard(written, language).is_echo(heard, now=12.9, began=began)


def test_the_bot_says_words_in_ways_of_its_own() -> None:
    g = EchoGuard("en", spoken=Normalizer("en", {"kubectl": "cube control"}))
    g.said("Please run kubectl with the file.", 10)
    assert g.is_echo("run cube control with the file", now=12, began=10.1)


@pytest.mark.parametrize(
    ("text", "echo"),
    [
        ("Thursday", True),
        ("at ten", True),
        ("thurs day", True),
        ("tent", False),
        ("Tuesday", False),
        ("on ten", False),
        ("eat in", False),
    ],
)
def test_few_words_are_an_echo_only_if_they_were_said_so(text: str, echo: bool) -> None:
    assert guard().is_echo(text, now=12.5, began=11) is echo


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
        assert sorter.sort(phrase, now=0, asked=True) in (Sort.REAL, Sort.COMMAND), phrase
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
        ("O.K.", Sort.BACKCHANNEL),
        ("Okaaay, yeahhh", Sort.BACKCHANNEL),
        ("Noooo", Sort.COMMAND),
        ("That's right, very good.", Sort.BACKCHANNEL),
        ("That's", Sort.REAL),
        ("very", Sort.REAL),
        ("no doubt", Sort.BACKCHANNEL),
        ("no doubt about Sunday", Sort.COMMAND),
        ("ha ha ha", Sort.BACKCHANNEL),
        ("ahem", Sort.BACKCHANNEL),
        ("yeah but", Sort.REAL),
        ("okay and the price", Sort.REAL),
        ("I see a problem", Sort.REAL),
        ("right?  what", Sort.REAL),
        ("[door slams]", Sort.NOTHING),
        ("...", Sort.NOTHING),
        ("*coughs* (laughs)", Sort.NOTHING),
        ("<noise> {cough} ♪ la la ♪", Sort.NOTHING),
    ],
)
def test_english(text: str, sort: Sort) -> None:
    assert WordSorter("en-GB").sort(text, now=0) is sort


@pytest.mark.parametrize(
    ("language", "listening", "wanting"),
    [
        ("de", "Na klar, sehr gut.|Ach so, ja genau.|Das stimmt.", "Ja, aber|Sehr teuer|Was?"),
        ("fr", "C'est vrai.|Très bien, tout à fait.", "Si.|C'est cher|Oui mais"),
        ("es", "Claro que sí.|Muy bien, está bien.", "¿Qué vale?|Esta tarde|Sí pero"),
        ("it", "Va benissimo.|È vero, certo.", "Molto caro|Cosa?"),
        ("pt", "Muito bem.|Está certo, tá bom.", "Está caro|Como?"),
        ("nl", "Is goed.|Dat is waar.", "Waar?|Dat is duur"),
        ("ja", "なるほどですね。|はい、分かりました。", "はい、でも|いくら"),
        ("zh", "好的，明白。|不错。", "不要|好的，但是"),
        ("ko", "네네.|아 그렇구나", "아니|네 그런데요"),
        ("hi", "बहुत अच्छा|हां हां, ठीक है", "बहुत महंगा|क्या"),
    ],
)
def test_listening_and_not(language: str, listening: str, wanting: str) -> None:
    sorter = WordSorter(language)
    for text in listening.split("|"):
        assert sorter.sort(text, now=0) is Sort.BACKCHANNEL, text
    for text in wanting.split("|"):
        assert sorter.sort(text, now=0) in (Sort.REAL, Sort.COMMAND), text


def test_a_very_long_transcript_is_sorted() -> None:
    assert WordSorter("en").sort("that's very " * 2_000, now=0) is Sort.REAL


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
