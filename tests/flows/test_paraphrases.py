"""What people say in other words is one memory, where that is certain; near misses never are."""

from __future__ import annotations

import pytest

from realmemory import WriteRequest

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
OF_OTHER_WORDS = """
Her name is on the list | Her address is on the list
The name of the dentist is unknown | The address of the dentist is unknown
Anna owns the boat | Anna maintains the boat
We stay in Ulm | We live in Ulm
The tests stop at six | The tests finish at six
Sales dropped in May | Sales were deleted in May
She dropped the vase | She removed the vase
Anna runs the bakery | Anna uses the bakery
Nina's job is in Kiel | Nina's place is in Kiel
The set is in the cellar | The thing is in the cellar
He has a way with dogs | He has a job with dogs
Bob runs in the park | Bob works in the park
Only Anna has the key | Anna has the key
Only members may enter | Members may enter
The shop is open only on Sundays | The shop is open on Sundays
The tea is too hot | The tea is hot
Each child gets an apple | All children get apples
All tests pass | Some tests pass
Most tests pass | All tests pass
Many tests pass | Few tests pass
Nearly all tests pass | All tests pass
The pump is almost full | The pump is full
The pump is very loud | The pump is loud
The tea is hotter | The tea is hot
The tea is the hottest | The tea is hot
She is my sister | She is my sisters
My sister lives in Kiel | My sisters live in Kiel
This lamp is broken | That lamp is broken
These keys open the shed | Those keys open the shed
The key is here | The key is there
Anna likes him | Anna likes her
The dog is his | The dog is hers
Who has the key | He has the key
Bob and Anna moved to Kiel | Bob or Anna moved to Kiel
The report is due by Friday | The report is due on Friday
The shop closes before six | The shop closes by six
Back up from the disk to the tape | Back up from the tape to the disk
The train goes from Ulm to Kiel | The train goes from Kiel to Ulm
Send the letter to Anna for Bob | Send the letter to Bob for Anna
Anna gave Bob the book | Bob gave Anna the book
Anna is Bob's mother | Bob is Anna's mother
Anna is the mother of Bob | Bob is the mother of Anna
Bob was hired by Anna | Anna was hired by Bob
Anna hired Bob | Anna was hired by Bob
Water boils at 100 degrees Celsius | Water boils at 100 degrees Fahrenheit
The pump is at least 5 years old | The pump is at most 5 years old
The pump weighs over 5 kg | The pump weighs under 5 kg
The pump weighs 5 kg | The pump weighs about 5 kg
The pump weighs 5 kg | The pump weighs up to 5 kg
The speed limit is 50 km per hour | The speed limit is 50 miles per hour
Call at 9 in the morning | Call at 9 in the evening
Call at 9 am | Call at 9 pm
The exam is on the first of May | The exam is on the last of May
Half of the flat is painted | The flat is painted
The key fits twice | The key fits
Bob is able to swim | Bob swims
Bob used to swim | Bob swims
Bob is used to swimming | Bob used to swim
Bob wants to swim | Bob swims
Bob tries to swim | Bob swims
Bob likes to swim | Bob swims
Bob stopped smoking | Bob started smoking
Bob forgot to lock the door | Bob locked the door
Bob refused to pay | Bob paid
Bob says the pump is broken | The pump is broken
Bob thinks the pump is broken | The pump is broken
Maybe the pump is broken | The pump is broken
Perhaps the pump is broken | The pump is broken
The pump is probably broken | The pump is broken
The pump seems broken | The pump is broken
The pump is not only loud | The pump is not loud
If the pump is broken, call Bob | The pump is broken, call Bob
Unless it rains, we hike | If it rains, we hike
We hike when it rains | We hike although it rains
We hike because it rains | We hike until it rains
Turn on the heating | Turn off the heating
The heating is on | The heating is off
Bob is in | Bob is out
The blinds are up | The blinds are down
The door opens inwards | The door opens outwards
Use tabs, not spaces | Use spaces, not tabs
Use tabs instead of spaces | Use spaces instead of tabs
Feed the cat and walk the dog | Walk the cat and feed the dog
Bob is not the owner and Anna is the tenant | Bob is the owner and Anna is not the tenant
Tests must pass before merging | Tests must pass after merging
The mug holds tea | The mug holds no tea
The mug without tea is mine | The mug with tea is mine
Bob can't find the key | Bob couldn't find the key
Bob has to pay | Bob had to pay
Bob should have paid | Bob should pay
Bob would pay | Bob pays
Bob could pay | Bob can pay
Do not feed the cat | Feed the cat
Never feed the cat | Always feed the cat
Let's sell the boat | We sell the boat
Sell the boat | Sold the boat
The boat is for sale | The boat is sold
The winner is Bob | The loser is Bob
Bob is the best swimmer | Bob is the worst swimmer
The invoice is from Bob | The invoice is for Bob
Bob lives near Kiel | Bob lives in Kiel
Bob sits behind Anna | Bob sits before Anna
Bob sits between Anna and Tom | Anna sits between Bob and Tom
Bob is Anna's boss and Tom's friend | Bob is Tom's boss and Anna's friend
Маша старше Игоря | Игорь старше Маши
Маша любит Игоря | Игорь любит Машу
Только Маша знает код | Маша знает код
Маша уже уехала | Маша ещё не уехала
Поезд идёт из Тулы в Орёл | Поезд идёт из Орла в Тулу
Я хочу продать лодку | Я продаю лодку
Он продал ей лодку | Она продала ему лодку
Ключ лежит здесь | Ключ лежит там
Маша в доме | Маша у дома
Мы почти закончили ремонт | Мы закончили ремонт
Кот не ест рыбу | Кот ест рыбу
Нужно полить цветы | Можно полить цветы
Маша была врачом | Маша будет врачом
Маша врач | Маша была врачом
Этот замок сломан | Тот замок сломан
Моя сестра живёт в Туле | Мои сёстры живут в Туле
Мой брат болен | Твой брат болен
Ты купил хлеб? | Ты купил хлеб
Все окна закрыты | Не все окна закрыты
Пиши Игорю | Не пиши Игорю
Игорь отвечает за склад | Игорь хранит склад
Der Hund gehört Anna | Der Hund gehörte Anna
Anna sieht den Mann | Der Mann sieht Anna
Der Zug fährt von Ulm nach Kiel | Der Zug fährt von Kiel nach Ulm
Das Fenster ist auf | Das Fenster ist zu
Der Laden ist noch offen | Der Laden ist nicht offen
Ich kann schwimmen | Ich könnte schwimmen
Er ist mein Bruder | Er ist dein Bruder
Er muss zahlen | Er darf zahlen
Tom hat mehr als Anna | Anna hat mehr als Tom
Erst essen, dann spülen | Erst spülen, dann essen
Die Kiste ist leer | Die Kisten sind leer
Anna wird zahlen | Anna zahlt
Der Arzt heißt Weber | Die Ärztin heißt Weber
Sie mag ihn | Er mag sie
Hat Anna bezahlt? | Anna hat bezahlt
"""
OF_OTHER_ROLES = """
Anna sieht Tom | Tom sieht Anna
Das Auto ist rot | Das Auto war rot
Ich brauche zwei Eier | Ich brauche drei Eier
Er kommt nie | Er kommt
Er kommt heute | Er kommt morgen
Meine Schwester wohnt in Ulm | Meine Schwestern wohnen in Ulm
Der Schlüssel liegt auf dem Tisch | Der Schlüssel liegt unter dem Tisch
Der Bus hält vor dem Haus | Der Bus hält hinter dem Haus
Alle Fenster sind zu | Fast alle Fenster sind zu
Nur Anna hat den Code | Anna hat den Code
Ich möchte das Boot verkaufen | Ich verkaufe das Boot
Er soll zahlen | Er zahlt
Wenn es regnet, bleiben wir | Es regnet, wir bleiben
Sie hat das Boot verkauft | Sie verkauft das Boot
Tom ist älter als Anna | Anna ist älter als Tom
Ich fahre mit Anna zu Tom | Ich fahre mit Tom zu Anna
Ohne Zucker schmeckt es | Mit Zucker schmeckt es
Das Treffen ist vor dem Essen | Das Treffen ist nach dem Essen
Der Preis beträgt 1.500 Euro | Der Preis beträgt 1.5 Euro
Der Preis beträgt 1,5 Euro | Der Preis beträgt 15 Euro
Wir öffnen um 8 | Wir öffnen um 18
Ich war in Ulm | Ich bin in Ulm
Es gibt Brot | Es gab Brot
Wir trinken Tee | Wir tranken Tee
Wir arbeiten hier | Wir arbeiteten hier
Der Kurs startet im Mai | Der Kurs startete im Mai
Маша едет с Игорем | Маша едет без Игоря
Маша едет из Тулы | Маша едет в Тулу
Кот на столе | Кот под столом
Мы открываемся в 8 | Мы открываемся в 18
Я не люблю рыбу | Я люблю рыбу
Он может плавать | Он плавает
Он хочет плавать | Он плавает
Он начал курить | Он бросил курить
Почти все пришли | Все пришли
Маша и Игорь уехали | Маша или Игорь уехали
Сначала вымой руки, потом поешь | Сначала поешь, потом вымой руки
До обеда у нас встреча | После обеда у нас встреча
Игорь дал Маше книгу | Маша дала Игорю книгу
Игорь не пришёл, а Маша пришла | Игорь пришёл, а Маша не пришла
Лодка дороже машины | Машина дороже лодки
Лодка стоит 500 рублей | Лодка стоит около 500 рублей
Лодка стоит 500 рублей | Лодка стоит до 500 рублей
Лодка стоит от 500 рублей | Лодка стоит 500 рублей
Врач примет в среду | Врач принял в среду
Мы живём у моря | Мы жили у моря
Я пишу книгу | Я писал книгу
Я читаю Толстого | Я читал Толстого
Мы гуляем по вечерам | Мы гуляли по вечерам
Он любит чай | Она любит чай
Они купили дом | Мы купили дом
Мой кот болеет | Твой кот болеет
Здесь тихо | Там тихо
Один ключ потерян | Все ключи потеряны
Если насос сломан, звони Игорю | Насос сломан, звони Игорю
The deploy takes 5 minutes | The deploy takes 5 hours
The disk holds 500 GB | The disk holds 500 MB
Retry 3 times after 5 seconds | Retry 5 times after 3 seconds
Port 8080 maps to 80 | Port 80 maps to 8080
Call +49 30 1234 | Call +49 30 1243
The flat is on 12 Elm Street | The flat is on 21 Elm Street
Room A is free | Room B is free
Plan A is cheaper | Plan B is cheaper
User a is an admin | User b is an admin
Vitamin B12 is low | Vitamin B6 is low
Use Python 3.11 | Use Python 3.12
Use Node | Use Deno
x is less than y | y is less than x
Set DEBUG=true | Set DEBUG=false
Merge main into dev | Merge dev into main
Copy a.txt to b.txt | Copy b.txt to a.txt
Anna pays Tom 5 euros | Tom pays Anna 5 euros
Anna taught Tom | Tom taught Anna
Anna was taught by Tom | Tom was taught by Anna
Anna's dog bit Tom | Tom's dog bit Anna
The dog of Anna bit Tom | The dog of Tom bit Anna
I gave her a key | She gave me a key
I told him | He told me
We help them | They help us
You call me | I call you
My sister's friend is ill | My friend's sister is ill
The door of the shed is green | The shed of the door is green
Dana reports to Alice | Alice reports to Dana
Dana sits next to Alice | Dana sits next to Bob
Ship the beta before the docs | Ship the docs before the beta
The beta ships before the docs | Before the docs the beta ships not
A comes before B | B comes before A
A depends on B | B depends on A
Tea rather than coffee | Coffee rather than tea
I want tea, not coffee | I want coffee, not tea
I'd rather walk than drive | I'd rather drive than walk
Anna is less tired than Tom | Anna is more tired than Tom
Anna is as tall as Tom | Anna is taller than Tom
Two of the pumps work | Two of the pumps don't work
None of the pumps work | All of the pumps work
Not all pumps work | All pumps work
Not all pumps work | All pumps do not work
At least one pump works | At most one pump works
Every pump but one works | One pump works
The pump works again | The pump works
The pump worked once | The pump works once
Anna looks after Tom | Anna looks for Tom
Take the pills with food | Take the pills without food
Take the pills after meals | Take the pills before meals
Take 2 pills a day | Take 2 pills a week
Take one pill in the morning | Take one pill in the evening
Meet at 9:30 | Meet at 9:13
Meet on 03/04 | Meet on 04/03
Born in 1984 | Born in 1948
The fee is -5 euros | The fee is 5 euros
The fee is $5 | The fee is €5
It costs 5k | It costs 5
It costs 5 million | It costs 5 billion
It is 5 degrees | It is minus 5 degrees
The tank is half full | The tank is half empty
Bob can drive | Bob can't drive
Bob needn't come | Bob mustn't come
Bob may come | Bob may not come
Bob was to come | Bob came
Bob is about to come | Bob came
Bob is going to come | Bob comes
Bob is coming | Bob came
Bob had come | Bob comes
Bob will have left by six | Bob will leave by six
Bob has been living in Ulm | Bob is living in Ulm
Bob keeps bees | Bob kept bees
Bob buys bread | Bob bought bread
Bob sends the letters | Bob sent the letters
Bob likes tea | Bob liked tea
Bob stores wine | Bob stored wine
Bob deploys on Fridays | Bob deployed on Fridays
Bob supports Anna | Bob supported Anna
Bob starts at nine | Bob started at nine
Bob lives in Ulm | Bob lived in Ulm
Bob writes the docs | Bob wrote the docs
Bob chooses the wine | Bob chose the wine
Bob removes the snow | Bob removed the snow
Bob learns Finnish | Bob learned Finnish
Is Bob in Ulm | Bob is in Ulm
What is the port | The port is
Where is Bob | There is Bob
Why does Bob smoke? | Bob does smoke
Bob smokes, right? | Bob smokes
Could Bob have left | Bob could have left
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
NEAR_MISSES = [
    AS_PEOPLE_PUT_IT,
    OF_ANOTHER_TIME,
    OF_OTHER_WORDS,
    OF_OTHER_ROLES,
    OF_OTHER_RULES,
    IN_TWO_FORMS,
    WRITTEN_AFTERWARDS,
]
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


def _pairs(lines: str) -> list[list[str]]:
    return [line.split(" | ") for line in lines.strip().splitlines()]


def _merged(memory, pairs):
    """Write both texts of each pair into a scope of its own and return the pairs that became one."""
    firsts, seconds = (
        memory.remember_many(
            WriteRequest(text=pair[at], scope=f"pair-{number}") for number, pair in enumerate(pairs)
        )
        for at in (0, 1)
    )
    return [
        pair
        for pair, first, second in zip(pairs, firsts, seconds, strict=True)
        if first.memory_id == second.memory_id
    ]


@pytest.mark.parametrize("turned", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize(
    "lines", NEAR_MISSES, ids=["told", "time", "words", "roles", "rules", "forms", "afterwards"]
)
def test_no_near_miss_is_merged(memory, lines, turned):
    pairs = [pair[::-1] if turned else pair for pair in _pairs(lines)]

    assert _merged(memory, pairs) == []


@pytest.mark.parametrize("turned", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize("lines", [SAID_BY_TWO, SPELLED_BY_TWO], ids=["said", "spelled"])
def test_what_two_people_say_of_the_same_is_one_memory(memory, lines, turned):
    pairs = [pair[::-1] if turned else pair for pair in _pairs(lines)]

    assert _merged(memory, pairs) == pairs


def test_what_is_in_doubt_is_kept_twice_and_found_under_either_wording(memory):
    pairs = _pairs(BEYOND_WORDS)

    assert _merged(memory, pairs) == []
    for number, pair in enumerate(pairs):
        for asked in pair:
            hits = memory.recall(asked, scope=f"pair-{number}").items
            assert hits[0].text == asked
