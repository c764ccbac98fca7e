"""Little words, which carry no matter of their own: articles, prepositions, pronouns, auxiliaries."""

from __future__ import annotations

from realmemory.policies.words import word_set

INDEFINITE = word_set("a an")
ENGLISH_ARTICLES = INDEFINITE | word_set("the")
GERMAN_ARTICLES = word_set("der die das den dem des ein eine einen einem einer eines")
ARTICLES = ENGLISH_ARTICLES | GERMAN_ARTICLES

ENGLISH_OWNERS = word_set("my our your his her its their")
GERMAN_OWNERS = word_set(
    """
    mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein seine seinen seinem
    seiner seines ihr ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer unseres
    """
)
OWNERS = ENGLISH_OWNERS | GERMAN_OWNERS
RUSSIAN_OF_ONE = word_set("мой моя моё твой твоя твоё наш наша наше ваш ваша ваше этот эта")
RUSSIAN_OF_MANY = word_set("мои твои наши ваши эти")
"""Say in the nominative, which no other case shares, whether one is meant or several."""

DEMONSTRATIVES = word_set("this that these those dieser diese dieses diesen diesem")
WHICH = word_set("which what welcher welche welches welchen")
EACH = word_set("each every")
RUSSIAN_EACH = word_set("каждый каждая каждое каждые каждую каждого")
SOME = word_set("any some no")
OF_ONE = ENGLISH_OWNERS | word_set("the this that")
"""Before what there is one of."""
DETERMINERS = (
    ARTICLES | OWNERS | RUSSIAN_OF_ONE | RUSSIAN_OF_MANY | DEMONSTRATIVES | WHICH | EACH | SOME
)
"""What stands before a noun and begins what it names."""

ENGLISH_PREPOSITIONS = word_set(
    """
    of to from in into on onto at by for with within without during before after since until till
    over under above below between through about against per via toward towards behind near off out
    up down
    """
)
GERMAN_PREPOSITIONS = word_set(
    """
    in im ins am ans auf aus bei beim mit nach seit von vom zu zum zur unter über vor hinter neben
    zwischen für gegen ohne um durch bis ab während wegen
    """
)
"""Without "an", which is an English article far more often."""
RUSSIAN_PREPOSITIONS = word_set(
    """
    в во на из изо от ото до для без с со к ко по о об обо при про под над перед за через между у
    вместо после среди около ради
    """
)
PREPOSITIONS = ENGLISH_PREPOSITIONS | GERMAN_PREPOSITIONS | RUSSIAN_PREPOSITIONS
SUBORDINATING = word_set("than because if when while если когда потому")
"""Tie a clause to another, as prepositions do a noun."""

MINE = word_set(
    """
    i we my our us me ich wir mich mir mein meine meinen meinem meiner meines unser unsere unseren
    unserem unserer unseres uns я мы мой моя моё мои наш наша наше наши нас меня мне нам
    """
)
"""Of whoever speaks."""
SUBJECTS = word_set("i you he she it we they")
SOMEBODY = SUBJECTS | word_set(
    """
    me us him them there here anyone anybody someone somebody everyone everybody nobody one ones
    anything something everything nothing all both who ich du er sie es wir man jemand alles etwas
    dort hier mich mir uns ihm ihn я ты он она оно мы вы они нам мне меня нас его её их это там тут
    кто-то что-то все
    """
)
"""What stands for whoever or whatever is meant."""

IS = word_set("is are am isn't aren't")
WAS = word_set("was were wasn't weren't")
RUSSIAN_WAS = word_set("был была было были")
GERMAN_IS = word_set("ist sind bin war waren")
BE = IS | WAS | word_set("be been") | GERMAN_IS
BECOME = word_set("wird werden wurde wurden")
"""German, which makes the passive and the future of it."""
COPULAS = BE | RUSSIAN_WAS | BECOME | word_set("has have had hat haben = это")
"""What ties a thing to what it is said to be, or to have."""
HAS = word_set("has have hasn't haven't")
HAVE = HAS | word_set("had hadn't hat habe haben hatte hatten")
DOES = word_set("do does don't doesn't")
DO = DOES | word_set("did didn't")
FUTURES = word_set("will won't буду будешь будет будем будете будут")
CONDITIONALS = word_set("would wouldn't бы б")
MODAL_VERBS = word_set("can could should must may might shall kann können soll muss darf")
AUXILIARIES = BE | HAVE | DO | BECOME | MODAL_VERBS | word_set("will would")
PRESENTS = IS | DOES
PASTS = WAS | word_set("did didn't had hadn't")
"""Auxiliaries by the time that they tell of."""

ENGLISH = word_set(
    """
    the is are we you they he she it this that with from must every each any has have does and when
    their its your our my only use uses was were not on at of
    """
)
"""Show that a text is English, of whatever language it might be else."""
NEGATIONS = word_set(
    """
    no not never none without cannot nor neither nobody nothing nowhere hardly barely scarcely
    isn't aren't wasn't weren't don't doesn't didn't won't can't couldn't shouldn't wouldn't mustn't
    hasn't haven't hadn't needn't mayn't ain't
    не ни нет без никогда нельзя никто никого никому ничего ничто нигде никакой никакие едва
    """
)

GERMAN_NEGATIONS = word_set("nicht nie niemals kein keine keinen keinem keiner")
