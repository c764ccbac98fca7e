"""Words, spellings and phrases of one meaning or of opposite ones, English and Russian."""

from __future__ import annotations

from realmemory.policies.words import first_of_line, word_set

SYNONYMS = first_of_line("""
like likes liked prefer prefers preferred love loves favour favours
start starts started begin begins began commence
end ends ended finish finishes finished
store stores stored keep keeps kept retain retains retained
close closes closed shut shuts
located situated lies
choose chooses chose chosen pick picked select selected
application applications app apps
repository repositories repo repos
configuration configurations config configs
database databases db dbs
postgresql postgres
javascript js
typescript ts
telephone telephones phone phones
bicycle bicycles bike bikes
refrigerator refrigerators fridge fridges
apartment apartments flat flats
elevator elevators lift lifts
lorry lorries truck trucks
movie movies film films
mother mum mom
father dad
host hosts hosted serve serves served
called named addressed
daytime day_time day
each every
large big
write writes wrote written author
remove removes removed delete deletes deleted
switch_off switched_off turn_off turned_off
switch_on switched_on turn_on turned_on
retry retries retried try_again tries_again
live lives reside resides
liegt liegen befindet_sich befinden_sich
deploy deployment deployments deploys deployed
hourly every_hour each_hour
daily every_day each_day
weekly every_week each_week
monthly every_month each_month
automatic automatically
support supports supported
password passwords
buy buys bought purchase purchases purchased
send sends sent
learn learns learning study studies studying
любит любят любить нравятся нравится предпочитает предпочитают
начинается начинаются начался началась стартует стартовал стартовала начало
заканчивается кончается завершается
хранится хранятся лежит лежат храним
длится длятся занимает занимают
отвечает ответственный ответственная
отправляются отправляется уходят уходит
учит изучает учим изучаем
жена жены супруга супруги
муж мужа супруг
просил попросил просила попросила
делать сделать делает делаем
удалить удаляем удаляется
ежечасно каждый_час
ежедневно каждый_день
еженедельно каждую_неделю
ежемесячно каждый_месяц
выпускаем выпускаются выходят выходит выпускает
принимаются принимаем принимается
пишем пишутся пишется
""")
"""Words that ordinary language uses for one another."""

LOCATED = word_set("located situated")
"""Add nothing to what is told to be in a place."""

SPELLINGS = first_of_line("""
colour color
favourite favorite
behaviour behavior
neighbour neighbor
harbour harbor
labour labor
honour honor
flavour flavor
humour humor
rumour rumor
centre center
theatre theater
fibre fiber
grey gray
licence license
defence defense
catalogue catalog
organise organize
recognise recognize
realise realize
analyse analyze
apologise apologize
optimise optimize
customise customize
initialise initialize
synchronise synchronize
normalise normalize
serialise serialize
summarise summarize
prioritise prioritize
minimise minimize
maximise maximize
authorise authorize
""")
"""Words of one meaning and two spellings, British and American."""

FILLERS = word_set(
    """
    programming way fact thing place kind job set work works working
    use uses used using utilise run runs running happen happens occur occurs exist exists
    используется используются используем применяем применяется
    язык языке качестве работает работают имеет имеют имеется имеются находится находятся
    расположен расположена расположено расположены размещен размещена размещено размещены стоит
    """
)
"""Add nothing when one wording has them and the other has not."""

SENSES = first_of_line("""
use uses used using utilise
run runs running
work works working
set
job
place
thing
way
kind
""")
"""Fillers that are none where the other text has another of them."""

WORKING = word_set("work works working worked работает работают")

WORKPLACES = word_set("in at for в во у")
"""Before these, working is more than being there: who works in a hospital is not in hospital."""

NEGATING_PHRASES = {
    "out of order": "",
    "not in use": "use",
    "offline": "connection",
    "no longer": "",
    "no one": "everyone",
    "nobody": "everyone",
    "никто": "everyone",
    "никого": "everyone",
}
"""Phrases that deny, with the word that they deny."""

PHRASES = {
    "not only": "",
    "не только": "",
    "take place": "",
    "takes place": "",
    "took place": "",
    "кто угодно": "everyone",
    "any more": "",
    "any longer": "",
}
"""Phrases that say what one word, or none, would say."""

OPPOSITES = tuple(
    tuple(line.split())
    for line in """
    open close
    start end
    allow deny
    include exclude
    cover exclude
    enable disable
    accept reject
    increase decrease
    first last
    begin end
    on off
    in out
    always never
    before after
    above below
    more less
    minimum maximum
    up down
    left right
    buy sell
    public private
    true false
    encrypted unencrypted
    открывается закрывается
    открыт закрыт
    разрешен запрещен
    разрешено запрещено
    включает исключает
    включен выключен
    начало конец
    начале конце
    больше меньше
    минимум максимум
    до после
    раньше позже
    внутри снаружи
    """.strip().splitlines()
)
"""Pairs of which one excludes the other."""

COMPOUNDING = word_set(
    """
    e re pre co non sub multi anti auto micro meta super inter over under up down out in on off
    back cross mid semi self ex de un bi tri by
    """
)
"""Parts of compounds that are written in one or with a hyphen alike ("e-mail", "sign-up")."""
