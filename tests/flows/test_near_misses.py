"""Sentences that say nearly the same of another matter, in another way or at another time are kept apart."""

from __future__ import annotations

import pytest

from flows.pairs import merged, pairs_of

AS_PEOPLE_PUT_IT = """
The archive is located on floor 3 | The archive lies on floor 4
Logs are kept for 30 days | Logs are retained for 90 days
The meeting is in room 14 | The meeting takes place in room 41
Tom's birthday is on 3 June | Tom's birthday is July 3
The cache expires after an hour | The cache expires after 6 hours
The flat has two bathrooms | The flat has three bathrooms
Version 2.10 fixed the leak | The leak was fixed in version 2.1
Ingrid painted the fence | The fence was painted by Astrid
Our office is situated in Bergen | Our office is located in Berlin
The doctor's name is Weber | The name of the doctor is Weller
Anna phones her mother every Sunday | Hanna calls her mother every Sunday
The report is due on Friday | The report is due on Monday
We deploy with Ansible | We deploy with Terraform
I don't eat meat | I do eat meat
The shop is open on Sundays | The shop isn't open on Sundays
We've sold the boat | We haven't sold the boat
The tests can run without Docker | The tests can't run without Docker
Everyone approved the plan | No one approved the plan
Mia is allergic to nuts | Mia is no longer allergic to nuts
The council approved the plan | The council will approve the plan
We live in Hamburg | We lived in Hamburg
She'll arrive on Tuesday | She arrived on Tuesday
Pavel writes the parser | Pavel wrote the parser
It's raining in Oslo | It was raining in Oslo
I like oolong | She likes oolong
My favourite colour is green | His favourite colour is green
We moved to Hamburg in May | They moved to Hamburg in May
I'm allergic to pollen | You're allergic to pollen
My brother's car is red | My brothers' car is red
You may feed the cat | You must feed the cat
The invoice was paid | The invoice should be paid
We might sell the boat | We sell the boat
The car needs repairing | The car was repaired
I want to learn Finnish | I learn Finnish
Is the printer on the third floor? | The printer is on the third floor
The village lies in the Black Forest, doesn't it? | The village lies in the Black Forest
Hast du den Zaun gestrichen? | Du hast den Zaun gestrichen
I prefer trains to planes | I prefer planes to trains
I like trains more than planes | I like planes more than trains
Run the migration before the deploy | Run the deploy before the migration
The linter runs after the formatter | The formatter runs after the linter
Tom is older than Mia | Mia is older than Tom
The cache is faster than the disk | The cache is slower than the disk
Pavel reviewed Ingrid | Ingrid reviewed Pavel
Marek owes Clara twenty euros | Clara owes Marek twenty euros
Ulm spielt gegen Kiel, Ulm gewinnt | Kiel spielt gegen Ulm, Kiel gewinnt
Маша позвонила Игорю | Игорь позвонил Маше
Забор покрасил Игорь | Забор покрасит Игорь
Ich mag Kaffee | Ich mag keinen Kaffee
Wir ziehen im Mai nach Ulm | Wir ziehen im März nach Ulm
"""
OF_ANOTHER_TIME = """
We live in Hamburg | We lived in Hamburg
We arrive at six | We arrived at six
We drive to Ulm on Fridays | We drove to Ulm on Fridays
They implement the API | They implemented the API
We document every change | We documented every change
They comment every function | They commented every function
We measure the latency | We measured the latency
We configure the proxy by hand | We configured the proxy by hand
I mention the budget in the report | I mentioned the budget in the report
We position the camera above the door | We positioned the camera above the door
We balance the load between two servers | We balanced the load between two servers
They witness the signing | They witnessed the signing
We enable caching in production | We enabled caching in production
They disable the alarm at night | They disabled the alarm at night
They apply the patch | They applied the patch
We reply to every customer | We replied to every customer
They supply the flour | They supplied the flour
We archive old invoices | We archived old invoices
They receive the newsletter | They received the newsletter
We secure the ladder with a rope | We secured the ladder with a rope
They capture the packets | They captured the packets
The managers question the plan | The managers questioned the plan
We reference the ticket in commits | We referenced the ticket in commits
They experience delays | They experienced delays
We rely on the backup | We relied on the backup
We run the shop | We ran the shop
They eat fish | They ate fish
I know the code | I knew the code
I drink oolong | I drank oolong
We sleep in the tent | We slept in the tent
She speaks Finnish | She spoke Finnish
I wear glasses | I wore glasses
We meet in room 4 | We met in room 4
They think the plan is good | They thought the plan is good
She teaches maths | She taught maths
We use Redis as a cache | We used Redis as a cache
I work at the harbour | I worked at the harbour
He owns a boat | He owned a boat
The car belongs to Tom | The car belonged to Tom
The cat sleeps in the kitchen | The cat slept in the kitchen
The lamp costs 40 euros | The lamp cost 40 euros
We put the keys in the drawer | We will put the keys in the drawer
I go swimming on Mondays | I went swimming on Mondays
I have a dog | I had a dog
My brother has a boat | My brother had a boat
The house is red | The house was red
The house is red | The house has been red
I have two dogs | I'd have two dogs
We'll sell the boat | We sell the boat
We'd sell the boat | We sell the boat
We're selling the boat | We've sold the boat
We are going to sell the boat | We sell the boat
I'm taking the train | I took the train
Ich wohne in Ulm | Ich wohnte in Ulm
Wir verkaufen das Boot | Wir haben das Boot verkauft
Ich habe einen Hund | Ich hatte einen Hund
Das Haus ist rot | Das Haus war rot
Wir werden das Boot verkaufen | Wir verkaufen das Boot
Er spielt Geige | Er spielte Geige
Мы живём в Туле | Мы жили в Туле
Я работаю в порту | Я работал в порту
У меня есть собака | У меня была собака
Дом красный | Дом был красный
Мы продадим лодку | Мы продали лодку
Мы купили дом | Мы купим дом
Он говорит по-фински | Он говорил по-фински
Они хотят продать лодку | Они продают лодку
Я бы продал лодку | Я продал лодку
"""
OF_OTHER_RULES = """
Users don't have to log in | Users must not log in
You needn't come | You mustn't come
Bob mustn't come | Bob doesn't come
Bob shouldn't come | Bob doesn't come
Bob couldn't come | Bob didn't come
Bob couldn't come | Bob can't come
Не нужно поливать цветы | Нельзя поливать цветы
I see her | She sees me
You are not required to pay | You are not allowed to pay
"""
IN_TWO_FORMS = """
The app is slow | The apps are slow
The password is old | The passwords are old
My phone is broken | My phones are broken
The flat is empty | The flats are empty
The key was located under the mat | The key is under the mat
The key was located under the mat | The key lies under the mat
We're in Ulm | We were in Ulm
She'd left | She left
I'd have two dogs | I have two dogs
Моя жена больна | Мои жены больны
Von Ulm fährt der Zug nach Kiel | Von Kiel fährt der Zug nach Ulm
Mit Anna tanzt Tom | Mit Tom tanzt Anna
Unter der Matte liegt der Schlüssel | Unter dem Schlüssel liegt die Matte
Im Mai ziehen wir nach Ulm | Im März ziehen wir nach Ulm
Das Bild hängt über dem Sofa | Das Sofa hängt über dem Bild
"""
WRITTEN_AFTERWARDS = """
Anna works at the harbour | Anna is at the harbour
Bob works in Berlin | Bob is in Berlin
Маша работает в больнице | Маша в больнице
Маша работает в больнице | Маша находится в больнице
The kiln is situated behind the barn | The kiln is situated before the barn
They've hired a cook | They've fired a cook
The oven reaches up to 300 degrees | The oven reaches 300 degrees
Only adults may swim | Adults may swim
Cook the rice or the pasta | Cook the rice and the pasta
They schedule the shifts | They scheduled the shifts
We need not register | We must not register
If it snows, we stay | It snows, we stay
The choir rehearses with the organ | The choir rehearses without the organ
This bridge is closed | That bridge is closed
Im Herbst ernten wir Äpfel | Im Herbst ernten sie Äpfel
Auf dem Dach sitzt die Katze | Unter dem Dach sitzt die Katze
Der Hund folgt der Katze | Die Katze folgt dem Hund
Sie verkauft Blumen | Sie verkaufte Blumen
The shutters are shut | The shutters were shut
The centre is in Graz | The centre was in Graz
We keep bees | We kept bees
The lift is slow | The lifts are slow
Her dad sings | Her mum sings
The flat is above the shop | The flat is below the shop
I'd buy the flat | I buy the flat
They'll move | They moved
Nora helps him | He helps Nora
He trusts me | I trust him
Take at least two | Take at most two
Lock the door after 22 | Lock the door before 22
It's about 5 km | It's 5 km
Who owns the van | He owns the van
The oven is too small | The oven is small
Мы храним лук в погребе | Мы хранили лук в погребе
Только взрослые плавают | Взрослые плавают
Сначала мука, потом вода | Сначала вода, потом мука
Я закрываю ворота | Я закрывал ворота
Можно кормить кошку | Нужно кормить кошку
Если идёт снег, мы дома | Идёт снег, мы дома
До 20 гостей | 20 гостей
Эта дорога закрыта | Та дорога закрыта
They supervise the kiln | They supervised the kiln
We analyse soil | We analysed soil
They'd agreed | They agree
"""
NEAR_MISSES = {
    "told": AS_PEOPLE_PUT_IT,
    "time": OF_ANOTHER_TIME,
    "rules": OF_OTHER_RULES,
    "forms": IN_TWO_FORMS,
    "afterwards": WRITTEN_AFTERWARDS,
}


@pytest.mark.parametrize("turned", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize("lines", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_no_near_miss_is_merged(memory, lines, turned):
    assert merged(memory, pairs_of(lines, turned=turned)) == []
