"""Words after which more must come, and words that announce digits, letters or an address.

A language is a BCP 47 code without its region; ``of`` takes English for one that is not here.
Accents are kept: Spanish "si" (if) leaves a sentence open, "sí" (yes) ends it. The lists of the
other languages than English were written without a native speaker.
"""

from __future__ import annotations

OPEN = {
    # Not what ends sentences as well: "so" ("I think so"), "on" ("go on"), "is" ("where it is").
    # Prepositions that end questions are here: a question mark is looked at first.
    "en": (
        "and, or, but, because, if, than, the, a, an, my, your, our, their, its, to, of, for, "
        "from, with, at, into, between, about the, i'm, i'd, i'll, i've, it's, we're, we'd, "
        "we'll, there's, that's, he's, she's, they're, and i, and we, but i, and then, "
        "name is, number is, address is, mail is, code is, spelled, there is, there are, "
        "this is, such as, as well as, whether, although, unless, which, whose, who is, "
        "well i, when i, if i, because i, so i, what i, that i, while i, where i, how i, "
        "can you, could you, would you, can i, could i, problem is, thing is, question is, "
        "i want is, i need is, is that i, problem is that, thing is that"
    ),
    "de": (
        "und, oder, aber, weil, denn, dass, wenn, ob, ein, eine, einen, einem, einer, mein, "
        "meine, meinen, meiner, dein, unser, für, von, vom, zum, zur, bei, beim, im, ins, am, "
        "ich bin, es ist, ich heiße, ich möchte, ich würde gerne, ich hätte gerne, name ist, "
        "nummer ist, adresse ist, mail ist, und zwar, und dann, sondern, sowie, bis, zwischen"
    ),
    "fr": (
        "et, ou, mais, car, parce que, que, le, la, les, un, une, des, du, de, mon, ma, mes, "
        "au, aux, pour, dans, chez, c'est, je suis, je voudrais, j'aimerais, je m'appelle, "
        "nom est, numéro est, adresse est, mail est, et puis, donc, entre, puisque, lorsque"
    ),
    "es": (
        "y, e, o, pero, porque, que, si, el, los, las, mi, de, del, con, para, a, al, en, entre, "
        "me llamo, nombre es, número es, correo es, dirección es, quisiera, me gustaría, "
        "y luego, aunque"
    ),
    "it": (
        "e, ed, o, ma, che, se, il, lo, i, gli, le, un, di, del, della, dei, a, al, alla, da, "
        "con, per, tra, mi chiamo, sono, nome è, numero è, indirizzo è, mail è, vorrei, "
        "e poi, oppure"
    ),
    "pt": (
        "e, ou, mas, que, se, o, os, as, um, de, do, da, com, para, em, no, na, entre, meu, "
        "minha, me chamo, nome é, número é, endereço é, mail é, eu queria, gostaria de, "
        "e depois, embora"
    ),
    "nl": (
        "en, of, maar, want, omdat, als, de, een, mijn, van, voor, naar, tussen, ik ben, "
        "naam is, nummer is, adres is, mail is, ik wil graag, ik zou graag, en dan, zodat"
    ),
    # Particles that also end polite sentences (が, けど, から) and は (こんにちは) are left out.
    "ja": "を, それで, でも, そして, あと, 番号は, 名前は, 住所は, メールは, アドレスは",
    "zh": (
        "和, 跟, 但是, 可是, 因为, 因為, 所以, 如果, 而且, 还有, 還有, 然后, 然後, 或者, "
        "号码是, 號碼是, 电话是, 電話是, 名字是, 地址是, 邮箱是, 郵箱是, 我想, 我要"
    ),
    "ko": (
        "그리고, 그래서, 하지만, 그런데, 근데, 왜냐하면, 만약, 아니면, 번호는, 이름은, 주소는, "
        "이메일은, 메일은, 저는, 제"
    ),
    "hi": "और, लेकिन, मगर, क्योंकि, अगर, या, कि, का, की, के, को, मेरा, मेरी, मेरे",
}

STRANDED = {"en": "of, for, from, with, at, to, into"}
"""Of these words those that end a sentence after one of ``RELATIVE``: "what I asked for"."""

RELATIVE = {
    "en": (
        "what, who, whom, whose, where, how, whatever, whoever, wherever, which, what's, who's, "
        "where's"
    )
}

NOT_ALONE = {
    # Open only after other words: alone "stop" in Spanish and Portuguese, and "one".
    "en": "",
    "de": "ein, eine",
    "fr": "un, une",
    "es": "para",
    "it": "un",
    "pt": "para, um",
    "nl": "een",
}

FILLERS = {
    # Whoever says this is about to speak, or asks for time.
    "en": (
        "um, uh, uhm, er, erm, hmm, let me see, let me think, let me check, let's see, "
        "one second, one moment, just a second, just a moment, hold on, hang on"
    ),
    "de": "äh, ähm, öh, öhm, hm, also, moment, einen moment, mal sehen, warte",
    "fr": "euh, heu, ben, voyons, un instant, une seconde, attends, attendez",
    "es": "eh, este, pues, o sea, a ver, un momento, un segundo, espera, espere",
    "it": "ehm, eh, cioè, dunque, vediamo, un attimo, un momento, aspetta, aspetti",
    "pt": "hum, ahn, então, deixa eu ver, um momento, um segundo, espera, espere",
    "nl": "eh, ehm, uh, uhm, nou, even kijken, een momentje, momentje, wacht even",
    "ja": "えっと, えーと, ええと, あのー, そのー, ちょっと待って, 待って",
    "zh": "呃, 那个, 那個, 就是, 等一下, 等等",
    "ko": "음, 그, 저기, 잠깐만, 잠시만요",
    "hi": "उम, मतलब, वो, एक मिनट, रुको",
}

DICTATION_CUES = {
    # Followed by digits or letters they announce a number or a spelling, be it of one digit.
    "en": (
        "number, phone, telephone, mobile, cell, code, postcode, zip, pin, password, account, "
        "card, extension, reference, serial, plate, spell, spelled, spelt, spelling, digits"
    ),
    "de": (
        "nummer, telefonnummer, handynummer, telefon, handy, postleitzahl, kontonummer, pin, "
        "code, kennwort, passwort, iban, kennzeichen, buchstabiere, buchstabiert, ziffern"
    ),
    "fr": (
        "numéro, téléphone, portable, code, mot de passe, compte, carte, référence, plaque, "
        "épelle, épeler, s'écrit, chiffres"
    ),
    "es": (
        "número, teléfono, móvil, celular, código, contraseña, cuenta, tarjeta, referencia, "
        "matrícula, deletreo, se escribe, dígitos"
    ),
    "it": (
        "numero, telefono, cellulare, codice, password, conto, carta, riferimento, targa, "
        "si scrive, cifre"
    ),
    "pt": (
        "número, telefone, celular, telemóvel, código, senha, conta, cartão, referência, "
        "placa, cep, soletrando, se escreve, dígitos"
    ),
    "nl": (
        "nummer, telefoonnummer, telefoon, mobiel, postcode, code, pincode, wachtwoord, "
        "rekening, kenteken, spel, gespeld, cijfers"
    ),
    "ja": "番号, 電話, 暗証, コード, 口座, 綴り, スペル",
    "zh": "号码, 號碼, 电话, 電話, 手机, 手機, 密码, 密碼, 邮编, 账号, 帳號, 卡号, 拼",
    "ko": "번호, 번호는, 전화번호는, 전화번호, 비밀번호, 비밀번호는, 코드, 계좌",
    "hi": "नंबर, फोन, फ़ोन, मोबाइल, कोड, पिन, खाता, कार्ड, स्पेलिंग",
}

ADDRESS_CUES = {
    "en": "email, e mail, mail",
    "de": "email, e mail, mail, mailadresse",
    "fr": "email, e mail, mail, courriel, mél",
    "es": "email, e mail, mail, correo",
    "it": "email, e mail, mail, posta",
    "pt": "email, e mail, mail, correio",
    "nl": "email, e mail, mail, mailadres",
    "ja": "メール, アドレス",
    "zh": "邮箱, 郵箱, 邮件, 電郵",
    "ko": "이메일, 이메일은, 메일, 메일은",
    "hi": "ईमेल, ई मेल, मेल",
}

AT = {
    "en": "at",
    "de": "at, ät, klammeraffe",
    "fr": "arobase, at, arrobas",
    "es": "arroba, at",
    "it": "chiocciola, at",
    "pt": "arroba, at",
    "nl": "apenstaartje, at",
    "ja": "アットマーク, アット",
    "zh": "艾特",
    "ko": "골뱅이",
    "hi": "एट",
}

DOT = {
    "en": "dot",
    "de": "punkt",
    "fr": "point",
    "es": "punto",
    "it": "punto",
    "pt": "ponto",
    "nl": "punt",
    "ja": "ドット",
    "zh": "点, 點",
    "ko": "점, 닷",
    "hi": "डॉट",
}

JOINERS = {
    # Said between digits and letters, for signs and for what comes twice.
    "en": "dash, hyphen, minus, slash, plus, underscore, space, double, triple, capital, then",
    "de": "bindestrich, minus, strich, schrägstrich, plus, unterstrich, doppel, dann",
    "fr": "tiret, moins, slash, plus, espace, double, puis, majuscule",
    "es": "guion, guión, menos, barra, más, espacio, doble, mayúscula, luego",
    "it": "trattino, meno, barra, più, spazio, doppia, doppio, maiuscola, poi",
    "pt": "traço, hífen, menos, barra, mais, espaço, duplo, maiúscula, depois",
    "nl": "streepje, min, schuine streep, plus, spatie, dubbel, hoofdletter, dan",
    "ja": "の, ハイフン",
    "zh": "杠, 横杠",
    "ko": "에, 다시",
    "hi": "डैश, डबल",
}

AS_IN = {
    # "B as in Bravo", "B wie Berta".
    "en": "as in, for, like",
    "de": "wie",
    "fr": "comme",
    "es": "de",
    "it": "come, di",
    "pt": "de",
    "nl": "van",
}

PLAIN_JOINERS = {
    # Of these words and signs those that stand between quantities too: "two at seven", "two plus
    # two", "dos de tres", "七点".
    "en": "at, for, like, plus, minus, then",
    "de": "at, wie, plus, minus, dann",
    "fr": "at, comme, plus, moins, puis",
    "es": "at, de, más, menos, luego",
    "it": "at, come, di, più, meno, poi",
    "pt": "at, de, mais, menos, depois",
    "nl": "at, van, plus, min, dan",
    "zh": "点, 點",
}

CHOICE = {
    # "Number two" is one of several, unless it is the number of something: "order number two".
    "en": "number",
    "de": "nummer",
    "fr": "numéro",
    "es": "número",
    "it": "numero",
    "pt": "número",
    "nl": "nummer",
    "hi": "नंबर",
}

CHOOSING = {
    # What stands before it then, besides nothing.
    "en": (
        "the, like, want, take, choose, pick, have, get, need, do, try, with, for, to, on, and, "
        "or, please, its, it's, is, say, press, um, uh, yes, yeah, okay, no, not"
    ),
    "de": "die, der, nehme, möchte, will, wähle, bitte, und, oder, ja, also, mit",
    "fr": "le, la, prends, veux, voudrais, choisis, et, ou, oui, avec",
    "es": "el, la, quiero, elijo, tomo, y, o, sí, con",
    "it": "il, la, voglio, prendo, scelgo, e, o, sì, con",
    "pt": "o, a, quero, escolho, e, ou, sim, com",
    "nl": "de, neem, wil, kies, en, of, ja, met",
}

DIGIT_WORDS = {
    # Besides what ``speech.spoken`` counts with.
    "en": "oh, nought",
    "de": "zwo",
    "pt": "meia",
    "nl": "een",
    "ja": "〇, ゼロ",
    "zh": "〇, 幺, 两, 兩",
    "ko": "공, 륙",
    "hi": "ज़ीरो, जीरो, छह",
}

AMBIGUOUS = {
    # Letters and digits that are other words too: at the beginning of a row they may belong to
    # the sentence.
    "en": "a, i, o, oh, one",
    "fr": "a, à, y, ô, un",
    "es": "a, y, o, e, u, uno",
    "it": "a, e, o, i, è, uno, sei",
    "pt": "a, e, o, à, é, um",
    "nl": "u, een",
    "zh": "一",
}

NATO = (
    "alfa, alpha, bravo, charlie, delta, echo, foxtrot, golf, hotel, india, juliet, juliett, "
    "kilo, lima, mike, november, oscar, papa, quebec, romeo, sierra, tango, uniform, victor, "
    "whiskey, whisky, xray, yankee, zulu"
)

DOMAIN_ENDS = "com, org, net, edu, gov, info, biz, app, dev"
"""Besides two letters (.de, .io); what a complete address ends with."""


def of(table: dict[str, str], language: str) -> tuple[str, ...]:
    """The phrases of a language, English where the table has no such language."""
    return tuple(phrase for phrase in table.get(language, table["en"]).split(", ") if phrase)
