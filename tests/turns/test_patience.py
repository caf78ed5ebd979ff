"""Dictated digits, letters and addresses, and sentences left open, are waited for; no others."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.turns.patience import LONG_NUMBER_SHARE, Open, Patience

LONGEST_S = 2.5
DIGITS, LETTERS, ADDRESS, SENTENCE = Open.DIGITS, Open.LETTERS, Open.ADDRESS, Open.SENTENCE
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "ja", "zh", "ko", "hi")


@cache
def patience(language: str) -> Patience:
    return Patience(language, LONGEST_S)


OPEN_ENDED = [
    ("en", "my number is 0 4 1", DIGITS),
    ("en", "My number is 415.", DIGITS),
    ("en", "My number is zero four one", DIGITS),
    ("en", "The code is four", DIGITS),
    ("en", "4 1 5", DIGITS),
    ("en", "It's 415-555", DIGITS),
    ("en", "Call me at 1-800.", DIGITS),
    ("en", "oh four one", DIGITS),
    ("en", "nine one one four double", DIGITS),
    ("en", "0041", DIGITS),
    ("en", "+49", DIGITS),
    ("en", "415.555.0", DIGITS),
    ("en", "Sure, 12345.", DIGITS),
    ("en", "four zero dash", DIGITS),
    ("en", "Can you hear? 0 4 1?", DIGITS),
    ("en", "j o h n", LETTERS),
    ("en", "J-O-H-N.", LETTERS),
    ("en", "J. O. H.", LETTERS),
    ("en", "J as in Juliet, O as in Oscar", LETTERS),
    ("en", "It's spelled S", LETTERS),
    ("en", "B as in", LETTERS),
    ("en", "My name is spelled JOHN.", LETTERS),
    ("en", "bravo charlie", LETTERS),
    ("en", "A 7 B", LETTERS),
    ("en", "A7B 9K2", DIGITS),
    ("en", "The code is B7", DIGITS),
    ("en", "my email is", ADDRESS),
    ("en", "My e-mail is john smith", ADDRESS),
    ("en", "my email address is j o h n s m i t h", ADDRESS),
    ("en", "john at example dot", ADDRESS),
    ("en", "john@example", ADDRESS),
    ("en", "john.smith@", ADDRESS),
    ("en", "My email is john at", ADDRESS),
    ("en", "I would like to", SENTENCE),
    ("en", "I would like to.", SENTENCE),
    ("en", "Book a table for two and", SENTENCE),
    ("en", "And then", SENTENCE),
    ("en", "I was looking for.", SENTENCE),
    ("en", "What a day. I am here with", SENTENCE),
    ("en", "I do not know which of", SENTENCE),
    ("en", "My name is", SENTENCE),
    ("en", "Well, I'm", SENTENCE),
    ("en", "Um...", SENTENCE),
    ("en", "Let me see.", SENTENCE),
    ("en", "On Monday,", SENTENCE),
    ("en", "On Monday -", SENTENCE),
    ("en", "I was wondering…", SENTENCE),
    ("en-GB", "because", SENTENCE),
    ("en", "Well, I", SENTENCE),
    ("en", "Can you", SENTENCE),
    ("en", "The problem is that", SENTENCE),
    ("en", "My PIN is one", DIGITS),
    ("en", "My order number two", DIGITS),
    ("en", "The code is A", LETTERS),
    ("tlh", "my number is 0 4 1", DIGITS),
    ("de", "Meine Nummer ist null eins sieben", DIGITS),
    ("de", "zwo drei", DIGITS),
    ("de", "null vierundzwanzig", DIGITS),
    ("de", "B wie Berta, E wie Emil", LETTERS),
    ("de", "max punkt muster ät", ADDRESS),
    ("de", "Ich möchte einen Tisch für", SENTENCE),
    ("de", "und", SENTENCE),
    ("fr", "zéro six, douze, trente-quatre", DIGITS),
    ("fr", "J comme Jean, O comme Oscar", LETTERS),
    ("fr", "jean arobase exemple", ADDRESS),
    ("fr", "Je voudrais", SENTENCE),
    ("es", "seis uno dos", DIGITS),
    ("es", "cuarenta y dos, treinta y cinco, once", DIGITS),
    ("es", "J de Juan, A de Ana", LETTERS),
    ("es", "juan arroba ejemplo punto", ADDRESS),
    ("es", "Quisiera una mesa para", SENTENCE),
    ("it", "Il mio numero è tre tre", DIGITS),
    ("it", "Vorrei", SENTENCE),
    ("pt", "nove nove meia", DIGITS),
    ("pt", "Meu nome é", SENTENCE),
    ("nl", "nul zes twaalf", DIGITS),
    ("nl", "Mijn naam is", SENTENCE),
    ("ja", "番号は", SENTENCE),
    ("ja", "〇九〇", DIGITS),
    ("ja", "０９０の１２３４", DIGITS),
    ("ja", "えっと", SENTENCE),
    ("zh", "一三八", DIGITS),
    ("zh", "138 1234", DIGITS),
    ("zh", "我的号码是", SENTENCE),
    ("zh", "因为", SENTENCE),
    ("ko", "공일공", DIGITS),
    ("ko", "제 번호는", SENTENCE),
    ("hi", "शून्य नौ एक", DIGITS),
    ("hi", "और", SENTENCE),
]

COMPLETE = [
    ("en", ""),
    ("en", "!"),
    ("en", "0.5"),
    ("en", "What time is it?"),
    ("en", "Hold on, that is not what I asked for."),
    ("en", "I have no idea where he comes from"),
    ("en", "Let me tell you who I was talking to."),
    ("en", "Table for 4."),
    ("en", "Two people."),
    ("en", "The number of guests is 4."),
    ("en", "In 1987."),
    ("en", "It was nineteen eighty four."),
    ("en", "May 4, 1987."),
    ("en", "At 7:30."),
    ("en", "At seven thirty."),
    ("en", "It costs $5."),
    ("en", "It costs 12.50."),
    ("en", "About 12,500."),
    ("en", "By 5%."),
    ("en", "On the 5th."),
    ("en", "Twenty five."),
    ("en", "Give me a 5."),
    ("en", "Oh, 5 people."),
    ("en", "0 4 1 that's it"),
    ("en", "0 4 1 5 5 5, please."),
    ("en", "J O H N, thanks."),
    ("en", "john at example dot com"),
    ("en", "My email is john at example dot com."),
    ("en", "john@example.com."),
    ("en", "john.smith@example.co.uk"),
    ("en", "I am at home."),
    ("en", "I sent you an email yesterday."),
    ("en", "I think so."),
    ("en", "So do I."),
    ("en", "A."),
    ("en", "Book a table for two at seven."),
    ("en", "Dinner for six at nine"),
    ("en", "What is two plus two"),
    ("en", "Two for one"),
    ("en", "Number two."),
    ("en", "I'd like number 3, please. Number 3."),
    ("en", "Plan A."),
    ("en", "I got an A"),
    ("en", "What for"),
    ("en", "Where to"),
    ("en", "What's it for"),
    ("en", "Where do you want to go to?"),
    ("en", "Gate B7."),
    ("en", "At 3pm."),
    ("en", "Room 12 B."),
    ("en", "I have 5G."),
    ("en", "I live in the USA."),
    ("en", "OK."),
    ("en", "What is a PIN?"),
    ("en", "Yes."),
    ("en", "I live in a hotel."),
    ("de", "Ja."),
    ("de", "Um vierundzwanzig Uhr."),
    ("de", "Es ist halb acht."),
    ("de", "Zwei plus zwei"),
    ("de", "Nummer zwei"),
    ("fr", "Vingt et un"),
    ("fr", "Numéro deux"),
    ("fr", "Deux plus deux"),
    ("es", "Dos o tres"),
    ("es", "Dos más dos"),
    ("es", "De dos a tres"),
    ("it", "Due o tre"),
    ("it", "Alle sette e dieci"),
    ("pt", "Vinte e um"),
    ("pt", "De dois a três"),
    ("nl", "Een"),
    ("nl", "Vijf min drie"),
    ("zh", "七点"),
    ("fr", "Oui, c'est ça."),
    ("fr", "Il est quatre-vingt-dix."),
    ("es", "Sí."),
    ("es", "Para."),
    ("es", "juan arroba ejemplo punto com"),
    ("it", "Che ora è?"),
    ("it", "Sì."),
    ("pt", "Sim."),
    ("nl", "Ja."),
    ("ja", "こんにちは"),
    ("ja", "ちょっと"),
    ("ja", "二〇二五年です"),
    ("zh", "是"),
    ("zh", "三个"),
    ("ko", "네"),
    ("hi", "ठीक है"),
]


@pytest.mark.parametrize(("language", "text", "kind"), OPEN_ENDED)
def test_what_is_not_finished(language: str, text: str, kind: Open) -> None:
    assert patience(language).unfinished(text) is kind
    assert patience(language).wait_s(text) == LONGEST_S


@pytest.mark.parametrize(("language", "text"), COMPLETE)
def test_what_may_be_answered(language: str, text: str) -> None:
    assert patience(language).unfinished(text) is None
    assert patience(language).wait_s(text) == 0.0


@pytest.mark.parametrize(
    "text",
    ["415 555 0123", "04155550123", "My number is zero four one five five five zero one two"],
)
def test_a_number_that_may_be_complete_is_waited_for_less(text: str) -> None:
    assert patience("en").wait_s(text) == LONGEST_S * LONG_NUMBER_SHARE
    assert patience("en").wait_s(text + " dash") == LONGEST_S


@pytest.mark.parametrize(
    ("asked", "text", "kind"),
    [
        ("What is your phone number?", "555", DIGITS),
        ("What is your phone number?", "Four", DIGITS),
        ("Please tell me your PIN.", "It's 4", DIGITS),
        ("May I have your number? I need it for the booking.", "555", DIGITS),
        ("Thanks. How do you spell that?", "S", LETTERS),
        ("How do you spell it?", "JOHN.", LETTERS),
        ("How do you spell it?", "OK, J-O", LETTERS),
        ("What is your phone number?", "I don't have one.", None),
        ("What is your phone number?", "Why do you ask?", None),
        ("What is your e-mail address?", "j", ADDRESS),
        ("What is your e-mail address?", "john at example", ADDRESS),
        ("What is your e-mail address?", "john at example dot org", None),
        ("What is your e-mail address?", "No.", None),
        ("Your order number is 17. How many people?", "Four", None),
        ("What is the number of guests?", "Four", None),
    ],
)
def test_the_bots_question_says_what_is_dictated(asked: str, text: str, kind: Open | None) -> None:
    assert patience("en").unfinished(text, asked) is kind


def test_the_question_in_another_script() -> None:
    assert patience("zh").unfinished("五", "您的电话号码是多少？谢谢。") is DIGITS
    assert patience("zh").unfinished("五", "几位？") is None


def test_switched_off() -> None:
    assert Patience("en", 0.0).wait_s("my number is 0 4 1") == 0.0


@settings(deadline=None)
@given(
    st.sampled_from(LANGUAGES),
    st.one_of(st.text(), st.text("0 1٣①½-.,@+abj o at dot ")),
    st.text(max_size=40),
)
def test_any_text_gives_a_wait_within_bounds(language: str, text: str, asked: str) -> None:
    assert 0.0 <= patience(language).wait_s(text, asked) <= LONGEST_S


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=3, max_size=20), st.sampled_from([" ", "-", ", "]))
def test_a_row_of_digits_is_a_dictation_until_something_else_is_said(
    digits: list[int], between: str
) -> None:
    row = between.join(map(str, digits))
    assert patience("en").wait_s(row) > 0
    assert patience("en").wait_s(f"{row}, that's all.") == 0


def test_a_long_turn_costs_no_more() -> None:
    text = "word " * 100_000
    assert patience("en").wait_s(text + "my number is 0 4 1") == LONGEST_S
