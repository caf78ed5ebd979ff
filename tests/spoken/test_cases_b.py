"""The public cases of area B hold for the text that reaches the phonemizer."""

from __future__ import annotations

import re
import unicodedata

import pytest

from speech.spoken import spoken


def plain(text: str) -> str:
    """Lower case, without commas, hyphens and "and"."""
    words = text.lower().replace(",", "").replace("-", " ").split()
    return " ".join(word for word in words if word != "and")


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", plain(text))


def test_b01_marks_of_typography_are_not_said() -> None:
    said = spoken("# Plan\n**First**, boil `200 ml` of water. __Then__ add *tea*.", "en-us").text
    assert not set(said) & set("#*_`")
    wanted = iter(words(said))
    assert all(w in wanted for w in ("plan", "first", "boil", "water", "then", "add", "tea"))
    assert "two hundred" in said


def test_b02_of_a_link_the_label_is_said() -> None:
    said = spoken("See [our opening hours](https://shop.example.org/h?id=7&x=1) first.").text
    assert said == "See our opening hours first."


def test_b03_emphasised_words_stay() -> None:
    said = spoken("Use *only* the _blue_ door and keep file_name_v2 and 3 * 4 as they are.").text
    assert said == (
        "Use only the blue door and keep file name v two and three times four as they are."
    )


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("It raised $5.3 billion.", "it raised five point three billion dollars."),
        ("You owe $1,234.56.",
         "you owe one thousand two hundred thirty four dollars fifty six cents."),
        ("That is €20.", "that is twenty euros."),
        ("Only $0.99!", "only ninety nine cents!"),
    ],
)  # fmt: skip
def test_b04_money(written: str, said: str) -> None:
    assert plain(spoken(written, "en-us").text) == said


@pytest.mark.parametrize("language", ["en-us", "it", "ja", "xx"])
@pytest.mark.parametrize("text", ["😊", "👍🏽", "👨‍👩‍👧", '😊"', "❤️!"])
def test_b05_emoji_alone_are_nothing(text: str, language: str) -> None:
    assert spoken(text, language).text == ""


@pytest.mark.parametrize(
    "text", ["...", "…", "—", "*", "()", "\u200b", "!?", "&", "→ ←", "** --- ##"]
)
def test_b06_marks_alone_are_nothing(text: str) -> None:
    assert spoken(text).text == ""


@pytest.mark.parametrize(("text", "said"), [("8...", "eight..."), ("9", "nine")])
def test_b06_digits_alone_are_said(text: str, said: str) -> None:
    assert spoken(text).text == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Step ➀: press start.", "Step one: press start."),
        ("Option ❷ is free.", "Option two is free."),
        ("⑴ Sugar, ⒉ milk", "one Sugar, two milk"),
        ("x² + ½ cup", "x squared plus one half cup"),
    ],
)
def test_b07_digits_that_are_no_numbers(text: str, said: str) -> None:
    assert spoken(text).text == said


@pytest.mark.parametrize(
    ("curly", "straight"),
    [
        ("I’m sure it’s fine.", "I'm sure it's fine."),
        ("They’re here, aren’t they?", "They're here, aren't they?"),
        ("rock ʼnʼ roll", "rock 'n' roll"),
    ],
)
def test_b08_apostrophes(curly: str, straight: str) -> None:
    assert spoken(curly).text == spoken(straight).text == straight


def test_b11_phone_numbers_digit_by_digit() -> None:
    said = words(spoken("Call 555-0142 now.").text)
    assert said == ["call", *["five", "five", "five", "zero", "one", "four", "two"], "now"]
    assert "million" not in spoken("Dial +44 20 7946 0018.").text


def test_b11_letter_words() -> None:
    assert spoken("The NASA and FBI reports.").text == "The NASA and FBI reports."
    assert spoken("Two PDFs and a URL.").text == "Two PDFs and a URL."


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[Siobhan](/ʃɪvˈɔn/) will call.", "[Siobhan](/ʃɪvˈɔn/) will call."),
        ("[site](https://a.example/x/)", "site"),
        ("[5 km](/fˈaɪv/) and 5 km", "[5 km](/fˈaɪv/) and five kilometers"),
        ("<speak>It costs $5.</speak>", "<speak>It costs $5.</speak>"),
        ('Wait <break time="1s"/> for $5.', 'Wait <break time="1s"/> for five dollars.'),
    ],
)
def test_b12_what_is_marked_for_the_synthesiser_stays(written: str, said: str) -> None:
    assert spoken(written).text == said


def test_every_character_alone_is_normalised() -> None:
    for code in [
        *range(0x300),
        *range(0x2000, 0x2C00),
        *range(0xD7F0, 0xD810),
        *range(0x1F600, 0x1F700),
    ]:
        said = spoken(f"a {chr(code)} b").text
        assert said.startswith("a"), ascii(chr(code))
        assert not unicodedata.category(said[-1]).startswith("C")
