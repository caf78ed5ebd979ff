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
    # Laughing, wonder, and what recognisers write for a cough or a sneeze.
    r"|ha+h*|(?:h[aeo]+ ?){2,}|a+w+|wh?o+a+h?|a+he+m+|a+t?choo+|u+gh+|phew|hm+ph"
    r"|[네예응음아오어흠]+"
)
"""Of all languages: mm-hm, uh-huh, aha, hmm, oh, and hesitation (um, uh, erm), which in itself is
no turn: whoever goes on after it is heard by what follows. Not "uh-uh" and "nuh-uh": a refusal.
Korean ones are written without blanks, as often as they are said."""

LEADS = {
    # Before listening they are part of it, alone they are not: "that's right", "very good".
    "en": "thats, that is, its, very, so, really, pretty, quite, how, sounds, most",
    "de": "sehr, ganz, na, das, das ist, ja das, echt, wirklich, ach",
    "fr": "cest, tres, tout, ca, bah, ben, vraiment",
    "es": "muy, esta, claro que, es",
    "it": "molto, e, va, tutto, davvero",
    "pt": "muito, esta, e, ta, claro que, tudo",
    "nl": "heel, is, dat is, erg, zo, echt",
    "hi": "बहुत",
}

BACKCHANNELS = {
    # "sure", "right", "exactly": agreement with what is being said, and what praises or wonders
    # at it. Not "no", "really?", "what".
    "en": (
        "yeah, yea, yeh, ya, yah, yep, yup, yes, okay, ok, o k, k, kay, mkay, okey, okey dokey, "
        "okie dokie, right, right on, sure, sure thing, for sure, i see, got it, got that, "
        "i get it, alright, alrighty, all right, gotcha, go on, cool, great, exactly, true, wow, "
        "of course, i know, i hear you, good, good to know, nice, fine, makes sense, "
        "that makes sense, i understand, understood, interesting, perfect, absolutely, "
        "definitely, totally, certainly, indeed, correct, fair enough, awesome, excellent, "
        "lovely, brilliant, amazing, wonderful, fantastic, no doubt, no problem, no worries"
    ),
    # "doch" and "nein" contradict; "bitte?" asks.
    "de": (
        "ja, jaja, jawohl, jap, jep, jup, jo, joa, tja, okay, ok, okee, okey, genau, gut, klar, "
        "stimmt, richtig, verstehe, ich verstehe, verstanden, ach so, achso, alles klar, ach ja, "
        "schon, schön, eben, aha, super, prima, toll, klasse, natürlich, selbstverständlich, "
        "interessant, spannend, wunderbar, perfekt, in ordnung, passt, logisch"
    ),
    # "si" contradicts a negation, but is also plain agreement: alone it takes no floor.
    "fr": (
        "oui, ouais, ouaip, mouais, ok, okay, daccord, voila, bien, bon, je vois, ah oui, "
        "bien sur, bien entendu, cest ca, exactement, exact, vrai, entendu, ah bon, hein, super, "
        "parfait, genial, excellent, a fait, absolument, effectivement, evidemment, en effet, "
        "certes, je comprends, compris, jai compris, interessant, marche"
    ),
    # "¿qué?" and "pero" want the floor, and "¿qué vale?" is a question: no lead.
    "es": (
        "si, vale, ok, okay, okey, claro, ya, aja, bueno, bien, de acuerdo, ya veo, entiendo, "
        "entendido, comprendo, exacto, exactamente, eso, eso es, asi es, perfecto, por supuesto, "
        "desde luego, correcto, cierto, verdad, genial, estupendo, excelente, interesante, dale, "
        "efectivamente, que bien, que bueno, que interesante"
    ),
    # "pronto" opens a turn, "aspetta" takes it.
    "it": (
        "si, ok, okay, bene, benissimo, certo, certamente, capito, ho capito, capisco, esatto, "
        "esattamente, giusto, vero, infatti, appunto, ah si, ecco, gia, daccordo, perfetto, "
        "ottimo, chiaro, bello, naturalmente, assolutamente, interessante"
    ),
    # Brazil and Portugal: "pois", "ta", "uhum".
    "pt": (
        "sim, ta, bom, ok, okay, certo, claro, pois, pois e, isso, isso mesmo, entendi, entendo, "
        "percebi, percebo, compreendo, sei, ne, uhum, aham, bem, legal, beleza, exato, "
        "exatamente, verdade, perfeito, otimo, com certeza, sem duvida, de acordo, correto, "
        "combinado, interessante, que bom, que legal"
    ),
    "nl": (
        "ja, jaja, jep, jazeker, oke, okee, ok, okay, goed, precies, klopt, inderdaad, juist, "
        "prima, ik snap het, snap ik, ik begrijp het, begrijp ik, begrepen, dat klopt, "
        "dat is waar, duidelijk, helder, zeker, natuurlijk, tuurlijk, uiteraard, absoluut, mooi, "
        "leuk, fijn, top, super, perfect, geweldig, interessant, logisch"
    ),
    # Aizuchi; they come every few seconds in Japanese and are politeness, not agreement.
    "ja": (
        "はい, はーい, ええ, うん, うんうん, うーん, そう, そうですね, そうですか, "
        "そうなんですか, そうなんですね, そうなんだ, そうだね, そうだよね, ですよね, だよね, "
        "なるほど, なるほどね, なるほどですね, へえ, へー, へぇ, ああ, はあ, はぁ, ほう, ほお, "
        "おお, おー, ふん, ふーん, ふむ, わかりました, 分かりました, わかった, 分かった, 了解, "
        "了解です, 了解しました, 承知しました, 確かに, たしかに, もちろん, その通り, そのとおり, "
        "いいですね, すごい, すごいですね, オッケー, オーケー, ok, んー, ん"
    ),
    # 什么 and 等等 want the floor.
    "zh": (
        "嗯, 嗯嗯, 嗯哼, 对, 对的, 对对, 对对对, 好, 好的, 好吧, 好啊, 很好, 太好了, 挺好, "
        "挺好的, 是, 是的, 是啊, 哦, 噢, 啊, 哇, 行, 明白, 明白了, 我明白, 我明白了, 知道, "
        "知道了, 我知道了, 懂了, 我懂了, 了解, 理解, 没错, 不错, 没问题, 当然, 确实, 有道理, "
        "原来如此, 这样, 这样啊, 可以, 收到, ok, okay, 對, 對的, 沒錯, 不錯, 沒問題, 當然, 確實, "
        "原來如此, 這樣, 這樣啊"
    ),
    "ko": (
        "그래, 그래요, 그렇군요, 그렇구나, 그렇네요, 그렇죠, 그쵸, 그치, 맞아, 맞아요, 맞습니다, "
        "알겠습니다, 알겠어요, 알았어, 알았어요, 이해했어요, 이해했습니다, 좋아요, 좋네요, "
        "좋습니다, 물론이죠, 당연하죠, 아하, 오호, 와, 우와, 오케이, 네, 예"
    ),
    # Of "हाँ" recognisers write three forms.
    "hi": (
        "हां, हाँ, हा, जी, जी हां, जी हाँ, अच्छा, ठीक, ठीक है, सही, सही है, हम्म, हूँ, हूं, ओह, "
        "ओके, बिल्कुल, बिलकुल, ज़रूर, समझ गया, समझ गई, समझा, समझी, बढ़िया"
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
