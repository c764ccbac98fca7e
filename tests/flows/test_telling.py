"""The same words told otherwise are another fact: asked, of another time, of another person."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus, WriteRequest
from realmemory.policies.gate.reading import fact_signature
from realmemory.policies.gate.signature import SOFT, compare

ASKED = [
    ("Is it safe to delete the bucket logs-old?", "It is safe to delete the bucket logs-old."),
    ("Did Anna approve the release?", "Anna did approve the release."),
    ("Did Anna approve the release", "Anna did approve the release"),
    ("Can guests bring dogs to the office?", "Guests can bring dogs to the office."),
    ("Нужно ли удалить базу?", "Нужно удалить базу."),
    ("Сервер уже перенесли?", "Сервер уже перенесли."),
    ("Ist der Bahnhof geschlossen?", "Ist der Bahnhof geschlossen."),
]
SURE = [
    ("We might use Redis for sessions.", "We use Redis for sessions."),
    ("We would use Redis for sessions.", "We use Redis for sessions."),
    ("We might use Redis for sessions.", "We can use Redis for sessions."),
    ("We should use Redis for sessions.", "We must use Redis for sessions."),
    ("We must use Redis for sessions.", "We use Redis for sessions."),
    ("Мы бы купили машину.", "Мы купили машину."),
    ("Нужно хранить логи в S3.", "Логи хранят в S3."),
]
TIMED = [
    ("The contract will end in March.", "The contract ended in March."),
    ("The contract ends in March.", "The contract ended in March."),
    ("The test passed.", "The test passes."),
    ("The test has passed.", "The test passes."),
    ("The server was in Berlin.", "The server is in Berlin."),
    ("The office will be in Riga.", "The office was in Riga."),
    ("We used to use Redis for sessions.", "We use Redis for sessions."),
    ("We will use Redis for sessions.", "We use Redis for sessions."),
    ("The logs were stored in S3.", "The logs are stored in S3."),
    ("The key was kept in the safe.", "The key is kept in the safe."),
    ("The meeting took place on Friday.", "The meeting takes place on Friday."),
    ("Watered the plants.", "Water the plants."),
    ("Контракт закончился в марте.", "Контракт закончится в марте."),
    ("Команда купила машину.", "Команда купит машину."),
    ("Сервер был в Берлине.", "Сервер в Берлине."),
    ("Офис будет в Риге.", "Офис был в Риге."),
]
SAID_OF = [
    ("He approved the marketing budget for Q3.", "She approved the marketing budget for Q3."),
    ("His laptop is broken.", "Her laptop is broken."),
    ("I like green tea.", "You like green tea."),
    ("She moved to Oslo.", "They moved to Oslo."),
    ("Он купил машину.", "Она купила машину."),
    ("Купил машину.", "Купила машину."),
    ("Её ноутбук сломан.", "Его ноутбук сломан."),
]
COUNTED = [
    ("My brother is coming.", "My brothers are coming."),
    ("The order service is slow.", "The orders service is slow."),
    ("The library is closed.", "The libraries are closed."),
    ("The box is empty.", "The boxes are empty."),
    ("Сосед шумит ночью.", "Соседи шумят ночью."),
    ("Таблица заказа готова.", "Таблица заказов готова."),
]
SPELLED = [
    ("Call Foo.bar to begin.", "Call foo.bar to begin."),
    ("Foo.bar", "foo.bar"),
    ("See README.md first.", "See readme.md first."),
    ("Delete src/Main.py today.", "Delete src/main.py today."),
    ("Use the crate `Serde`.", "Use the crate `serde`."),
    ("Install left-pad from npm.", "Install leftpad from npm."),
    ("Pin v1.2 of the tool.", "Pin v1,2 of the tool."),
    ("Файл README.md устарел.", "Файл readme.md устарел."),
]
TOLD_APART = [*ASKED, *SURE, *TIMED, *SAID_OF, *COUNTED, *SPELLED]
RESTATED = [
    ("Is the bucket safe to delete", "Is the bucket safe to delete?"),
    ("The files are stored in S3.", "Files stored in S3."),
    ("The meeting was moved to Friday.", "Meeting moved to Friday."),
    ("The meeting has been moved to Friday.", "The meeting was moved to Friday."),
    ("The invoice was paid by Tom.", "Tom paid the invoice."),
    ("Tom has paid the invoice.", "Tom paid the invoice."),
    ("Two cars are owned by Max.", "Max owns two cars."),
    ("The contract ends on 5 March.", "The contract will end on 5 March."),
    ("You must not feed the swans.", "Do not feed the swans."),
    ("You may not smoke here.", "You must not smoke here."),
    ("The client never retries.", "The client does not retry."),
    ("Each worker opens two files.", "Workers open two files."),
    ("Our team uses Redis.", "The team uses Redis."),
    ("He was born in Kyiv.", "Was born in Kyiv."),
    ("The gate opens at nine.", "the gate opens at Nine."),
    ("GitHub hosts the code.", "Github hosts the code."),
    ("Deploy to K8s from CI/CD.", "deploy to k8s from ci/cd"),
    ("The train leaves at 5:30 PM.", "The train leaves at 5:30 pm."),
    ("Ctrl+S saves the file.", "ctrl+s saves the file."),
    ("Send an e-mail to Ann.", "Send an email to Ann."),
    ("The disk has 5,5 GB.", "The disk has 5.5 GB."),
    ("Релиз был перенесён на среду.", "Релиз перенесён на среду."),
    ("Машину купила Анна.", "Анна купила машину."),
    ("Отдел закупок отвечает за склад.", "За склад отвечает отдел закупок."),
    ("Отчёты готовит Аркадий.", "Отчёты готовятся Аркадием."),
    ("Отпуск оформляется за две недели.", "Отпуск нужно оформлять за две недели."),
]


@pytest.fixture(scope="module")
def open_memory(tmp_path_factory):
    with Hippocampus.open(tmp_path_factory.mktemp("told")) as memory:
        yield memory


def _ids(pairs):
    return [first for first, _ in pairs]


@pytest.mark.parametrize("turned", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize(("one", "other"), TOLD_APART, ids=_ids(TOLD_APART))
def test_what_is_told_otherwise_is_kept_beside_without_a_conflict(open_memory, one, other, turned):
    first, second = (other, one) if turned else (one, other)
    scope = f"apart-{turned}-{TOLD_APART.index((one, other))}"
    known = open_memory.remember(first, scope=scope)
    result = open_memory.remember(second, scope=scope)

    assert known.created
    assert result.created
    assert result.conflicts == ()


@pytest.mark.parametrize("turned", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize(("one", "other"), RESTATED, ids=_ids(RESTATED))
def test_what_is_told_alike_is_one_memory(open_memory, one, other, turned):
    first, second = (other, one) if turned else (one, other)
    scope = f"one-{turned}-{RESTATED.index((one, other))}"
    known = open_memory.remember(first, scope=scope)

    assert open_memory.remember(second, scope=scope).memory_id == known.memory_id


def test_a_batch_decides_as_single_writes_do(open_memory):
    requests = [
        WriteRequest(text=text, scope=f"batch-{at}")
        for at, pair in enumerate([*TOLD_APART, *RESTATED])
        for text in pair
    ]
    created = [result.created for result in open_memory.remember_many(requests)]

    assert created == [True, True] * len(TOLD_APART) + [True, False] * len(RESTATED)


REBUILT = [
    ("The test of the backup passed.", "The check of the backup passes."),
    ("He signed the lease.", "She put her name under the lease."),
]


@pytest.mark.parametrize(("one", "other"), REBUILT)
def test_other_words_for_the_same_matter_do_not_hide_how_it_is_told(one, other):
    first, second = fact_signature(one), fact_signature(other)

    assert set(compare(first, second, rephrased=True).differences) - SOFT - {"more"}


def test_both_wordings_are_recalled(open_memory):
    pair = ("The nightly restore test passed.", "The nightly restore test passes.")
    for text in pair:
        open_memory.remember(text, scope="both")

    texts = {hit.text for hit in open_memory.recall("nightly restore test", scope="both").items}
    assert set(pair) <= texts
