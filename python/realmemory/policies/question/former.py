"""Whether a question asks for how something was before: "used to", "previous", "раньше", "früher".

The past tense alone does not: "where did Anna live?" may be about a day or about now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.late import late_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.policies.times.days import Span
    from realmemory.store.records import Version

_HARDLY = 0.1
"""Confidence below which a version, and all that replaced it, is another matter than is asked for."""
_AS_WELL = 0.8
"""What a version is an answer at least, of what replaced it: it may be worded otherwise."""
_STEMS = (
    "used", "use to", "previous", "former", "prior", "earlier", "original", "initial", "old", "before",
    "then", "past", "früher", "vorher", "vorig", "zuvor", "damal", "ehemal", "ursprüng", "alte", "bevor",
    "раньше", "прежн", "прежде", "бывш", "до этого", "до того", "изначальн", "первоначальн", "стар",
)  # fmt: skip
"""Where a question holds none of these it asks for no former state; looking is much cheaper."""
_FORMER = late_pattern(
    r"\b(?:used to|(?:previous|former|initial|original)(?:ly)?"
    r"|prior(?! to)|earlier(?! than)|did\s(?:\w+\s){1,3}use to|back then|in the past"
    r"|(?<!how )(?<!-)(?<!years )(?<!year )(?<!months )old(?= \w)"
    r"|früher\w*|vorher\w*|vorig\w+|zuvor|damals|ehemal\w+|ursprünglich\w*|alte[mnrs]?"
    r"|раньше(?! \d)|прежн\w+|прежде(?! всего)|бывш\w+|до (?:этого|того)|изначальн\w+|первоначальн\w+"
    r"|стар(?:ый|ая|ое|ые|ого|ой|ому|ым|ом|ую|ых|ыми))\b"
)
_PURPOSE = late_pattern(r"\b(?:is|are|be|being|get|got)(?:\s\w+){0,3}\sused to\b")
"""What something is for, or what somebody grows used to, is no former state."""
_BEFORE = late_pattern(
    r"\b(?:did|was|were|had)\b.*\bbefore\b|\b(?:hat|hatte|war|wurde|\w{3,}te|ge\w+)n?\b.*\bbevor\b"
)
"""With "before" it is the past that is asked for; what is to be done before is not."""


def held(version: Version, spans: Sequence[Span]) -> bool:
    """Say whether a version held at one of some times, or ever where none is given."""
    if not version.begin < version.end:
        # Corrected to the time that it was said of: it never held.
        return False
    return not spans or any(
        max(version.begin, span.start) < min(version.end, span.end) for span in spans
    )


def then_likely(confidence: float, replacing: float) -> float:
    """Return the confidence in a version that held when a question asks for, 0 to hide it.

    Args:
        confidence: How well it answers by its own words.
        replacing: How well the best of what replaced it does.
    """
    likely = max(confidence, _AS_WELL * replacing)
    return likely if likely >= _HARDLY else 0.0


def asks_for_former(question: str) -> bool:
    """Say whether a question asks in so many words for how something was before."""
    lowered = question.casefold()
    if not any(stem in lowered for stem in _STEMS):
        return False
    lowered = _PURPOSE.sub(" ", lowered)
    return bool(_FORMER.search(lowered) or _BEFORE.search(lowered))
