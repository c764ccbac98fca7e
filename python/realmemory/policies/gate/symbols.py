"""What a text says by symbols: the sign of a number, ``C#``, ``€``, ``½``, ``>=``, an emoji.

The words of a text are read elsewhere, and every other sign is passed over there. Most of those
only set the text: quotes, dashes between words, bullets, emphasis, brackets around words. The rest
change what is said as a word would; they are read here, with what they are written on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from collections.abc import Iterable

_DASHES = "\u2010\u2011\u2012\u2013\u2212-"
"""What may stand for a minus before a number; elsewhere each is a hyphen or a dash."""
_SPELLED = {
    **{ord(dash): "-" for dash in _DASHES},
    **str.maketrans({"≤": "<=", "≥": ">=", "≠": "!=", "≈": "~"}),
    **str.maketrans({"→": "->", "←": "<-", "⇒": "=>"}),
}
"""Signs that have a spelling of plain characters."""
_OTHERS = "\u00a2-\u00be\u00d7\u00f7\u2030-\u2034\u2070-\u2bff\U0001f000-\U0001faff"
"""Where currencies, fractions, mathematical signs, arrows and emoji are."""
_SYMBOL = re.compile(
    rf"""
      </?[a-z][^\s<>]*>                                 # A tag or a placeholder is a word.
    | (?P<option>(?<![\w+{_DASHES}])(?:\+[a-z]+|-[a-z]{{1,2}}(?![\w{_DASHES}])))
    | (?P<key>(?:(?<=ctrl|trol|hift|mand|tion|meta|uper)|(?<=alt|cmd|win))\+[^\w\s])
    | (?P<sign>(?<![\w°%)\]$€£₽+{_DASHES}])[+{_DASHES}][$€£¥₽]?\.?\d[\d.]*(?<=\d))
    | (?P<tail>(?<=\w)(?:\+\+?|\#)(?![\w+\#])
        | (?<=(?<!\w)[a-z])[-\u2212](?![\w>{_DASHES}])
        | (?-i:(?<=[A-ZА-Я])[-\u2212](?![\w>{_DASHES}])))
    | (?P<power>\^[+{_DASHES}]?\w*)
    | (?P<struck>~~(?=\w))
    | (?P<operator>->|<-|===?|<=|>=|=>|!=|&&|\|\||<<|>>|<|(?<=[^\n])>|>(?=\s*\d)
        | (?<=\S\ )[+*|](?=\ \S) | (?<!~)~(?=[\d/]) | (?<![\w!?])!(?:\w+|(?=[*/.\w])))
    | (?P<other>[${_OTHERS}])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SIGN = re.compile(rf"[+#<>=^&|$~!{_OTHERS}{_DASHES}]")
"""What each symbol begins with; looking for it costs much less than trying every place."""
_BLOCK = re.compile(r":[ \t]*\n[ \t]+(?![-*+\u2022\s]|\d+[.)])")
"""A block of code that only its indentation ends; an indented list is none."""
_DOTTED = re.compile(r"\.(?<![\w.].)\w+")
"""A name that begins with a dot, or a fraction without its zero."""
_UNIT = re.compile(
    r"\d(?<![\w.].)\d*(?:\.\d+)?[ \u00a0\u202f]?"
    r"([MGTBМГТ]|[KMGTPКМГТ]i?[bб]|M[gs]|m(?:[WVAJFSN\u03a9]|Hz|Pa))(?=ps\b|\b)"
)
"""Units that mean another in the more usual case: mega for milli, bits for bytes."""
_SILENT = frozenset("°©®™№\u263a\U0001f600\U0001f603\U0001f604\U0001f609\U0001f60a\U0001f642")
"""Signs beside words that say the same; a smile is no more than ":)" is."""
_DRAWN = re.compile("[\u2500-\u25ff]")
"""Lines, boxes and bullets."""
_TELLING = frozenset(["Sm", "Sc", "So", "No"])
_BRACKETS = (("[", "]"), ("{", "}"))


def symbols_of(text: str) -> tuple[str, ...]:
    """Return what a text says by symbols, sorted, as often as it does.

    Args:
        text: Its numbers are written without separators.
    """
    found = [*_unpaired(text), *_UNIT.findall(text), *map(str.casefold, _DOTTED.findall(text))]
    sign = _SIGN.search(text)
    while sign is not None:
        match = _SYMBOL.match(text, sign.start())
        if match is not None and match.lastgroup is not None:
            found += _told(match, text)
        sign = _SIGN.search(text, (match or sign).end())
    if _BLOCK.search(text):
        found.append(_nesting(text))
    return tuple(sorted(found))


def _nesting(text: str) -> str:
    """Return how deep each line of a code with blocks stands, however wide a step is."""
    open_at, depths = [0], []
    for line in filter(str.strip, text.expandtabs(8).splitlines()):
        width = len(line) - len(line.lstrip())
        while width < open_at[-1]:
            open_at.pop()
        if width > open_at[-1]:
            open_at.append(width)
        depths.append(str(len(open_at) - 1))
    return f"depths {' '.join(depths)}"


def written_on_words(symbols: Iterable[str]) -> bool:
    """Say whether one changes the word or number it is written on, as a sign does and ``✅`` does not."""
    return any(any(map(str.isalnum, symbol)) for symbol in symbols)


def _unpaired(text: str) -> list[str]:
    """Return the brackets that enclose nothing: such a one is the name of a key."""
    found: list[str] = []
    for opening, closing in _BRACKETS:
        if opening in text or closing in text:
            left = text.count(opening) - text.count(closing)
            found += [opening if left > 0 else closing] * abs(left)
    return found


def _told(match: re.Match[str], text: str) -> list[str]:
    symbol, kind = match.group(), match.lastgroup
    if kind == "option":
        # In the name of an option the case tells.
        return [symbol]
    if kind == "other" and not _tells(symbol):
        return []
    if kind == "tail":
        symbol = _word_before(text, match.start()) + symbol
    return [symbol.translate(_SPELLED).casefold()]


def _tells(symbol: str) -> bool:
    if symbol in _SILENT or _DRAWN.match(symbol):
        return False
    return symbol == "‰" or category(symbol) in _TELLING


def _word_before(text: str, end: int) -> str:
    begin = end
    while begin and (text[begin - 1].isalnum() or text[begin - 1] == "_"):
        begin -= 1
    return text[begin:end]
