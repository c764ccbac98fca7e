"""Whether a sentence tells of something that happened and may happen again.

"The server crashed" told on two days was two crashes; "we chose Postgres" told on two days was one
choice, and "the server runs Debian" is no event at all. English, German and Russian, by the forms of
verbs and closed lists of what is done once or lasts; in doubt it is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from realmemory.policies.gate.tense import RUSSIAN_PAST
from realmemory.policies.gate.utterance import names_date, utterance
from realmemory.policies.words import CYRILLIC, little, markers, statements

if TYPE_CHECKING:
    from realmemory.policies.gate.reading import FactSignature
    from realmemory.policies.gate.utterance import Spoken

_LONGEST = 12
"""Words of a sentence whose like may happen again; a longer one tells of a single case."""
_REGULAR = re.compile(r"\w\w+[^e]ed$")
_IRREGULAR = frozenset(
    """
    ate broke brought came caught did drank drove fed fell felt flew forgot froze gave got had left
    lost made met missed overslept paid ran rang rode sang saw sent sent shook slept spilt spoke
    swam threw told took went woke won wrote
    """.split()  # noqa: SIM905 - a word list reads as one
)
_ONCE = frozenset(
    """
    accepted added adopted agreed allowed appointed approved assigned assumed banned based became
    began belonged born bought built called chose chosen considered created decided decreased
    defined deprecated designed died disabled divorced dropped enabled ended engaged established
    expected finished fixed founded graduated hated hired implemented increased installed interested
    introduced invented joined kept known lasted learned learnt liked lived loved made married meant
    merged migrated moved named needed offered opened owned picked planned postponed preferred
    promised promoted proposed quit raised recommended reduced related removed renamed replaced
    required resigned retired scheduled selected settled signed sold solved standardised
    standardized started stored studied supported supposed switched taught tended tried
    trusted used wanted worked wrote
    решил решила решили выбрал выбрала выбрали переехал переехала переехали купил купила купили
    продал продала продали женился вышла родился родилась умер умерла назначил назначили жил жила
    жили работал работала работали любил любила хотел хотела хотели был была было были стал стала
    стало стали мог могла могли перенес перенесла перенесли заменил заменили перешел перешла перешли
    договорился договорились родила родил назвали починил починила починили одолжили начал начала начали закончил закончили нанял наняли уволил уволили
    beschlossen entschieden gekauft verkauft gebaut geheiratet gegründet gewechselt gezogen vereinbart
    geplant gewählt ausgewählt gewohnt gearbeitet gemocht gewollt verschoben eingestellt ersetzt
    """.split()  # noqa: SIM905 - as above
)
"""What is done once, or lasted: who tells it again tells of the same."""
_NOT_DONE = (
    little.PRESENTS | little.FUTURES | little.CONDITIONALS | statements.MODALS.keys() | little.HAS
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SUBJECTS = little.SUBJECTS | {"who"}
_BEHIND = statements.NOMINAL | markers.MARKERS | little.INDEFINITE | {"", "again", "today", "his"}
"""What follows a verb, not an attribute."""
_DONE_TO = frozenset(["was", "were", "got"])
_SHORTEST_RUSSIAN = 4
"""Letters up to which a word with such an ending may be a noun ("стол", "зал")."""
_RUSSIAN_PRESENT = re.compile(r"\w{2,}(?:[еиу]т|[юая]т|[еуюя]тся|ится)$")
_RUSSIAN_NOUNS = frozenset(
    "недели неделя около если после правила школа дела дело цели модели панели отели сила журнал сигнал канал материал персонал квартал вокзал".split()  # noqa: SIM905 - as above
)
_RUSSIAN_SHORTER = frozenset(["упал", "упала", "упало", "упали", "шел", "пошел", "пошла", "лег"])
_GERMAN_HELPERS = frozenset(["hat", "habe", "haben", "wurde", "wurden"])
_GERMAN_PARTICIPLE = re.compile(r"(?:\w*ge\w{2,}|(?:ver|be|er|ent|zer)\w{3,})(?:t|en)$")
_GERMAN_MOVES = re.compile(
    r"\w*(?:gefallen|gestürzt|gegangen|gekommen|gefahren|gelaufen|passiert)$"
)


def happened(text: FactSignature) -> bool:
    """Say whether a text is one sentence that tells of a deed or an incident of the past."""
    told = utterance(text.text)
    if text.corrects or told.asked or not 1 < len(told.words) <= _LONGEST:
        return False
    if sum(one.begins for one in told.words) > 1 or not _ONCE.isdisjoint(told.heard):
        return False
    if not _NOT_DONE.isdisjoint(told.heard) or any(map(_RUSSIAN_PRESENT.match, told.heard)):
        return False
    if _YEAR.search(text.text) or any(map(_names_day, told.words)):
        return False
    return any(map(_is_deed, told.words)) or _is_done_in_german([one.word for one in told.words])


def _names_day(one: Spoken) -> bool:
    """Say whether a word is a day or month: what happened then did so once, whenever it is told."""
    return one.word != "may" and names_date(one.word)


def _is_deed(one: Spoken) -> bool:
    word = one.word
    if CYRILLIC.search(word):
        return word in _RUSSIAN_SHORTER or (
            len(word) > _SHORTEST_RUSSIAN
            and word not in _RUSSIAN_NOUNS
            and RUSSIAN_PAST.search(word) is not None
        )
    if word not in _IRREGULAR and not _REGULAR.match(word):
        return False
    if one.begins or one.before in _SUBJECTS or one.before in _DONE_TO:
        return True
    return one.after in _BEHIND


def _is_done_in_german(words: list[str]) -> bool:
    if _GERMAN_MOVES.match(words[-1]):
        return not {"ist", "sind", "bin"}.isdisjoint(words)
    return not _GERMAN_HELPERS.isdisjoint(words) and bool(_GERMAN_PARTICIPLE.match(words[-1]))
