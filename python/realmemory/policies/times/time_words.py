"""Words that moments are told by, English, Russian and German, as parts of patterns, casefolded."""

from __future__ import annotations

WEEKDAYS = (
    r"mon(?:day)?|понедельник\w*|montags?",
    r"tue(?:s(?:day)?)?|вторник\w*|dienstags?",
    r"wed(?:nesday)?|сред[аеуы]|mittwochs?",
    r"thu(?:rs(?:day)?)?|четверг\w*|donnerstags?",
    r"fri(?:day)?|пятниц\w*|freitags?",
    r"sat(?:urday)?|суббот\w*|samstags?|sonnabends?",
    r"sun(?:day)?|воскресень\w*|sonntags?",
)
MONTHS = (
    r"jan(?:uary)?|январ[ьяею]\w*|januars?|jänner",
    r"feb(?:ruary)?|феврал[ьяею]\w*|februars?|feber",
    r"mar(?:ch)?|март(?:а|е|у|ом)?|märz",
    r"apr(?:il)?|апрел[ьяею]\w*|aprils",
    r"may|ма(?:й|я|е|ю|ем)|mai",
    r"june?|июн[ьяею]\w*|junis?",
    r"july?|июл[ьяею]\w*|julis?",
    r"aug(?:ust)?|август(?:а|е|у|ом)?|augusts",
    r"sept?(?:ember)?|сентябр[ьяею]\w*|septembers",
    r"oct(?:ober)?|октябр[ьяею]\w*|okt(?:obers?)?",
    r"nov(?:ember)?|ноябр[ьяею]\w*|novembers",
    r"dec(?:ember)?|декабр[ьяею]\w*|dez(?:embers?)?",
)
SEASONS = (
    r"winters?|зим\w{1,3}",
    r"spring|весн\w{1,3}|frühlings?|frühjahrs?",
    r"summer|лет(?:о|ом|а|у|е)|sommers?",
    r"autumn|fall|осен\w{1,3}|herbst(?:e?s)?",
)
UNITS = (
    ("day", r"days?|день|дня|дней|tage[ns]?"),
    ("week", r"weeks?|недел\w{1,2}|wochen?"),
    ("month", r"months?|месяц\w{0,3}|monat(?:e[ns]?|s)?"),
    ("year", r"years?|год|года|году|лет|jahr(?:e[ns]?|s)?"),
)
_NUMBERS = {
    1: "a an one один одну одна ein eine einem einen einer",
    2: "two couple couple_of два две пару zwei",
    3: "three few several three_or_so три несколько drei ein_paar einige einigen",
    4: "four четыре vier",
    5: "five пять fünf",
    6: "six шесть sechs",
    7: "seven семь sieben",
    8: "eight восемь acht",
    9: "nine девять neun",
    10: "ten десять zehn",
}
NUMBERS = {
    word.replace("_", " "): count for count, words in _NUMBERS.items() for word in words.split()
}
PAST = r"(?:last|past|previous|прошл\w{2,3}|letzte[mnrs]?|vorige[mnrs]?|vergangene[mnrs]?)"
THIS = r"(?:this|current|эт\w{1,2}|текущ\w{2,3}|diese[mnrs]?)"
NEXT = r"(?:next|coming|следующ\w{2,3}|nächste[mnrs]?|kommende[mnrs]?)"
LAST_BUT_ONE = r"(?:vorletzte[mnrs]?|позапрошл\w{2,3})"
WEEKEND = r"(?:weekend|выходны\w|wochenende)"
PART_OF_DAY = r"(?:früh|morgen|vormittag|mittag|nachmittag|abend|nacht)"

BEFORE = ("before", "until", "till", "до", "vor", "bis")
AFTER = ("after", "после", "nach")
SINCE = ("since", "с", "seit", "ab")
BETWEEN = ("between", "from", "между", "zwischen", "von", "vom")
LINKS = ("and", "to", "until", "till", "и", "по", "до", "und", "bis")
RELATING = (*BEFORE, *AFTER, *SINCE, *BETWEEN, *LINKS)
"""What says how a time relates to what is told; it is read by itself."""
LEADS = (
    "in", "during", "of", "by", "early", "mid", "late", "в", "за", "начале", "середине", "конце",
    "im", "während", "anfang", "mitte", "ende",
)  # fmt: skip
"""What a bare month or year follows besides."""
GERMAN_VERBS = (
    "hat", "habe", "haben", "hatte", "hatten", "ist", "sind", "war", "waren", "wurde", "wurden"
)  # fmt: skip
"""What a bare year follows in a German sentence, a few words later."""
GERMAN_PARTICIPLE = r"(?:(?:\w*ge|be|ver|er|ent|zer)\w+(?:t|en)|\w+iert)"
# fmt: off
HINTS = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "day",
    "night", "week", "month", "year", "ago", "winter", "spring", "summer", "autumn", "fall",
    "tomorrow", "morning", "янв", "фев", "март", "апр", "май", "мая", "мае", "маю", "июн", "июл",
    "авг", "сент", "окт", "ноя", "дек", "вчера", "сегодня", "завтра", "недел", "месяц", "год",
    "лет", "назад", "зим", "весн", "осен", "понед", "вторн", "сред", "четв", "пятн", "суббот",
    "воскр", "выходн", "день", "дня", "gestern", "heute", "woch", "monat", "jahr", "tag", "jänner",
    "märz", "mai", "okt", "dez", "frühling", "sommer", "herbst", "morgen", "nacht", "abend",
)
# fmt: on
"""Where neither these nor a digit is found no rule can match; looking is much cheaper."""
