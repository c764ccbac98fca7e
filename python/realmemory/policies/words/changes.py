"""The words by which English, German and Russian say that something is otherwise than it was."""

from __future__ import annotations

from realmemory.policies.words import calendar, word_set

MEASURED = word_set(
    """
    shifted pushed postponed rescheduled delayed raised raises lowered increased decreased doubled halved
    tripled reduced extended prolonged shortened grew grown shrank shrunk dropped rose risen fell fallen
    climbed cut went goes brought expanded enlarged widened
    verschoben verlegt vorverlegt gesenkt gekürzt gestiegen gesunken erhöht angehoben verdoppelt halbiert
    reduziert verlängert verkürzt verschiebt erweitert vergrößert verkleinert aufgestockt
    """
)
"""Verbs of an amount or a time that is another now."""
MEASURED_STEMS = (
    "перенес", "сдвинул", "увеличи", "уменьши", "снизи", "поднял", "повыси", "продлил", "продлен", "сократи",
    "подорожа", "подешеве", "вырос", "упал", "удвои", "расшири",
)  # fmt: skip
UPGRADED = word_set(
    "upgrade upgraded upgrading update updated downgrade downgraded migrated switched moved bumped aktualisiert"
)
"""Words of another version of the same."""
UPGRADED_STEMS = ("обнови", "обновл", "перешл", "перешел")
RENAMED = word_set("renamed rebranded umbenannt")
"""Verbs of another name."""
RENAMED_STEMS = ("переименова",)
MOVED = (
    word_set(
        """
        move moved moves relocated changed upgraded downgraded migrated rewritten rewrote ported transferred
        switched swapped replaced converted updated reassigned took taken takes
        geändert gewechselt wechselt wechselte gezogen zog umgezogen umgestellt umgestiegen ersetzt migriert
        """
    )
    | MEASURED
    | RENAMED
)
"""Verbs of something that is otherwise now."""
MOVED_STEMS = (
    "изменил", "заменил", "заменен", "сменил", "переехал", "переезжа", "перешел", "перешл", "перевел",
    "переписа", "обнови", "ушел", "ушл", *MEASURED_STEMS, *RENAMED_STEMS,
)  # fmt: skip
ENDED = word_set(
    """
    cancelled canceled ended discontinued closed died retired resigned scrapped abolished dissolved gone
    abgesagt beendet eingestellt geschlossen aufgelöst gestorben abgeschafft gestrichen ausgefallen
    """
)
ENDED_STEMS = (
    "отменил",
    "отменен",
    "закрыл",
    "закрыт",
    "умер",
    "закончил",
    "прекрати",
    "распусти",
    "упраздни",
)
LEFT = word_set(
    """
    replaced swapped traded left sold quit quits closed cancelled canceled dropped retired abandoned ditched
    removed scrapped stopped withdrawn gave sunset lost resigned switched deprecated returned
    verkauft ersetzt entfernt abgesetzt gekündigt verlassen abgeschafft verließ kündigte geschlossen aufgegeben
    """
)
"""Verbs whose object is what was before."""
LEFT_STEMS = (
    "продал", "уволи", "ушел", "ушл", "отказал", "заменил", "сменил", "бросил", "закрыл", "покинул", "перешел",
    "перешл", "расторг",
)  # fmt: skip
UNDERGONE = word_set(
    "removed stopped discontinued withdrawn cancelled canceled scrapped dropped entfernt abgesetzt gestrichen"
)
"""Those of them that a headline says of a thing without a verb to be: "catheter removed"."""
DEPARTED = word_set(
    "left resigned retired died quit stepped departed gekündigt ausgeschieden gestorben Rente rente"
)
"""Said of somebody who is not there any more."""
DEPARTED_STEMS = ("уволи", "ушел", "ушл", "умер", "покинул")
RESUMED = word_set("restarted resumed reinstated wiederaufgenommen fortgesetzt")
RESUMED_STEMS = ("возобнови",)
PAUSED = word_set(
    """
    paused suspended stopped halted held withheld interrupted discontinued ausgesetzt pausiert unterbrochen
    abgesetzt приостановлен приостановлена приостановлено приостановили прервали
    """
)
"""States of what may be resumed."""
MENDED = RESUMED | word_set(
    """
    fixed repaired resolved solved healed recovered paid settled reopened unblocked restored mended cured
    returned back gone cleared done finished completed merged
    zurückgebracht zurückgegeben wiederhergestellt
    repariert behoben gelöst bezahlt geheilt zurück wiedereröffnet genesen erledigt fertig
    """
)
"""Verbs of a bad or an open state that is over."""
BACK = word_set("back returned zurück")
"""Those of them that may tell of somebody's whereabouts: "back from Spain"."""
MENDED_STEMS = (
    *RESUMED_STEMS,
    "почини", "исправи", "исправлен", "решен", "устрани", "оплати", "оплачен", "вылечи", "выздоров", "верну", "открыл",
    "сделал", "сделан", "готов", "восстанови",
)  # fmt: skip
BAD = word_set(
    """
    not nicht не
    broken broke leaks leaking leaky down open unpaid closed sick ill injured overdue stuck failing fails failed
    blocked missing out leave due pending unresolved unfinished defective faulty owed absent away lost todo
    bug issue problem fault defect error outage dripping drips cracked clogged lent loan loaned borrowed
    fehler störung problem defekt tropft verliehen geliehen ausgeliehen ошибка баг проблема сбой поломка
    одолжил одолжила одолжили
    allergic allergy flaky jammed
    kein keine keinen keiner never нет kaputt defekt undicht offen unbezahlt krank verletzt überfällig gesperrt geschlossen verstopft leckt tropft
    сломан сломана сломано сломались сломался сломалась протекает течет течёт болеет болен больна закрыт закрыта
    закрыто открыт открыта оплачен просрочен заблокирован
    """
)
"""States that are mended, and end."""
LASTS = word_set("allergic allergy")
"""Those of them that only what heals ends."""
BAD_FOR_A_TIME = BAD - LASTS
ABSENT = word_set(
    """
    out away absent missing leave lost lent loan loaned borrowed sick ill injured
    krank verletzt verliehen geliehen ausgeliehen болеет болен больна
    одолжил одолжила одолжили
    """
)
"""States of who or what is not in its place."""
HEALED = word_set("healed recovered cured geheilt genesen gone")
HEALED_STEMS = ("вылечи", "выздоров")
BROKEN = word_set(
    """
    broken broke down dead defective faulty kaputt defekt ausgefallen
    сломан сломана сломано сломался сломалась сломалось
    """
)
BROKEN_SAID = (
    "out of order",
    "out of service",
    "außer betrieb",
    "не работает",
    "вышел из строя",
    "вышла из строя",
)
"""States of what worked."""
SOUND = word_set(
    """
    fixed repaired repariert behoben починили починил починила исправен исправна
    again wieder снова опять
    """
)
"""States of what is not broken."""
BECAME = word_set(
    "became become becomes took taken succeeded succeeds takes wurde übernahm übernimmt übernommen nachfolger nachfolgerin"
)
"""Verbs of somebody or something in a role that another had."""
TAKEN = word_set("took taken takes")
BECAME_STEMS = ("стал", "сменил", "заменил", "назначен")
NEW = word_set("new neu neue neuer neues neuen neuem")
NEW_STEMS = ("новый", "новая", "новое", "новые", "нового", "новой", "новым", "новую")
NOW = word_set(
    "now nowadays again instead jetzt nun wieder stattdessen seither inzwischen mittlerweile neuerdings теперь снова опять вместо отныне"
)
"""Adverbs of a state that is another now."""
GOES_BY = ("goes by", "go by")
"""Say what something is called."""
NOWADAYS = ("these days", "as of ", "from now on", "by now", "ab sofort", "ab jetzt", "ab heute", "from today", "с сегодняшнего", "seit neuestem",
        "с недавних пор")  # fmt: skip
"""The same in several words."""
DENIALS = ("no longer", "not anymore", "any more", "any longer", "anymore", "stopped", "quit", "gave up", "given up", "gives up", "aufgehört", "hört auf", "nicht mehr", "kein mehr",
        "больше не", "уже не", "перестал")  # fmt: skip
"""What denies that it is as it was."""
BESIDE = word_set(
    "also too additionally well besides auch zusätzlich außerdem ebenfalls тоже также еще ещё"
)
"""What says that the old holds as well."""
FROM = word_set("from instead von vom aus statt anstatt с со из от вместо")
TO = word_set("to into onto for with as auf nach zu zum zur durch in на в во к by")
SINCE = word_set("from since starting ab seit с со начиная")
"""Before a day from which something else holds."""
LINKED = word_set("of des der von")
"""Between a thing and what it is of."""
PLACING = word_set(
    """
    is are was live lives living based located lies lie sits sit stands stand hangs hang run runs go goes hosted store stores stored keep keeps
    kept parked served stays
    ist sind liegt liegen wohnt wohne wohnen lebt lebe leben läuft laufen sitzt steht stehen hängt hängen
    живет живу живут живем находится находятся лежит лежат стоит стоят висит висят работает храним хранится хранятся
    """
)
"""Words that tell with a preposition where something is."""
NAMING = word_set(
    "called name named known heißt heißen genannt name зовут звать имя называется называют назван названа"
)
"""Words of what somebody is called, which no departure changes."""
EMPLOYED = word_set(
    "work works working job employed contact arbeitet arbeite job работает работаю kontakt ansprechpartner"
)
"""Words of what somebody does for a living."""
HIRED = word_set("started joined hired recruited angefangen begonnen eingestellt angestellt")
"""Said of somebody who begins to work somewhere."""
HIRED_STEMS = ("устроил", "нанял", "поступил")
WORKPLACES = word_set("at for bei в")
"""Before whom somebody works for."""
EMPLOYERS = WORKPLACES | word_set("with by von на к")
"""Before whom somebody begins to work for."""
PLACES = word_set("in at on to under inside bei auf im am unter zu zur nach в во на у")
NO_PLACES = word_set("leave vacation holiday holidays duty call sale hold urlaub elternzeit")
"""What one may be on without being anywhere."""
WHERE = PLACES | word_set("beside near behind above neben hinter über около рядом за под")
"""Before a place where something is."""
WENT = word_set("went goes took takes brought fell")
WHITHER = word_set("up down from over back below above")
STATES = word_set("left closed geschlossen open over back done закрыт закрыта закрыто")
LASTING = word_set("is are ist sind stays remains")
AGAIN = word_set("again wieder снова опять")
REASONS = word_set("because weil denn потому")
"""Begin what only says why."""
JOBS = word_set("job jobs employer company stelle arbeitgeber работу профессию")
VALUES = word_set("version port порт")
RATHER = word_set("over instead rather statt anstatt вместо")
OUT_OF = word_set("of out")
MEANT = word_set("for für для")
"""Before whom something is meant for."""
BY_ITSELF = word_set(
    "fell fallen rose risen climbed dropped went goes grew grown shrank shrunk gestiegen gesunken"
)
"""Those verbs of an amount that also tell what somebody does."""
MANY = word_set(
    """
    client customer patient student pupil colleague friend member employee hire intern volunteer project
    issue bug idea recipe order
    kunde kundin patient patientin schüler schülerin kollege kollegin freund freundin mitglied projekt
    """
)
"""What somebody has several of: a new one takes no other's place."""
MANY_STEMS = (
    "клиент",
    "заказчик",
    "пациент",
    "ученик",
    "учениц",
    "коллег",
    "сотрудник",
    "проект",
    "заказ",
)
MEASURES = word_set(
    "back forward up down price name hour hours day days week weeks month months year years"
)
DENYING = word_set(
    "now again instead jetzt nun wieder теперь снова опять longer more anymore stopped gave given quit больше mehr using"
)
NO_SORTS = MOVED | NOW | VALUES | calendar.NAMES
CHANGES = word_set(
    """
    now moved changed switched instead replaced increased decreased reduced raised lowered cut
    postponed extended shortened renamed took
    теперь перенесли перенесен перенесена перенесено изменили увеличили уменьшили снизили подняли
    повысили заменили сменил сменила сменили вместо перешли переехал переехала продлили сократили
    """
)
TELLING = (
    MOVED | ENDED | LEFT | DEPARTED | MENDED | BROKEN | BECAME | HIRED | NEW | NOW
    | word_set("statt anstatt")
)  # fmt: skip
TELLING_STEMS = (
    *MOVED_STEMS, *ENDED_STEMS, *LEFT_STEMS, *MENDED_STEMS, *BECAME_STEMS, *HIRED_STEMS, *NEW_STEMS
)  # fmt: skip
VERBS = (
    MOVED
    | ENDED
    | LEFT
    | DEPARTED - word_set("rente")
    | MENDED
    | BECAME
    | HIRED
    | NOW
    | word_set("came comes kam")
)
VERB_STEMS = (*MOVED_STEMS, *ENDED_STEMS, *LEFT_STEMS, *MENDED_STEMS, *BECAME_STEMS, *HIRED_STEMS)
REPLACED = word_set("replaced swapped ersetzt took")
REPLACED_STEMS = ("заменил", "сменил")
