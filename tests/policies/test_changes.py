"""What tells a change, and of what."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.change.changes import Changed, changed, may_change, tells_change
from realmemory.policies.change.clauses import clauses_of, vocabulary_of
from realmemory.policies.change.rules import (
    RULES,
    from_a_day,
    may_tell,
    put_right,
    went_elsewhere,
)
from realmemory.policies.change.stated import Stated

CHANGES = """
The backups go to S3 | Backups were moved to Backblaze
The boat is called Möwe | The boat goes by Albatros now
The night shift runs on Zendesk | The night shift runs on Freshdesk these days
The bakery opens at 7 | From Tuesday the bakery opens at 8
The choir meets in hall 2 | As of today the choir meets in hall 5
Nils smokes | Nils has given up smoking
My licence plate is KI-A 12 | I got a new licence plate, KI-B 77
We keep the wine in the shed | The wine lies in the cellar now
Clara teaches violin at the academy | Clara teaches viola at the academy now
The shop till is Kasse24 | Ready2Order has taken over the shop from Kasse24
Der Kater heißt Moritz | Der Kater heißt inzwischen Max
We use Jenkins to build the app | We swapped Jenkins for Buildkite
The cluster runs on EC2 | We migrated the cluster from EC2 to Hetzner
Our CTO is Helga | Helga stepped down and Anton became CTO
Our landlord is Mr. Huber | Mr. Huber sold the house, the new landlord is Mrs. Lang
The concert is on 3 June | The concert was cancelled
The dishwasher leaks | The plumber fixed the dishwasher
The form is at /contact | The form is now served at /support
Deploys need approval from Karl | Deploys no longer need Karl's approval
The linter is flake8 | ruff took over from flake8
I live in Hamburg | We've moved to Lübeck
Maja wohnt in Kiel | Maja ist nach Rostock gezogen
Wir nutzen Slack für den Chat | Wir haben Slack durch Mattermost ersetzt
Das Treffen ist am Montag | Das Treffen findet nicht mehr am Montag statt, sondern am Mittwoch
Tim isst kein Fleisch | Tim isst wieder Fleisch
The spectrograph is on loan to Tartu | The spectrograph came back from Tartu on 4 May
The seeing limit for photometry is 2 | The seeing limit for photometry is now 4
Brightwell's contact person is Imogen Slade | Imogen Slade left Brightwell
The Oduya case is with Deborah | Pavel took over the Oduya case from Deborah
Бабушка пьёт эналаприл | Эналаприл бабушке отменили
Bed 4, Ms Ade: catheter in, obs stable | Ms Ade's catheter removed 06:00
Mr Kow: diabetic, on metformin 500 mg | Mr Kow: metformin stopped because of kidney function
INR 3.4 today, warfarin held tonight | Warfarin restarted at 3 mg
CI builds run on kolkrabe, nightly at 02:30 | Nightly builds moved to GitHub Actions
We bundle with Webpack | We bundle with Vite instead of Webpack
We use Postgres 15 | We upgraded to Postgres 16 on Friday
The renderer is built on Vulkan 1.2 | Upgrade to Vulkan 1.3 done, the flicker is gone
The payroll is done by Helga | Helga stepped down as treasurer
Publisher talks: Halcyon offers 300k | We cancelled Halcyon
Das Lager hat 12 Plätze | Das Lager wird auf 16 Plätze erweitert
The invoice from Acme is open | The invoice from Acme was paid
Petra is away until Monday | Petra is back from Spain
Diana bittet um Zahlung mit PayPal | Wir nehmen Stripe statt PayPal
Диляра просит оплату через ЮKassa | Вместо ЮKassa берём CloudPayments
Мой кот Бублик на диете | Бублику отменили диету
Игорь работает в Яндексе | Игорь уволился из Яндекса и устроился в Сбер
Лифт не работает | Лифт починили
Совещание в понедельник | Совещание перенесли на среду
"""
OTHERS = """
The backups go to S3 | The backups took four hours last night
Bob works at Google | Since 2019 Bob works at Google
Bob works at Google | Bob now works at Google
Our landlord is Mr. Huber | A new landlord association was founded
Clara teaches violin at the academy | Boris teaches viola at the academy now
The boat is called Möwe | The boat club is called Albatros now
We use Jenkins to build the app | We moved the meeting about the app to Monday
The cluster runs on EC2 | The cluster had an outage on Sunday
Our CTO is Helga | Helga moved to Bern
Our landlord is Mr. Huber | Mr. Huber fixed the heating
The release is planned for 10 October | The release notes were moved to the wiki
The API timeout is 30 seconds | The API now returns JSON
Sven lives in Malmö | Sven's sister moved to Oslo
Vera likes tea | Vera now likes skiing as well
The deadline is 1 March | The deadline of the Berlin project moved to 9 April
Room 4 has a projector | The projector of room 5 was replaced
The right valve leaks | The left valve leaks
Visited Lisbon in March | Visited Lisbon again in May
I live in Hamburg | I moved the desk to the window
Ms Ade is allergic to penicillin | Ms Ade is back from theatre
Tom is allergic to nuts | Tom has paid the electrician
The handover sheet is printed at 06:45 | Ms Ade's catheter was removed at 06:00
Mr Pryce pulled out his tube at 03:20 | Mr Pryce fell from the chair at 22:15
The release is planned for 15 October | The daily was moved to 10:15
Die Abgabe ist am 15. Oktober | Das Daily wurde auf 10:15 verschoben
Our client Rivet prefers mail | The new client Lumen needs a shop
The config of tessel is tessel.toml | The cache moved from ~/.tessel to /var/cache
The meeting is at ten, because Tom brings the children | Tom quit
The cake for Helga is in the fridge | Helga stepped down
Helga repaired the boiler | Helga stepped down
Ноутбук в ремонте, работаю со стационарного | Клиент ушёл, больше не работаем
Brightwell pays within 14 days | Imogen Slade left Brightwell
The file number of Hansen is 77 | Mrs Lindner returned the Hansen file to the archive
Pavel handles the notary appointments | Herr Tewes cancelled his appointment on Friday
Printer toner is ordered from Lyreco | The second floor printer was removed
Deborah has a parrot | Pavel took over the Oduya case from Deborah
The seeing limit for photometry is 2 | The seeing limit for spectroscopy is now 4
The rate for Ulm is 4.3 | The rate for Bonn was raised to 5
Room 4 is on Postgres 15 | We upgraded to Debian 16
Ms Tan is on metformin 500 mg | Mr Kow: metformin stopped because of kidney function
Mr Fen: catheter in | Ms Ade's catheter removed 06:00
The meeting is held on Mondays | The meeting is finished
The bus leaves at eight | The bus stopped at the station
Maja wohnt in Kiel | Maja hat ihr Fahrrad verkauft
Der Kurs kostet 80 Euro | Der Kurs ist jetzt ausgebucht
Игорь работает в Яндексе | Игорь продал гараж
Сайт на WordPress | На сайте заменили фотографии
"""


def pairs(text):
    return [tuple(line.split(" | ")) for line in text.strip().splitlines()]


@pytest.mark.parametrize(("earlier", "later"), pairs(CHANGES))
def test_a_text_that_tells_a_change_overtakes_what_was_before(earlier, later):
    assert changed(earlier, later) is Changed.SURELY


@pytest.mark.parametrize(("earlier", "later"), pairs(OTHERS))
def test_what_is_told_of_another_matter_changes_nothing(earlier, later):
    assert changed(earlier, later) is Changed.NO


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("My favourite editor is vim", "I switched to emacs"),
        ("Omar plays for Lyon", "Omar transferred into the second division"),
    ],
)
def test_a_move_whose_matter_is_not_named_may_be_a_change(earlier, later):
    assert changed(earlier, later) >= Changed.MAYBE


@pytest.mark.parametrize(
    "text",
    [
        "My new email is ann@new.org",
        "Lee is the new lead of team Blue",
        "The standup has been moved to 10:00",
        "Bob no longer works at Google",
        "I don't eat meat any more",
        "Lena wohnt jetzt in Köln",
        "Wir nutzen nicht mehr Jenkins, sondern Argo",
        "Оля теперь живёт в Твери",
    ],
)
def test_words_of_change_are_seen(text):
    assert tells_change(text)


@pytest.mark.parametrize(
    "text", ["My email is ann@old.org", "I know the renewal date", "Der Neubau ist hoch", ""]
)
def test_other_words_tell_no_change(text):
    assert not tells_change(text)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared(earlier, later):
    if changed(earlier, later):
        assert tells_change(later)


@given(st.sampled_from([one for pair in pairs(CHANGES + OTHERS) for one in pair]))
def test_no_text_tells_that_it_has_changed_itself_where_it_tells_no_change(text):
    if not tells_change(text):
        assert changed(text, text) is Changed.NO


@pytest.mark.parametrize("later", [later for _, later in pairs(CHANGES)])
def test_a_text_that_tells_a_change_is_known_by_itself(later):
    assert may_change(later)


TEXTS = [one for pair in pairs(CHANGES) + pairs(OTHERS) for one in pair]


@pytest.mark.parametrize("later", TEXTS)
def test_a_rule_is_passed_over_only_where_it_finds_nothing(later):
    for clause in clauses_of(later):
        for rule in (*RULES, went_elsewhere):
            assert rule(clause) is None or may_tell(clause)
        found = [rule(clause) for rule in (*RULES, went_elsewhere, from_a_day, put_right)]
        for check, earlier in product(filter(None, found), TEXTS):
            if check.applies(Stated.of(clauses_of(earlier))):
                assert check.may_apply(vocabulary_of(earlier))
