"""The words each language has for signs."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Signs:
    """Names as they are said between the things a sign stands between.

    ``clock`` and ``hour`` are how 10:30 and 10:00 are said; ``date`` how a day is.
    ``of`` joins a million and what there are a million of; ``cents`` an amount and its cents.
    ``noun`` and ``feminine`` are how the end of a number changes before a noun.
    """

    point: str = "point"
    minus: str = "minus"
    plus: str = "plus"
    percent: str = "percent"
    per_mille: str = "per mille"
    to: str = "to"
    times: str = "times"
    divided: str = "divided by"
    equals: str = "equals"
    unequal: str = "does not equal"
    about: str = "about"
    plus_minus: str = "plus or minus"
    less: str = "less than"
    more: str = "more than"
    at_most: str = "at most"
    at_least: str = "at least"
    squared: str = "squared"
    cubed: str = "cubed"
    power: str = "to the power of"
    root: str = "square root of"
    infinity: str = "infinity"
    degrees: str = "degrees"
    half: str = "one half"
    per: str = "per"
    and_: str = "and"
    at: str = "at"
    dot: str = "dot"
    slash: str = "slash"
    hyphen: str = "dash"
    underscore: str = "underscore"
    section: str = "section"
    number: str = "number"
    copyright: str = "copyright"
    registered: str = "registered"
    trademark: str = "trademark"
    hashtag: str = "hashtag"
    version: str = "version"
    clock: str = "{hour} {minute}"
    hour: str = "{hour} o'clock"
    date: str = "{month} {day}, {year}"
    of: str = ""
    cents: str = " and "
    noun: dict[str, str] = field(default_factory=dict)
    feminine: dict[str, str] = field(default_factory=dict)


SIGNS = {
    "en": Signs(),
    "de": Signs(
        point="Komma", percent="Prozent", per_mille="Promille", to="bis", times="mal",
        divided="geteilt durch", equals="gleich", unequal="ungleich", about="ungefähr",
        plus_minus="plus minus", less="kleiner als", more="größer als", at_most="höchstens",
        at_least="mindestens", squared="Quadrat", cubed="hoch drei", power="hoch",
        root="Wurzel aus", infinity="unendlich", degrees="Grad", half="einhalb", per="pro",
        and_="und", at="at", dot="Punkt", slash="Schrägstrich", hyphen="Minus",
        underscore="Unterstrich", section="Paragraf", number="Nummer", copyright="Copyright",
        registered="eingetragene Marke", trademark="Marke", hashtag="Hashtag",
        version="Version", clock="{hour} Uhr {minute}", hour="{hour} Uhr",
        date="{day} {month} {year}", cents=" ", noun={"eins": "ein"}, feminine={"eins": "ein"},
    ),
    "fr": Signs(
        point="virgule", minus="moins", percent="pour cent", per_mille="pour mille", to="à",
        times="fois", divided="divisé par", equals="égale", unequal="différent de",
        about="environ", plus_minus="plus ou moins", less="inférieur à", more="supérieur à",
        at_most="au plus", at_least="au moins", squared="au carré", cubed="au cube",
        power="puissance", root="racine carrée de", infinity="infini", degrees="degrés",
        half="un demi", per="par", and_="et", at="arobase", dot="point", slash="barre oblique",
        hyphen="tiret", underscore="tiret bas", section="paragraphe", number="numéro",
        registered="marque déposée", trademark="marque déposée", hashtag="hashtag",
        clock="{hour} heures {minute}", hour="{hour} heures", date="{day} {month} {year}",
        of="de ", cents=" ", feminine={"un": "une"},
    ),
    "es": Signs(
        point="coma", minus="menos", plus="más", percent="por ciento", per_mille="por mil",
        to="a", times="por", divided="dividido por", equals="igual a", unequal="distinto de",
        about="aproximadamente", plus_minus="más menos", less="menor que", more="mayor que",
        at_most="como máximo", at_least="como mínimo", squared="al cuadrado", cubed="al cubo",
        power="elevado a", root="raíz cuadrada de", infinity="infinito", degrees="grados",
        half="un medio", per="por", and_="y", at="arroba", dot="punto", slash="barra",
        hyphen="guion", underscore="guion bajo", section="sección", number="número",
        registered="marca registrada", trademark="marca registrada", hashtag="hashtag",
        version="versión", clock="{hour} y {minute}", hour="{hour}",
        date="{day} de {month} de {year}", of="de ", cents=" con ",
        noun={"veintiuno": "veintiún", "uno": "un"}, feminine={"uno": "una"},
    ),
    "it": Signs(
        point="virgola", minus="meno", plus="più", percent="per cento", per_mille="per mille",
        to="a", times="per", divided="diviso", equals="uguale a", unequal="diverso da",
        about="circa", plus_minus="più o meno", less="minore di", more="maggiore di",
        at_most="al massimo", at_least="almeno", squared="al quadrato", cubed="al cubo",
        power="alla", root="radice quadrata di", infinity="infinito", degrees="gradi",
        half="un mezzo", per="al", and_="e", at="chiocciola", dot="punto", slash="barra",
        hyphen="trattino", underscore="trattino basso", section="sezione", number="numero",
        registered="marchio registrato", trademark="marchio", hashtag="hashtag",
        version="versione", clock="{hour} e {minute}", hour="{hour}",
        date="{day} {month} {year}", of="di ", cents=" e ",
        noun={"uno": "un"}, feminine={"uno": "una"},
    ),
    "pt": Signs(
        point="vírgula", minus="menos", plus="mais", percent="por cento", per_mille="por mil",
        to="a", times="vezes", divided="dividido por", equals="igual a", unequal="diferente de",
        about="cerca de", plus_minus="mais ou menos", less="menor que", more="maior que",
        at_most="no máximo", at_least="no mínimo", squared="ao quadrado", cubed="ao cubo",
        power="elevado a", root="raiz quadrada de", infinity="infinito", degrees="graus",
        half="meio", per="por", and_="e", at="arroba", dot="ponto", slash="barra",
        hyphen="hífen", underscore="sublinhado", section="seção", number="número",
        registered="marca registrada", trademark="marca registrada", hashtag="hashtag",
        version="versão", clock="{hour} e {minute}", hour="{hour} horas",
        date="{day} de {month} de {year}", of="de ", cents=" e ",
        feminine={"dois": "duas", "um": "uma"},
    ),
    "hi": Signs(
        point="दशमलव", minus="माइनस", plus="प्लस", percent="प्रतिशत", per_mille="प्रति हज़ार",
        to="से", times="गुणा", divided="भाग", equals="बराबर", unequal="बराबर नहीं", about="लगभग",
        plus_minus="प्लस माइनस", less="से कम", more="से ज़्यादा", at_most="अधिकतम",
        at_least="कम से कम", squared="वर्ग", cubed="घन", power="की घात", root="वर्गमूल",
        infinity="अनंत", degrees="डिग्री", half="आधा", per="प्रति", and_="और", at="ऐट", dot="डॉट",
        slash="स्लैश", hyphen="डैश", underscore="अंडरस्कोर", section="धारा", number="नंबर",
        copyright="कॉपीराइट", registered="रजिस्टर्ड", trademark="ट्रेडमार्क", hashtag="हैशटैग",
        version="वर्शन", clock="{hour} बजकर {minute} मिनट", hour="{hour} बजे",
        date="{day} {month} {year}", cents=" ",
    ),
    "ja": Signs(
        point="点", minus="マイナス", plus="プラス", percent="パーセント", per_mille="パーミル",
        to="から", times="かける", divided="わる", equals="イコール", unequal="ノットイコール",
        about="約", plus_minus="プラスマイナス", less="小なり", more="大なり", at_most="以下",
        at_least="以上", squared="の二乗", cubed="の三乗", power="の", root="ルート",
        infinity="無限大", degrees="度", half="二分の一", per="毎", and_="アンド",
        at="アットマーク", dot="ドット", slash="スラッシュ", hyphen="ハイフン",
        underscore="アンダーバー", section="セクション", number="ナンバー",
        copyright="コピーライト", registered="登録商標", trademark="商標",
        hashtag="ハッシュタグ", version="バージョン", clock="{hour}時{minute}分",
        hour="{hour}時", date="{year}年{month}{day}日", cents="",
    ),
    "zh": Signs(
        point="点", minus="负", plus="加", percent="百分之", per_mille="千分之", to="到",
        times="乘", divided="除以", equals="等于", unequal="不等于", about="大约",
        plus_minus="正负", less="小于", more="大于", at_most="小于等于", at_least="大于等于",
        squared="的平方", cubed="的立方", power="的", root="根号", infinity="无穷大",
        degrees="度", half="二分之一", per="每", and_="和", at="艾特", dot="点", slash="斜杠",
        hyphen="杠", underscore="下划线", section="节", number="号", copyright="版权",
        registered="注册商标", trademark="商标", hashtag="话题", version="版本",
        clock="{hour}点{minute}分", hour="{hour}点", date="{year}年{month}{day}日", cents="",
    ),
}  # fmt: skip
"""A language that is not here is read as it is written, without its marks of typography."""
