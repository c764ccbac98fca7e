"""Little words as the gate compares them: what each ties together, and which may come and go."""

from __future__ import annotations

from realmemory.policies.words import first_of_line, word_set
from realmemory.policies.words.little import (
    EACH,
    ENGLISH_PREPOSITIONS,
    NEGATIONS,
    RUSSIAN_EACH,
    RUSSIAN_PREPOSITIONS,
    SUBORDINATING,
)

MARKERS = (
    ENGLISH_PREPOSITIONS | RUSSIAN_PREPOSITIONS | SUBORDINATING | EACH | RUSSIAN_EACH
) - NEGATIONS
"""Tie the words after them to the sentence: who does what to whom hangs on them."""

BINDING = word_set(
    """
    of to from at by for with during before after since until above below between through against
    via towards behind near than because if when while
    """
)
"""Markers that belong to what follows them, and are no part of a verb."""

DIRECTIONS = word_set(
    """
    to from for with before after until since above below against
    из от до для с к после перед
    """
)
"""Markers of which none may stand for another, in whatever words."""

PLACES = first_of_line("""
in on at into onto within inside
from off
before until till
after since
over above
under below
between
through
against
behind
near
в во на
из изо
от ото
до перед
после через
под
над
между
у
за
вместо
около
for
because
""")
"""Markers of place, time and direction; those of one line may stand for each other."""

ALIKE = first_of_line("""
in during
until till
towards toward
из изо
от ото
с со
к ко
о об обо
в во
""")
"""Little words that may stand for each other everywhere."""

FLOATING = word_set("все всех всю весь вся")
"""Stand before or behind what they are about."""

LIGHT = word_set(
    """
    the a an this that these those there here it its is are was were be been being am isnt
    do does did done doing have has had having will would get gets got getting become becomes
    i we us our ours you your yours he him his she her they them their theirs who which whom whose
    and or as so also too just only even still already then than please note remember remind
    that now currently
    и а но или же ли бы то это этот эта эти эту этого этой этом тот та те его ее их мы нас нам
    наш наша наше наши наши нашей нашего вы вас ваш ты я он она оно они который которая которое
    которые которых быть есть был была было были будет будут является являются также тоже уже еще
    только лишь все всё весь всех вся всю сейчас пожалуйста запомни помни учти сначала потом
    """
)
"""Carry no fact by themselves."""

SILENT = word_set(
    """
    the this that these those there it is are was were be been being am isnt do does did done doing
    have has having will would get gets got getting who which whom whose its and as please note remember
    remind currently each every
    и а но же то это этот эта эти эту этого этой этом тот та те который которая которое которые
    которых быть есть был была было были будет будут является являются сейчас пожалуйста запомни
    помни учти сначала каждый каждая каждое каждые каждую каждого
    """
)
"""Little words that may come and go; what time, doubt or denial they tell of is compared as such."""
