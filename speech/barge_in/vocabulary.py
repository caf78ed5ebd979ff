"""What listeners say without wanting the floor, and what always wants it.

Short lists: a word is in one only if it does not answer, ask or refuse anything where a statement
is being made. After a question none of it counts (see ``speech.barge_in.words``): there "yes" is
an answer. Spellings are those that recognisers write; hyphens, apostrophes and accents are gone
before words are compared.
"""

from __future__ import annotations

HUMS = (
    r"m+h*m*|m+ ?h+m+|h+m+|u+h+ ?h+u+h+|a+h+ ?h+a+|a+h+|a+ha+|o+h+|e+h+|e+r+m*|a+h*m+"
    r"|u+h*m+|u+h+|he+m+|hu+m+"
)
"""Of all languages: mm-hm, uh-huh, aha, hmm, oh, and hesitation (um, uh, erm), which in itself is
no turn: whoever goes on after it is heard by what follows. Not "uh-uh" and "nuh-uh": a refusal."""

BACKCHANNELS = {
    # "sure", "right", "exactly": agreement with what is being said. Not "no", "really?", "what".
    "en": (
        "yeah, yep, yup, yes, okay, ok, kay, right, sure, i see, got it, alright, all right, "
        "gotcha, go on, cool, great, exactly, true, wow, of course, i know, good, nice, "
        "fine, makes sense, i understand"
    ),
    # "doch" and "nein" contradict; "bitte?" asks.
    "de": (
        "ja, jaja, jo, okay, ok, genau, gut, klar, stimmt, richtig, verstehe, ach so, achso, "
        "alles klar, ach ja, schon, eben, aha"
    ),
    # "si" contradicts a negation, but is also plain agreement: alone it takes no floor.
    "fr": (
        "oui, ouais, ok, okay, daccord, voila, bien, tres bien, je vois, ah oui, bien sur, "
        "exactement, exact, cest ca, entendu, ah bon, hein"
    ),
    # "¿qué?" and "pero" want the floor.
    "es": (
        "si, vale, ok, okay, claro, ya, aja, bueno, bien, muy bien, de acuerdo, ya veo, "
        "entiendo, exacto, eso, perfecto, por supuesto"
    ),
    # "pronto" opens a turn, "aspetta" takes it.
    "it": (
        "si, ok, okay, va bene, certo, bene, capito, ho capito, esatto, giusto, ah si, ecco, "
        "gia, daccordo, perfetto"
    ),
    # Brazil and Portugal: "pois", "ta", "uhum".
    "pt": (
        "sim, ta, ta bom, ok, okay, certo, claro, pois, pois e, isso, entendi, uhum, aham, "
        "bom, esta bem, legal, beleza, exato, perfeito"
    ),
    "nl": (
        "ja, jaja, oke, ok, okay, goed, precies, klopt, inderdaad, juist, prima, "
        "ik snap het, dat klopt, duidelijk"
    ),
    # Aizuchi; they come every few seconds in Japanese and are politeness, not agreement.
    "ja": (
        "はい, ええ, うん, うんうん, そう, そうですね, そうですか, そうなんですか, なるほど, "
        "へえ, へー, ああ, ふん, ふーん, ふむ, わかりました, 了解, 了解です, んー, ん"
    ),
    # 什么 and 等等 want the floor.
    "zh": (
        "嗯, 嗯嗯, 对, 对对, 对对对, 好, 好的, 是, 是的, 是啊, 哦, 噢, 啊, 行, 明白, 明白了, "
        "知道了, 没错, 当然, 對, 沒錯, 當然, 好吧, 可以"
    ),
    "ko": "네, 예, 응, 음, 어, 아, 그래, 그래요, 그렇군요, 그렇죠, 맞아요, 알겠습니다, 아하",
    # Of "हाँ" recognisers write three forms.
    "hi": (
        "हां, हाँ, हा, जी, जी हां, जी हाँ, अच्छा, ठीक, ठीक है, सही, सही है, हम्म, हूँ, हूं, "
        "ओके, बिल्कुल, समझ गया, समझ गई"
    ),
}

COMMANDS = {
    # One of these alone in a partial transcript cuts, and in an echo it is the user's own.
    "en": (
        "stop, wait, no, nope, hold on, hang on, quiet, shut up, pause, cancel, enough, "
        "excuse me, sorry, but, actually, uh uh, nuh uh, help"
    ),
    "de": (
        "stopp, stop, halt, warte, warten, moment, nein, nee, ruhe, genug, aufhoren, "
        "abbrechen, entschuldigung, aber"
    ),
    "fr": "stop, arrete, arretez, attends, attendez, non, pause, silence, pardon, mais, assez",
    "es": "para, alto, espera, espere, no, basta, silencio, perdon, pero, un momento",
    "it": (
        "ferma, fermati, stop, aspetta, aspetti, no, basta, silenzio, scusa, scusi, ma, un momento"
    ),
    "pt": ("para, pare, espera, espere, nao, chega, silencio, desculpa, desculpe, mas, um momento"),
    "nl": "stop, wacht, nee, stil, genoeg, sorry, maar, momentje",
    "ja": "待って, ちょっと待って, 止めて, やめて, ストップ, いいえ, 違う, 違います, すみません",
    "zh": "停, 停下, 等等, 等一下, 不, 不是, 不要, 别说了, 打断一下",
    "ko": "잠깐, 잠깐만, 잠깐만요, 그만, 멈춰, 아니, 아니요",
    "hi": "रुको, रुकिए, बस, नहीं, सुनो, सुनिए, एक मिनट",
}
