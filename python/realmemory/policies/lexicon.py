"""Words that decide whether two sentences state the same fact, English and Russian.

Small closed classes only: numbers, negation, modality, words that join or soften, and verbs and
nouns that ordinary language uses for one another. Everything is folded: lower case, ``ё`` as
``е``. A word that is in no list speaks for itself.
"""

from __future__ import annotations

import re

CYRILLIC = re.compile("[а-я]")
"""A letter of Russian; what tells is often the ending of a word, which English lacks."""


def _spread(groups: str) -> dict[str, str]:
    """Return word -> first word of its line."""
    lines = (line.split() for line in groups.strip().splitlines())
    return {word: words[0] for words in lines for word in words}


NUMBERS = _spread("""
0 zero ноль нуля
1 one один одна одно одного одной одну одним
2 two два две двух двумя двое двоих оба обе both
3 three три трех тремя трое троих
4 four четыре четырех четверо четверых
5 five пять пяти пятеро
6 six шесть шести
7 seven семь семи
8 eight восемь восьми
9 nine девять девяти
10 ten десять десяти
11 eleven одиннадцать одиннадцати
12 twelve dozen двенадцать двенадцати дюжина
13 thirteen тринадцать тринадцати
14 fourteen четырнадцать четырнадцати
15 fifteen пятнадцать пятнадцати
16 sixteen шестнадцать шестнадцати
17 seventeen семнадцать семнадцати
18 eighteen восемнадцать восемнадцати
19 nineteen девятнадцать девятнадцати
20 twenty двадцать двадцати
30 thirty тридцать тридцати
40 forty сорок сорока
50 fifty пятьдесят пятидесяти
60 sixty шестьдесят шестидесяти
70 seventy семьдесят семидесяти
80 eighty восемьдесят восьмидесяти
90 ninety девяносто
100 hundred сто ста
1000 thousand тысяча тысячи тысяч
0.5 half половина половины половину
#1 first 1st первый первая первое первого первой первую первом первые
#2 second 2nd второй вторая второе второго вторую втором вторые
#3 third 3rd третий третья третье третьего третьей третью третьем
#4 fourth 4th четвертый четвертая четвертое четвертого четвертой
#5 fifth 5th пятый пятая пятое пятого пятой
#6 sixth 6th шестой шестая шестое шестого
#7 seventh 7th седьмой седьмая седьмое седьмого
#8 eighth 8th восьмой восьмая восьмое восьмого
#9 ninth 9th девятый девятая девятое девятого
last last последний последняя последнее последнего последней последнюю
#10 tenth 10th десятый десятая десятое десятого
""")
"""Number words; an ordinal carries ``#``."""

NEGATIONS = frozenset(
    """
    no not never none without cannot nor neither nobody nothing nowhere hardly barely scarcely
    isnt arent wasnt werent dont doesnt didnt wont cant couldnt shouldnt wouldnt mustnt hasnt
    havent hadnt neednt maynt aint
    не ни нет без никогда нельзя никто никого никому ничего ничто нигде никакой никакие едва
    """.split()  # noqa: SIM905 - a word list reads as one
)

FORBIDDEN = frozenset(
    """
    forbidden forbid forbids prohibited prohibit prohibits banned
    запрещено запрещен запрещена запрещены запрещается запрещать запрет
    """.split()  # noqa: SIM905 - as above
)
"""Say "not allowed" in one word."""

MODALS = _spread("""
may can might allowed permitted могут может можем можно разрешено разрешен разрешена разрешены able
must should shall need needs needed required requires require have_to has_to должен должна должно должны нужно надо нужен нужна нужны следует требуется требует обязан обязаны необходимо
""")
"""What is permitted, and what is demanded."""

DENIED_MODALS = _spread("""
may cannot cant maynt нельзя
must mustnt shouldnt neednt
could couldnt
""")
"""Negations that say as well what is not permitted, demanded, or was not possible."""

LIGHT = frozenset(
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
    """.split()  # noqa: SIM905 - as above
)
"""Carry no fact by themselves."""

BINDING = frozenset(
    """
    of to from at by for with during before after since until above below between through against
    via towards behind near than because if when while
    """.split()  # noqa: SIM905 - as above
)
"""Markers that belong to what follows them, and are no part of a verb."""

DIRECTIONS = frozenset(
    """
    to from for with before after until since above below against
    из от до для с к после перед
    """.split()  # noqa: SIM905 - as above
)
"""Markers of which none may stand for another, in whatever words."""

ENGLISH = frozenset(
    """
    the is are we you they he she it this that with from must every each any has have does and when
    their its your our my only use uses was were not on at of
    """.split()  # noqa: SIM905 - as above
)
"""Show that a text is English."""

SILENT = frozenset(
    """
    the this that these those there it is are was were be been being am isnt do does did done doing
    have has having will would get gets got getting who which whom whose its and as please note remember
    remind currently each every
    и а но же то это этот эта эти эту этого этой этом тот та те который которая которое которые
    которых быть есть был была было были будет будут является являются сейчас пожалуйста запомни
    помни учти сначала каждый каждая каждое каждые каждую каждого
    """.split()  # noqa: SIM905 - as above
)
"""Little words that may come and go; what time, doubt or denial they tell of is compared as such."""

ARTICLES = frozenset(["a", "an"])
AMOUNTS = frozenset(["few", "little"])
"""With "a" before them they are more than without."""

FLOATING = frozenset(["все", "всех", "всю", "весь", "вся"])
"""Stand before or behind what they are about."""

ALIKE = _spread("""
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

MARKERS = frozenset(
    """
    of to from in into on onto at by for with within during before after since until till over
    under above below between through about against per via toward towards behind near off out up
    down than because if when while every each
    в во на из изо от ото до для с со к ко по о об обо при про под над перед за через между у
    вместо после среди около ради если когда потому каждый каждая каждое каждые каждую каждого
    """.split()  # noqa: SIM905 - as above
)
"""Tie the words after them to the sentence: who does what to whom hangs on them."""

GERMAN_PREPOSITIONS = frozenset(
    """
    in im ins am ans auf aus bei beim mit nach seit von vom zu zum zur unter über vor hinter neben
    zwischen für gegen ohne um durch bis ab während wegen
    """.split()  # noqa: SIM905 - as above
)
"""Begin a part of a German sentence that may stand before or behind its verb."""

PLACES = _spread("""
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

UNITS = _spread("""
second seconds sec s секунда секунды секунд секунду сек
minute minutes min минута минуты минут минуту мин
hour hours hr h час часа часов ч
day days день дня дней дни сутки суток
week weeks неделя недели недель неделю
month months месяц месяца месяцев
year years год года лет году
percent % percents процент процента процентов
pixel pixels px пиксель пикселя пикселей
kb кб килобайт
mb мб мегабайт мегабайта
gb гб гигабайт гигабайта
tb тб терабайт терабайта
kilogram kilograms kg кг килограмм килограмма килограммов
gram grams g грамм грамма граммов
kilometre kilometres kilometer kilometers km км километр километра километров километрах
metre metres meter meters m м метр метра метров метрах
centimetre centimetres centimeter centimeters cm см сантиметр сантиметра сантиметров
degree degrees градус градуса градусов
celsius °c
fahrenheit °f
time times раз раза
""")
"""Units in one spelling; without a number before them they are words like others."""

SYNONYMS = _spread("""
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

LOCATED = frozenset(["located", "situated"])
"""Add nothing to what is told to be in a place."""

SPELLINGS = _spread("""
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

FILLERS = frozenset(
    """
    programming way fact thing place kind job set work works working
    use uses used using utilise run runs running happen happens occur occurs exist exists
    используется используются используем применяем применяется
    язык языке качестве работает работают имеет имеют имеется имеются находится находятся
    расположен расположена расположено расположены размещен размещена размещено размещены стоит
    """.split()  # noqa: SIM905 - as above
)
"""Add nothing when one wording has them and the other has not."""

CHANGES = frozenset(
    """
    now moved changed switched instead replaced increased decreased reduced raised lowered cut
    postponed extended shortened renamed took
    теперь перенесли перенесен перенесена перенесено изменили увеличили уменьшили снизили подняли
    повысили заменили сменил сменила сменили вместо перешли переехал переехала продлили сократили
    """.split()  # noqa: SIM905 - as above
)
"""Say that something is otherwise than it was."""

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

PEOPLE = _spread("""
i me my mine myself im я меня мне мной мой моя мое мои моего моей моему моих моим мою
we us our ours ourselves мы нас нам нами наш наша наше наши нашего нашей нашему наших нашим нашу
you your yours yourself ты тебя тебе тобой твой твоя твое твои твоего твоей твоих вы вас вам вами ваш ваша ваше ваши вашего вашей ваших вашу
he him his himself он его ему него нему нем
she her hers herself она ее ей нее ней
they them their theirs themselves они их им них ними
""")
"""Whom a pronoun may mean; "it" and "this" mean what is told of, whatever that is."""

MANNERS = _spread("""
might might
can could able allowed permitted may
must need needs needed required requires require have_to has_to
should ought
shall
""")
"""English modals that :data:`MODALS` takes together and that make another statement of a sentence."""

POINTERS = _spread("""
this these этот эта это эти этого этой этому этим этих эту
that those тот та то те того той тому тем тех ту
here
there
""")
"""What is near and what is far; "that" alone may join two sentences."""

SENSES = _spread("""
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

WORKING = frozenset("work works working worked работает работают".split())  # noqa: SIM905 - as above
WORKPLACES = frozenset(["in", "at", "for", "в", "во", "у"])
"""Before these, working is more than being there: who works in a hospital is not in hospital."""

BOUNDS = _spread("""
over above
under below
about around около
up until till до
от
before
by
after после
""")
"""What stands before a number and makes a bound or an estimate of it."""

LIMITS = frozenset(["only", "solely", "только", "лишь"])
CHOICES = frozenset(["or", "или", "либо"])
SUPPOSITIONS = frozenset(["if", "unless", "если"])
RESTRICTIONS = (LIMITS, CHOICES, SUPPOSITIONS)
"""Words of one of these are in both of two texts that say the same."""

NEEDS = frozenset(
    """
    need needs needed required requires require have_to has_to нужно надо нужен нужна нужны требуется
    требует обязан обязаны необходимо
    """.split()  # noqa: SIM905 - as above
)
"""What denied leaves free, where the other :data:`MODALS` forbid."""

STEPS = frozenset(
    "сначала сперва потом затем then afterwards finally zuerst dann danach anschließend".split()  # noqa: SIM905 - as above
)
"""Say that the order of the words is that of the matter."""

CONDITIONALS = frozenset(["would", "wouldnt", "бы", "б"])
FUTURES = frozenset(
    "will wont буду будешь будет будем будете будут".split()  # noqa: SIM905 - as above
)
PASTS = frozenset(
    "was were wasnt werent did didnt had hadnt".split()  # noqa: SIM905 - as above
)
PRESENTS = frozenset(
    "is are am isnt arent do does dont doesnt".split()  # noqa: SIM905 - as above
)
"""Auxiliaries by the time that they tell of."""

BASES = _spread("""
begin began begun
break broken
bring brought
build built
buy bought
choose chose chosen
do done
find found
get got gotten
give given
hold held
keep kept
learn learnt
leave left
lose lost
make made
pay paid
sell sold
send sent
take took taken
tell told
write wrote written
""")
"""Forms of irregular verbs that tell of the past, or are participles."""

NOUNS_FOR_VERBS = frozenset(
    "author authors app apps application applications deployment deployments".split()  # noqa: SIM905 - as above
)
"""Nouns among the :data:`SYNONYMS` of verbs; a noun tells of any time."""

ASKING = frozenset(
    "is are was were does did can could should has will would".split()  # noqa: SIM905 - as above
)
"""Auxiliaries that make a question of a sentence when they stand before its subject."""

ASKED_FOR = frozenset(["who", "whom", "whose", "кто", "чей", "чья", "чье", "чьи"])
"""What begins a sentence that asks for a person."""

QUESTION_PARTICLES = frozenset(["ли", "разве", "неужели"])

DETERMINERS = frozenset(
    """
    the a an this that these those my our your his her its their there it he she we they you i
    some any all both no each every another such
    """.split()  # noqa: SIM905 - as above
)

OF_ONE = frozenset("the my our your his her its their this that".split())  # noqa: SIM905 - as above
"""Before what there is one of."""

DETERMINERS_OF_ONE = frozenset(
    """
    мой моя мое твой твоя твое наш наша наше ваш ваша ваше этот эта
    """.split()  # noqa: SIM905 - as above
)
DETERMINERS_OF_MANY = frozenset(["мои", "твои", "наши", "ваши", "эти"])
"""Say in the nominative, which no other case shares, whether one is meant or several."""

DISTRIBUTIVES = frozenset(["each", "every", "any", "no", "каждый", "каждая", "каждое", "любой"])
"""Make one stand for all: "each worker" is "workers"."""

BEFORE_VERBS = frozenset(
    """
    to not do does did dont doesnt didnt will wont can cannot cant could may might must should would
    never always i we you they he she it who which that please and also automatically
    """.split()  # noqa: SIM905 - as above
)
"""After these a word that may be noun or verb is a verb."""

COMPOUNDING = frozenset(
    """
    e re pre co non sub multi anti auto micro meta super inter over under up down out in on off
    back cross mid semi self ex de un bi tri by
    """.split()  # noqa: SIM905 - as above
)
"""Parts of compounds that are written in one or with a hyphen alike ("e-mail", "sign-up")."""
