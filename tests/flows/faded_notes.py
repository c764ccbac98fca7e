"""Notes in three languages with a question each, and newer notes on neighbouring matters."""

from __future__ import annotations

from typing import NamedTuple


class Asked(NamedTuple):
    """A note, a question that it answers, and what only that note says."""

    note: str
    question: str
    answer: str


NOTES = [
    Asked(
        "The key of the boathouse hangs behind the stove", "where is the boathouse key?", "stove"
    ),
    Asked(
        "Marta's cello lesson is on Tuesdays at 4 pm", "when is Marta's cello lesson?", "Tuesdays"
    ),
    Asked(
        "The alarm code of the workshop is 7716", "what is the alarm code of the workshop?", "7716"
    ),
    Asked("Olaf is allergic to hazelnuts", "what is Olaf allergic to?", "hazelnuts"),
    Asked("Our accountant is Mrs. Lindqvist", "who is our accountant?", "Lindqvist"),
    Asked(
        "The staging database listens on port 5544",
        "which port does the staging database use?",
        "5544",
    ),
    Asked("We chose RabbitMQ because the team knew it", "why did we choose RabbitMQ?", "knew"),
    Asked("Ticket 2207: the export drops the last row", "what is ticket 2207 about?", "last row"),
    Asked(
        "Grandmother's birthday is on 9 November", "when is grandmother's birthday?", "9 November"
    ),
    Asked(
        "The dishwasher cost 540 euros and has a warranty until 2028",
        "how much did the dishwasher cost?",
        "540",
    ),
    Asked("Pavel owes me 35 euros for the concert", "how much does Pavel owe me?", "35"),
    Asked("My running shoes are size 43", "what size are my running shoes?", "43"),
    Asked("Код от подъезда 48К12", "какой код от подъезда?", "48К12"),
    Asked("Соня ходит на плавание по средам в шесть", "когда у Сони плавание?", "средам"),
    Asked(
        "Наш сантехник Игорь Петрович, телефон 555-12-10", "как зовут нашего сантехника?", "Игорь"
    ),
    Asked("У Миши аллергия на клубнику", "на что аллергия у Миши?", "клубнику"),
    Asked("День рождения тёти Веры 14 марта", "когда день рождения тёти Веры?", "14 марта"),
    Asked("Сервер отчётов слушает порт 9091", "какой порт у сервера отчётов?", "9091"),
    Asked("Запасные ключи от дачи лежат у соседки Нины", "у кого запасные ключи от дачи?", "Нины"),
    Asked("Холодильник стоил 42 тысячи рублей", "сколько стоил холодильник?", "42"),
    Asked(
        "Мы выбрали ClickHouse из-за скорости отчётов", "почему мы выбрали ClickHouse?", "скорости"
    ),
    Asked("Отпуск у Лены с 3 по 17 августа", "когда отпуск у Лены?", "августа"),
    Asked(
        "Страховка машины в компании Ренессанс", "в какой компании страховка машины?", "Ренессанс"
    ),
    Asked(
        "Собака записана к ветеринару на 20 мая", "когда собака записана к ветеринару?", "20 мая"
    ),
    Asked(
        "Der Schlüssel zum Keller hängt neben der Haustür",
        "wo hängt der Kellerschlüssel?",
        "Haustür",
    ),
    Asked("Jonas hat donnerstags um 17 Uhr Judo", "wann hat Jonas Judo?", "donnerstags"),
    Asked("Unser Vermieter heißt Herr Brandstetter", "wie heißt unser Vermieter?", "Brandstetter"),
    Asked("Klara ist gegen Penicillin allergisch", "wogegen ist Klara allergisch?", "Penicillin"),
    Asked("Die Waschmaschine hat 480 Euro gekostet", "was hat die Waschmaschine gekostet?", "480"),
    Asked(
        "Der Geburtstag von Oma Hilde ist am 21. Juni", "wann hat Oma Hilde Geburtstag?", "21. Juni"
    ),
    Asked(
        "Der Testserver lauscht auf Port 6060", "auf welchem Port lauscht der Testserver?", "6060"
    ),
    Asked(
        "Wir haben Terraform wegen der Anbieter gewählt",
        "warum haben wir Terraform gewählt?",
        "Anbieter",
    ),
    Asked(
        "Der Zahnarzttermin ist am 14. Oktober um 9 Uhr",
        "wann ist der Zahnarzttermin?",
        "14. Oktober",
    ),
    Asked(
        "Die Kombination vom Fahrradschloss ist 3391",
        "wie ist die Kombination vom Fahrradschloss?",
        "3391",
    ),
    Asked("Lukas schuldet mir 20 Euro", "wie viel schuldet mir Lukas?", "20 Euro"),
    Asked(
        "Die Hausratversicherung läuft bei der Allianz",
        "bei wem läuft die Hausratversicherung?",
        "Allianz",
    ),
]
NEWER = [
    "The key of the garden shed lies under the flowerpot",
    "Marta's riding lesson is on Fridays at 3 pm",
    "The code of the bicycle lock is 2040",
    "Greta is allergic to penicillin",
    "Our lawyer is Mr. Sandoval",
    "The cache of the shop listens on port 6380",
    "We chose Grafana because of its alerts",
    "Ticket 2311: the import misses the header",
    "Uncle Theo's birthday is on 2 May",
    "The vacuum cleaner cost 190 euros",
    "Nadia owes me 12 euros for lunch",
    "My ski boots are size 27",
    "Код от гаража 2290",
    "Соня ходит на шахматы по пятницам в пять",
    "Наш электрик Степан Ильич, телефон 555-90-33",
    "У Кати аллергия на кошек",
    "День рождения дяди Бори 6 ноября",
    "Сервер почты слушает порт 2525",
    "Запасные ключи от офиса лежат у вахтёра",
    "Пылесос стоил 9 тысяч рублей",
    "Мы выбрали Kafka из-за надёжности",
    "Отпуск у Димы с 1 по 10 июля",
    "Страховка квартиры в компании Альфа",
    "Кошка записана на стрижку на 3 июня",
    "Der Schlüssel zum Dachboden liegt in der Schublade",
    "Jonas hat samstags um 10 Uhr Fußball",
    "Unser Klempner heißt Herr Kowalski",
    "Felix ist gegen Katzen allergisch",
    "Der Trockner hat 610 Euro gekostet",
    "Der Geburtstag von Opa Karl ist am 3. Mai",
    "Der Drucker steht im Keller",
    "Wir haben Kafka wegen der Zuverlässigkeit gewählt",
    "Der Friseurtermin ist am 2. November um 11 Uhr",
    "Die Kombination vom Koffer ist 118",
    "Paul schuldet mir 5 Euro",
    "Die Haftpflicht ist bei der Ergo",
]
ANEW = [
    (
        "The team lunch is at the Italian place",
        Asked("The team lunch is at the Korean place", "where is the team lunch?", "Korean"),
    ),
    (
        "Deploys happen on Mondays",
        Asked("Deploys happen on Wednesdays now", "when do deploys happen?", "Wednesdays"),
    ),
    ("Ana lives in Porto", Asked("Ana lives in Lisbon", "where does Ana live?", "Lisbon")),
    (
        "The stand-up is at 9:30",
        Asked("The stand-up is at 10:00", "when is the stand-up?", "10:00"),
    ),
    (
        "I drink coffee with milk",
        Asked("I drink coffee black these days", "how do I drink my coffee?", "black"),
    ),
    (
        "The CI runs on Jenkins",
        Asked("The CI runs on GitHub Actions", "what does the CI run on?", "GitHub"),
    ),
    (
        "Зарплата приходит 10 числа",
        Asked("Зарплата приходит 5 числа", "когда приходит зарплата?", "5 числа"),
    ),
    (
        "Врач Кати принимает по вторникам",
        Asked("Врач Кати принимает по четвергам", "когда принимает врач Кати?", "четвергам"),
    ),
    (
        "Die Müllabfuhr kommt montags",
        Asked("Die Müllabfuhr kommt mittwochs", "wann kommt die Müllabfuhr?", "mittwochs"),
    ),
    (
        "Das Büro ist im dritten Stock",
        Asked("Das Büro ist im fünften Stock", "in welchem Stock ist das Büro?", "fünften"),
    ),
    (
        "My favourite tea is Earl Grey",
        Asked("My favourite tea is sencha, I think", "what is my favourite tea?", "sencha"),
    ),
    (
        "We keep the backups in Frankfurt",
        Asked(
            "We keep the backups in Dublin since the move",
            "where do we keep the backups?",
            "Dublin",
        ),
    ),
    (
        "Bruno weighs 31 kg",
        Asked("Bruno weighs 28 kg after the diet", "how much does Bruno weigh?", "28"),
    ),
    (
        "Der Chef sitzt in Raum 12",
        Asked("Der Chef sitzt in Raum 30", "in welchem Raum sitzt der Chef?", "30"),
    ),
    (
        "Мой любимый чай улун",
        Asked("Мой любимый чай пуэр, кажется", "какой мой любимый чай?", "пуэр"),
    ),
    (
        "I go jogging on Sundays",
        Asked("These days I go jogging on Thursdays", "when do I go jogging?", "Thursdays"),
    ),
]
"""What held, and what somebody says later of the same matter without revising anything."""
