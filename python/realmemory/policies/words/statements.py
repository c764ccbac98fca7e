"""How a statement is made: how surely, of whom, whether it asks; English and Russian."""

from __future__ import annotations

from realmemory.policies.words import first_of_line, word_set
from realmemory.policies.words.little import (
    EACH,
    ENGLISH_ARTICLES,
    ENGLISH_OWNERS,
    SOME,
    SUBJECTS,
)

FORBIDDEN = word_set(
    """
    forbidden forbid forbids prohibited prohibit prohibits banned
    запрещено запрещен запрещена запрещены запрещается запрещать запрет
    """
)
"""Say "not allowed" in one word."""

MODALS = first_of_line("""
may can might allowed permitted могут может можем можно разрешено разрешен разрешена разрешены able
must should shall need needs needed required requires require have_to has_to должен должна должно должны нужно надо нужен нужна нужны следует требуется требует обязан обязаны необходимо
""")
"""What is permitted, and what is demanded."""

DENIED_MODALS = first_of_line("""
may cannot cant maynt нельзя
must mustnt shouldnt neednt
could couldnt
""")
"""Negations that say as well what is not permitted, demanded, or was not possible."""

MANNERS = first_of_line("""
might might
can could able allowed permitted may
must need needs needed required requires require have_to has_to
should ought
shall
""")
"""English modals that :data:`MODALS` takes together and that make another statement of a sentence."""

NEEDS = word_set(
    """
    need needs needed required requires require have_to has_to нужно надо нужен нужна нужны требуется
    требует обязан обязаны необходимо
    """
)
"""What denied leaves free, where the other :data:`MODALS` forbid."""

LIMITS = word_set("only solely только лишь")

CHOICES = word_set("or или либо")

SUPPOSITIONS = word_set("if unless если")

RESTRICTIONS = (LIMITS, CHOICES, SUPPOSITIONS)
"""Words of one of these are in both of two texts that say the same."""

STEPS = word_set(
    "сначала сперва потом затем then afterwards finally zuerst dann danach anschließend"
)
"""Say that the order of the words is that of the matter."""

PEOPLE = first_of_line("""
i me my mine myself im я меня мне мной мой моя мое мои моего моей моему моих моим мою
we us our ours ourselves мы нас нам нами наш наша наше наши нашего нашей нашему наших нашим нашу
you your yours yourself ты тебя тебе тобой твой твоя твое твои твоего твоей твоих вы вас вам вами ваш ваша ваше ваши вашего вашей ваших вашу
he him his himself он его ему него нему нем
she her hers herself она ее ей нее ней
they them their theirs themselves они их им них ними
""")
"""Whom a pronoun may mean; "it" and "this" mean what is told of, whatever that is."""

POINTERS = first_of_line("""
this these этот эта это эти этого этой этому этим этих эту
that those тот та то те того той тому тем тех ту
here
there
""")
"""What is near and what is far; "that" alone may join two sentences."""

DISTRIBUTIVES = word_set("each every any no каждый каждая каждое любой")
"""Make one stand for all: "each worker" is "workers"."""

ASKING = word_set("is are was were does did can could should has will would")
"""Auxiliaries that make a question of a sentence when they stand before its subject."""

ASKED_FOR = word_set("who whom whose кто чей чья чье чьи")
"""What begins a sentence that asks for a person."""

QUESTION_PARTICLES = word_set("ли разве неужели")

NOMINAL = (
    ENGLISH_ARTICLES
    | ENGLISH_OWNERS
    | SUBJECTS
    | EACH
    | SOME
    | word_set("this that these those there all both another such")
)
"""What stands before an English noun, or for one."""

BEFORE_VERBS = word_set(
    """
    to not do does did dont doesnt didnt will wont can cannot cant could may might must should would
    never always i we you they he she it who which that please and also automatically
    """
)
"""After these a word that may be noun or verb is a verb."""
