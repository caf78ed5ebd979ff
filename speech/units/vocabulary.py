# ruff: noqa: E501, SIM905 (word lists)
"""What the splitter adds, per language, to the abbreviations sentencex knows.

Sentencex says *that* a word is an abbreviation. Here is what follows it, which decides whether
its full stop can end a sentence: a name behind a title, a number behind "No.", anything behind
"e.g.". Words are in lower case, without their last full stop.
"""

from __future__ import annotations

TITLES: dict[str, str] = {
    "en": "dr mr mrs ms mx prof rev hon gen col maj capt cmdr lt sgt cpl pvt adm gov sen rep pres"
    " messrs mme mlle msgr fr supt insp det atty amb",
    "de": "dr prof hr fr frl ing dipl mag hl geb med jur phil priv.-doz",
    "fr": "bd boul av pl m mm mme mmes mlle mlles dr pr me mgr",
    "es": "av avda c bs sr sra sres sras srta srtas dr dra dres d dña prof profa lic ing arq gral ud uds sto sta"
    " fr hno hna",
    "it": "sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa avv ing arch geom rag on sen mons",
    "pt": "av r sr sra srs sras srta dr dra drs prof profa eng d dom exmo",
    "nl": "dhr mevr mw mej mr dr drs ir ing prof ds",
    "pl": "p pp dr prof mgr inż ks bp abp gen płk ppłk mjr kpt por św ul al hab im",
    "ru": "г ул им пр просп пер пос дер проф акад св гр тов г-н доц",
    "uk": "вул ім пр просп пров проф акад св",
    "tr": "dr prof doç av sn öğr gör yrd op uzm",
    "el": "κ κα κος δρ αγ καθ",
    "cs": "dr mgr ing prof doc sv",
    "hi": "डॉ प्रो पं स्व श्री श्रीमती कु",
    "ar": "د أ.د م أ",
    "sv": "dr prof hr fr",
    "da": "dr prof hr fr",
    "hu": "dr prof id ifj özv",
}
"""Before a name."""

PLACES = "st ste mt mts ft ave blvd rd hwy ct ln pkwy"
"""Before a name as well as behind one: "St. Jude", "Main St."."""

BEHIND_NAMES = "ave blvd rd hwy ct ln pkwy"
"""Of these, what stands behind a name only; a capital behind it begins a sentence."""

DATES_APART = frozenset({"ko", "hu"})
"""Languages that write a date "2024. 5. 3."."""

NUMBERED: dict[str, str] = {
    "en": "no nos nr fig figs p pp vol vols ch chap sec sect art para pt eq ver ed ext tel ca"
    " rm apt bldg mar app appx",
    "de": "nr nrn abb bd bde kap s art abs ziff tab tel ca hausnr lfd z",
    "fr": "n no nos art chap p pp fig vol éd tél av sect",
    "es": "n núm nº pág págs p art cap fig vol tel aprox no s",
    "it": "n num nn pag pagg p pp art cap fig vol tel ca sec s",
    "pt": "n núm nº pág págs p art cap fig vol tel no séc s",
    "nl": "nr nrs blz p art hfst fig tel ca",
    "pl": "nr str s art rozdz rys tel ok tab m lok godz",
    "ru": "стр с гл рис табл п пп ст тел д кв ок пункт №",
    "uk": "стр с гл рис табл п ст тел буд кв",
    "tr": "no nr s sf tel md",
    "el": "αρ σελ κεφ τηλ αριθ",
    "cs": "č str s tel čl",
    "sv": "nr s sid kap tel",
    "da": "nr s kap tlf",
    "hi": "नं क्र",
}
"""Before a number; some are words of their own otherwise ("No.")."""

NEVER_LAST: dict[str, str] = {
    "en": "e.g i.e eg ie cf viz vs v approx incl excl esp c.f a.k.a resp",
    "de": "z.b d.h bzw vgl ca inkl exkl ggf evtl sog u.u z.t i.d.r gegr zzgl bspw insb d.i o.g"
    " i.a s.o s.u",
    "fr": "p.ex c.-à-d cf env c.à.d ex",
    "es": "p.ej aprox cf p.e ej",
    "it": "es p.es cfr ca",
    "pt": "p.ex cf aprox ex",
    "nl": "bijv bv o.a d.w.z m.a.w ca incl excl z.g t.o.v i.p.v m.b.t",
    "pl": "np m.in tzn tj tzw ok wg ds pt",
    "ru": "т.е напр т.н т.к см ср",
    "uk": "т.зв напр див",
    "tr": "örn bkz yakl",
    "el": "π.χ δηλ βλ περ",
    "cs": "např tj tzv tzn cca",
    "sv": "t.ex d.v.s bl.a ca s.k",
    "da": "f.eks bl.a dvs ca",
    "hu": "pl ún ill kb",
}
"""Something of the same sentence follows."""

OFTEN_LAST: dict[str, str] = {
    "en": "etc min sec hr hrs oz lb lbs tbsp tsp ft in yd pt gal a.m p.m",
    "de": "usw etc usf u.ä o.ä dgl u.a.m u.v.m uvm",
    "ru": "т.д т.п др пр руб коп",
}
"""Where nouns or names follow with a capital, these end the sentence all the same."""

SHORT: dict[str, str] = {
    "en": "approx max min temp misc dept est incl excl avg qty oz lb lbs tbsp tsp pkg gov tel fax"
    " mon tue tues wed thu thur thurs fri inc ltd corp co llc bros jr sr",
    "de": "inkl exkl tel abs max min mind std sek mo di mi do fr sa so jan feb mrz apr jun jul aug"
    " sept okt nov dez str tägl ehem verh bes allg einschl zuz entspr fa",
    "fr": "env max min tél janv févr avr juil sept oct nov déc lun mar mer jeu ven sam dim bd apt",
    "es": "aprox máx mín tel ene feb abr jul ago sept oct nov dic avda av depto dpto edo incl",
    "it": "ecc max min tel gen feb mar apr mag giu lug ago set ott nov dic circ pag ca",
    "pt": "aprox máx mín tel pág págs etc jan fev mar abr mai jun jul ago set out nov dez av dep",
    "nl": "mevr max min tel jan feb mrt apr jun jul aug sept okt nov dec ma di wo do vr za zo enz",
    "pl": "godz tel maks min mgr dr inż tys mln mld zł ul al pl os itd itp woj pow gm sp",
    "ru": "янв фев февр мар апр июн июл авг сен сент окт ноя нояб дек т.е млн млрд тыс руб коп им мин сек ч час г гг в вв стр тел макс обл р",
    "uk": "млн млрд тис грн хв год р рр ст тел обл",
    "tr": "vb vs örn cad sok mah no tel maks min apt",
    "el": "δηλ τηλ αρ σελ κ.ά κ.λπ μ.μ π.μ μ.χ π.χ",
    "hi": "डॉ प्रो पं स्व श्री श्रीमती कि.मी रु",
    "ar": "د أ.د م إلخ ص هـ",
    "cs": "kl tel max min mil tis kč",
    "sv": "t.ex kl tel max min osv",
    "da": "kl tlf max min osv",
}
"""Abbreviations sentencex does not have."""

WORDS: dict[str, str] = {
    "en": "is me may ok man id ill con no art miss del la ia ala mar sat sun fed wash mass ore in"
    " cal ken dak mo be or so am pm do go us ed al vi x re reg loc cit bart mont ark que col app",
    "de": "art ab an da so es in er di do mag",
    "fr": "me art max ex nos",
    "es": "no con bien en de para por auto entre contra extra sub pro sin sobre tele",
    "it": "es on no ora casa",
    "pt": "no dom ex",
    "nl": "min",
    "pl": "im al os por",
    "tr": "no",
    "hu": "ill id",
}
"""Words of the language that are abbreviations only with a capital or in front of a number."""

STARTERS: dict[str, str] = {
    "en": "i'm i'll i've i'd it's that's there's here's let's we'll we're you'll you're they're"
    " he's she's what's don't can't her your our their then thanks thank sure yes okay would",
    "de": "der die das ein eine es er sie wir ihr ich du man dies diese dieser dieses dann danach"
    " hier dort wenn aber und oder weil wo wie was wer wann warum bitte möchten soll kann können"
    " haben ist sind war wird jetzt heute morgen auch auf in im am für mit nach bei vom zum so mein"
    " meine ihre sein seine alle vielen danke ja nein nur noch",
    "fr": "le la les un une il elle ils elles je tu nous vous on ce cette ces c'est mais et ou si"
    " quand où comment pourquoi puis ensuite voici voilà dans sur pour avec mon ma votre notre",
    "es": "el la los las un una él ella ellos yo tú usted nosotros este esta esto ese esa pero y o"
    " si cuando dónde cómo qué quién luego después aquí en para con mi su por también hay es",
    "it": "il lo la i gli le un una egli lei lui noi voi loro io tu questo questa ma e o se quando"
    " dove come perché poi qui in per con mio sua ci c'è è",
    "pt": "o a os as um uma ele ela eles eu tu você nós este esta isso mas e ou se quando onde como"
    " por depois aqui em para com meu seu há é",
    "nl": "de het een hij zij ze wij we ik jij je u dit dat deze maar en of als wanneer waar hoe"
    " waarom dan daarna hier in op voor met mijn uw er is wilt kunt",
    "pl": "on ona ono oni my wy ja ty to ten ta te ale i lub jeśli kiedy gdzie jak dlaczego potem"
    " tutaj w na dla z mój jest czy proszę",
    "ru": "он она оно они мы вы я ты это этот эта эти но и или если когда где как почему потом"
    " затем здесь в на для с мой ваш есть там что кто тогда хотите пожалуйста",
    "uk": "він вона воно вони ми ви я ти це цей ця але і або якщо коли де як чому потім тут",
    "tr": "bu şu o ben sen biz siz onlar ama ve veya eğer ne nerede nasıl neden sonra burada bir"
    " lütfen orada",
    "el": "ο η το οι τα ένας μια αυτός αυτή αυτό εγώ εσύ εμείς αλλά και αν όταν πού πώς γιατί μετά"
    " εδώ στο στη για με",
    "cs": "on ona ono oni my vy já ty to ten ta ale a nebo když kde jak proč pak tady v na pro s je",
    "sv": "den det en ett han hon vi ni jag du de men och eller om när var hur varför sedan här i på",
    "da": "den det en et han hun vi i jeg du de men og eller hvis når hvor hvordan så her på",
}
"""Words that with a capital begin a sentence, not a name (sentencex has the English ones)."""

ORDINAL_CONTEXT: dict[str, str] = {
    "de": "der die das dem den des am im vom zum zur bis ein eine einem einen einer eines jeder jede"
    " jedes jedem jeden mein meine meinem meinen dein sein seine ihr ihre ihrem ihren unser unsere"
    " dieser diese diesem diesen ab seit nach vor beim ins kapitel klasse mo di mi do fr sa so"
    " montag dienstag mittwoch donnerstag freitag samstag sonntag und oder",
    "da": "den det d", "nb": "den det", "no": "den det", "nn": "den det",
    "fi": "", "cs": "v na do od dne", "sk": "v na do od dňa", "hu": "a az", "hr": "", "sl": "",
    "sr": "", "pl": "w na do od po", "tr": "bu", "et": "", "lv": "", "lt": "", "is": "", "lb": "den",
}  # fmt: skip
"""Languages that write an ordinal with a full stop, and what stands before one."""

ORDINAL_NOUNS: dict[str, str] = {
    "de": "januar jänner februar märz april mai juni juli august september oktober november dezember"
    " jahrhundert jahrhunderts weltkrieg weltkriegs platz stock klasse etage bezirk semester"
    " geburtstag quartal liga auflage",
    "tr": "dünya bölüm sınıf kat sezon yüzyıl hafta gün lig",
    "pl": "",
}
"""Capitalised words an ordinal goes with."""

CLOCK = "a.m p.m"
NOT_AFTER_CLOCK = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december est edt cst cdt mst mdt pst pdt gmt utc cet"
    " bst eastern central mountain pacific"
)
"""What belongs to the time before it though it has a capital."""

NOUNS_HAVE_CAPITALS = frozenset({"de", "lb"})
LABELS_FOLLOW = frozenset(
    "is are was were called named like as than by and with from of to for the von van de et y e i och und der durch par por da di و".split()
)
"""Words in lower case after which a single letter is an initial, not a label ("plan B.")."""
LABELLED = frozenset(
    "plan option gate vitamin group type section part class platform line grade answer choice room"
    " terminal exhibit appendix team size level zone row seat hall model hepatitis batch column"
    " gruppe typ klasse halle linie groupe opción opzione grupo".split()
)
"""After these a single letter is a name of its own: "Gate B."."""
ACTION_ADVERBS = frozenset(
    "always sometimes perhaps besides across this his its was is has".split()
)
SPOKE = frozenset(
    "asked said yelled cried shouted whispered replied answered wondered exclaimed muttered"
    " demanded inquired screamed murmured snapped begged says asks".split()
)
"""Behind a quotation and a name: "Why?" Anna asked."""
