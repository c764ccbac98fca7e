"""What quantities are counted in, and the words that ask for one, English, German and Russian."""

from __future__ import annotations

from realmemory.policies.words import word_set
from realmemory.policies.words.numbers import NUMBERS

MONEY = word_set(
    """
    € $ £ ¥ ₽ euro euros eur usd dollar dollars pound pounds quid cent cents franc francs franken chf
    yen zloty rouble roubles ruble rubles rub рубль рубля рублей рублём рублями рублях руб доллар
    доллара долларов долларами евро копеек копейки копейка тенге гривен гривны free бесплатно
    бесплатный бесплатная бесплатные даром kostenlos gratis umsonst
    """
)
TIME = word_set(
    """
    ms millisecond milliseconds s sec secs second seconds minute minutes min mins hour hours h hr hrs
    day days night nights weekend weekends week weeks fortnight month months year years decade decades
    century centuries quarter quarters millisekunde millisekunden sekunde sekunden minuten stunde
    stunden tag tage tagen nacht nächte nächten woche wochen monat monate monaten jahr jahre jahren мс
    миллисекунд миллисекунды сек секунда секунды секунд секунду мин минута минуты минут минуту час часа
    часов день дня дней дни сутки суток ночь ночи ночей неделя недели недель неделю месяц месяца
    месяцев год года лет году квартал квартала полгода полчаса полтора always forever ever permanently
    indefinitely immer ewig dauerhaft всегда навсегда вечно бессрочно
    """
)
LENGTH = word_set(
    """
    mm cm m km metre metres meter meters kilometre kilometres kilometer kilometers kilometern
    centimetre centimetres centimeter centimeters millimetre millimetres millimeter zentimeter foot
    feet ft inch inches yard yards mile miles мм см м км метр метра метров метрах сантиметр сантиметра
    сантиметров миллиметр миллиметра миллиметров километр километра километров километрах миль мили
    """
)
WEIGHT = word_set(
    """
    g kg mg gram grams gramme grammes kilo kilos kilogram kilograms kilogramme kilogrammes ton tons tonne
    tonnes lb lbs pound pounds ounce ounces oz gramm kilogramm tonnen г кг грамм грамма граммов кило
    килограмм килограмма килограммов тонна тонны тонн
    """
)
DATA = word_set(
    """
    byte bytes kb mb gb tb kib mib gib tib megabyte megabytes gigabyte gigabytes terabyte terabytes кб мб
    гб тб байт байта мегабайт мегабайта гигабайт гигабайта терабайт терабайта
    """
)
DEGREE = word_set("° degree degrees celsius fahrenheit grad градус градуса градусов градусах")
PERCENT = word_set("% percent percentage prozent процент процента процентов")
FREQUENCY = word_set("hz khz mhz ghz hertz kilohertz fps гц кгц мгц ггц герц килогерц")

_CARDINALS = frozenset(word for word, value in NUMBERS.items() if value[0].isdigit())
NUMERALS = _CARDINALS | word_set(
    """
    hundreds thousands million millions billion billions thirds quarters once twice thrice single pair
    couple several dozens none zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn
    fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig
    neunzig hundert tausend millionen halb halbe halben anderthalb beide beiden einmal zweimal dreimal
    paar dutzend keine четырьмя пятью шестью семью восемью девятью десятью сотня сотни сотен двести двухсот
    триста трёхсот четыреста пятьсот шестьсот семьсот восемьсот девятьсот миллион миллиона миллионов
    миллиард полтора полторы пара пару пары несколько дважды трижды однажды единственный единственная нет
    ни
    """
)
"""Words that are numbers, or as good as one where it is asked how many."""
ALONE = word_set(
    "one один одна одно одного одной одну одним both оба обе beide beiden нет ни keine none"
)
"""Those that stand where nothing is counted as well."""

COSTS = word_set(
    """
    cost costs price priced fee salary wage wages rent earn earns earned pay pays paid charge charges
    charged spend spends spent owe owes worth kostet kosten preis miete gehalt lohn gebühr zahlt zahle
    bezahlt verdient стоит стоят стоил стоила стоили стоимость цена цену цены цене платит плачу платим
    платят заплатил заплатила заплатили зарабатывает зарплата зарплату обошлась обошлось обошёлся денег
    """
)
"""Ask for a sum of money, behind what asks how much; before a noun and behind "what"."""
NOUNS_OF_MONEY = word_set(
    """
    price fee salary wage wages rent preis miete gehalt lohn gebühr стоимость цена цену цены зарплата
    зарплату зарплате
    """
)
VERBS_OF_MONEY = word_set("cost costs pay earn charge kostet kosten zahlen verdienen")
EACH_TIME = word_set("per a an each every pro im")
"""Before the time that a sum is paid for."""
WEIGHS = word_set("weigh weighs weighed weight wiegt wiegen gewicht весит весят весил весила вес")
AGES = word_set("age alter лет возраст")
WARMTH = word_set(
    "temperature temperatur temperaturen температура температуру температуре температуры"
)
SHARES = word_set(
    "discount percentage percent rabatt prozent скидка скидку скидки процент процента процентов"
)
RATES = word_set("frequency frequenz частота частоту частоте частотой")
LASTS = word_set("времени длится длилась длился длилось длятся")
"""Behind "сколько" ask how long."""
RATE, SAMPLED = "rate", word_set("sampling sample frame refresh clock bit baud")
DIGITS = word_set("port pin порт порту")
LONG, OLD, HEAVY = word_set("long lange"), word_set("old alt"), word_set("heavy schwer")
TALL = word_set("tall high wide deep far weit tief breit hoch groß")
WARM = word_set("hot warm cold heiß kalt")
MANY, MUCH = word_set("many viele vielen"), word_set("much viel wieviel")
HOW_MUCH = "сколько"
PHONE, PHONE_NUMBER = (
    word_set("phone telephone mobile телефона"),
    word_set("telefonnummer handynummer"),
)
NUMBER_OF = word_set("number номер")
ADDRESS = word_set("address adresse адрес")
IP, MAIL = word_set("ip"), word_set("email e-mail mail почты")
