"""Forms of verbs that no ending tells."""

from __future__ import annotations

from realmemory.policies.words import first_of_line, word_set

BASES = first_of_line("""
begin began begun
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
do done
drive drove
eat ate
find found
get got gotten
give gave given
go gone went
hold held
keep kept
lead led
learn learnt
leave left
lend lent
lose lost
make made
pay paid
run ran
see saw
sell sold
send sent
sing sang
speak spoke
steal stole
take taken took
teach taught
tell told
win won
write written wrote
""")
"""Forms of irregular verbs that tell of the past, or are participles."""

NOUNS_FOR_VERBS = word_set(
    "author authors app apps application applications deployment deployments"
)
"""Nouns among the :data:`SYNONYMS` of verbs; a noun tells of any time."""

VERB_ENDINGS = (
    "ть",
    "ти",
    "ай",
    "йте",
    "ет",
    "ют",
    "ит",
    "ят",
    "ат",
    "ем",
    "им",
    "ла",
    "ло",
    "ли",
)
"""Ends of Russian verbs, as far as they tell them from other words."""
