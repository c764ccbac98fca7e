"""What people say in other words is one memory, where that is certain."""

from __future__ import annotations

import pytest

from flows.pairs import merged, pairs_of

SAID_BY_TWO = """
In May we moved to Hamburg | We moved to Hamburg in May
On Mondays Clara teaches the beginners | Clara teaches the beginners on Mondays
If the pump fails, Marek calls the plumber | Marek calls the plumber if the pump fails
The report is due on Friday at noon | On Friday at noon the report is due
Ingrid painted the fence | The fence was painted by Ingrid
The caretaker locks the gate at ten | The gate is locked by the caretaker at ten
Pavel wrote the parser | The parser was written by Pavel
The council approved the plan | The plan was approved by the council
The archive is located in the cellar | The archive is in the cellar
The village lies in the Black Forest | The village is located in the Black Forest
Our office is situated in Bergen | Our office is located in Bergen
I like oolong | I love oolong
My favourite colour is green | Green is my favourite colour
My favorite colour is green | My favourite color is green
I don't eat meat | I do not eat meat
It's raining in Oslo | It is raining in Oslo
We've sold the boat | We have sold the boat
She'll arrive on Tuesday | She will arrive on Tuesday
The tests can't run without Docker | The tests cannot run without Docker
Note that the printer is on the third floor | The printer is on the third floor
Remember: staging uses port 8443 | Staging uses the port 8443
The backup runs every night | Backup runs every night
The doctor's name is Weber | The name of the doctor is Weber
The shop closes at six | The shop shuts at six
Our daughter's school begins at eight | Our daughter's school starts at eight
The car needs repairing | The car needs to be repaired
Logs are kept for 30 days | Logs are retained for 30 days
Deploys happen on Thursdays | We deploy on Thursdays
We purchased a van | We bought a van
Tom's birthday is on 3 June | Tom's birthday is June 3
There are two bathrooms in the flat | The flat has two bathrooms
Сервер стоит в подвале | Сервер находится в подвале
Маша любит зелёный чай | Маше нравится зелёный чай
По средам мы ходим в бассейн | Мы ходим в бассейн по средам
Забор покрасил Игорь | Игорь покрасил забор
Встреча начинается в девять утра | Встреча начинается в 9 утра
Das Büro liegt in Kiel | Das Büro befindet sich in Kiel
Im Mai ziehen wir nach Ulm | Wir ziehen im Mai nach Ulm
Der Schlüssel liegt unter der Matte | Unter der Matte liegt der Schlüssel
"""
SPELLED_BY_TWO = """
The kiln is situated behind the barn | The kiln is located behind the barn
They've hired a cook | They have hired a cook
Our theater opens at seven | Our theatre opens at seven
Im Herbst ernten wir Äpfel | Wir ernten im Herbst Äpfel
You'll need a permit | You will need a permit
The config is in the repo | The configuration is in the repository
We purchased two vans | We bought two vans
Der Garten liegt am Fluss | Der Garten befindet sich am Fluss
The bakery shuts at noon | The bakery closes at noon
Our repo is private | Our repository is private
My mum likes tea | My mother likes tea
The truck is red | The lorry is red
We organise the fair | We organize the fair
Mit Anna tanzt Tom | Tom tanzt mit Anna
She'd like tea | She would like tea
We're in Ulm | We are in Ulm
Mit Anna tanzt Tom | Tom tanzt mit Anna
Users don't have to log in | Users need not log in
You may not smoke | You must not smoke
We help them | They are helped by us
You can't smoke here | You cannot smoke here
You mustn't smoke here | You must not smoke here
You mustn't smoke here | You are not allowed to smoke here
"""
BEYOND_WORDS = """
The spare key is under the mat | The spare key lies under the mat
I prefer trains to planes | I like trains more than planes
Anna phones her mother every Sunday | Anna calls her mother every Sunday
The cache expires after an hour | The cache expires after 60 minutes
The invoice was paid | The bill was paid
The meeting takes place in room 4 | The meeting is held in room 4
Mia is allergic to nuts | Mia has a nut allergy
Письмо подписал директор | Письмо подписано директором
Ich mag Kaffee | Ich trinke gern Kaffee
Karl hat den Zaun gestrichen | Der Zaun wurde von Karl gestrichen
Die Besprechung beginnt um neun Uhr | Die Besprechung fängt um 9 Uhr an
"""
"""What only knowledge of the world, or of German verbs, takes for the same."""


@pytest.mark.parametrize("turned", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize("lines", [SAID_BY_TWO, SPELLED_BY_TWO], ids=["said", "spelled"])
def test_what_two_people_say_of_the_same_is_one_memory(memory, lines, turned):
    pairs = pairs_of(lines, turned=turned)

    assert merged(memory, pairs) == pairs


def test_what_is_in_doubt_is_kept_twice_and_found_under_either_wording(memory):
    pairs = pairs_of(BEYOND_WORDS)

    assert merged(memory, pairs) == []
    for number, pair in enumerate(pairs):
        for asked in pair:
            hits = memory.recall(asked, scope=f"pair-{number}").items
            assert hits[0].text == asked
