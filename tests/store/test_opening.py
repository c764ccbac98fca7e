from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

import realmemory
from realmemory.clock import FakeClock
from realmemory.config import MemoryConfig
from realmemory.errors import StoreError, StoreReadOnlyError
from realmemory.store import Store, connection
from realmemory.store.records import NewTrace

posix_only = pytest.mark.skipif(os.name != "posix", reason="modes, fork and uids are POSIX")


def add(store, text="a fact"):
    with store.write() as tx:
        return tx.traces.insert(NewTrace(text=text, terms=text, scope="global"))


@posix_only
def test_folder_and_files_are_private_whatever_the_umask(folder):
    before = os.umask(0)
    try:
        with Store.open(folder) as store:
            add(store)
            store.backup()
            modes = {path: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name for path in modes} >= {"memory.db", "memory.db-wal", "memory.db-shm"}
    wider = [path for path, mode in modes.items() if mode & 0o077]
    assert wider == []


def test_the_stored_configuration_wins_until_it_is_changed(folder):
    with Store.open(folder, config=MemoryConfig(backups_keep=3)) as store:
        assert store.config.backups_keep == 3
        identity = store.store_id
    with Store.open(folder, config=MemoryConfig(backups_keep=8)) as store:
        assert (store.config.backups_keep, store.store_id) == (3, identity)
        store.reconfigure(MemoryConfig(backups_keep=8))
    with Store.open(folder) as store:
        assert store.config.backups_keep == 8


def test_paths_with_marks_of_a_uri_are_paths(tmp_path):
    folder = tmp_path / "a?b#c%41 d&e=f"
    with Store.open(folder) as store:
        trace_id = add(store)
        assert store.backup().path.parent == folder / "backups"
    with Store.open(folder) as store, store.read() as view:
        assert view.traces.get(trace_id).text == "a fact"
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


@pytest.mark.parametrize(
    ("version", "fixed"),
    [
        ((3, 40, 1), False),
        ((3, 44, 6), True),
        ((3, 50, 4), False),
        ((3, 50, 7), True),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 52, 0), False),
        ((3, 53, 4), True),
        ((4, 0, 0), True),
    ],
)
def test_engines_that_lose_pages_are_known(version, fixed):
    assert connection.engine_is_fixed(version) is fixed


def test_the_loaded_engine_is_ours_and_fixed():
    assert hasattr(apsw, "mc_version")
    assert connection.check_engine() == apsw.sqlite_lib_version()


def test_every_connection_follows_the_rules_of_the_house(store):
    for access in (connection.Access.WRITE, connection.Access.READ):
        opened = connection.connect(store.paths, access)
        settings = {
            name: opened.pragma(name)
            for name in (
                "wal_autocheckpoint",
                "cell_size_check",
                "foreign_keys",
                "secure_delete",
                "trusted_schema",
                "journal_mode",
                "query_only",
            )
        }
        opened.close()
        assert settings == {
            "wal_autocheckpoint": 0,
            "cell_size_check": 1,
            "foreign_keys": 1,
            "secure_delete": 1,
            "trusted_schema": 0,
            "journal_mode": "wal",
            "query_only": int(access is connection.Access.READ),
        }


@pytest.mark.parametrize("change", ["removed", "renamed", "copied_over"])
def test_a_file_replaced_under_us_takes_no_write(folder, tmp_path, change):
    with Store.open(tmp_path / "other") as other:
        add(other)
        other.checkpoint()
    foreign = (tmp_path / "other" / "memory.db").read_bytes()
    store = Store.open(folder)
    add(store)
    store.checkpoint()
    database = folder / "memory.db"
    if change == "removed":
        database.unlink()
    elif change == "renamed":
        (tmp_path / "new").write_bytes(foreign)
        (tmp_path / "new").replace(database)
    else:
        database.write_bytes(foreign)
    with pytest.raises(StoreError) as caught:
        add(store, "lost?")
    assert caught.value.code == "store_replaced"
    store.close()
    if change != "removed":
        assert database.read_bytes() == foreign


@pytest.mark.parametrize(
    ("checkpoints", "copied"), [(0, "another store"), (1, "another store"), (1, "an older copy")]
)
def test_a_file_copied_over_one_with_a_full_log_takes_no_write(
    folder, tmp_path, checkpoints, copied
):
    """The log still holds pages of the old file, which SQLite would go on to read."""
    with Store.open(tmp_path / "other") as other:
        add(other)
        other.checkpoint()
    database = folder / "memory.db"
    store = Store.open(folder)
    older = database.read_bytes()
    for number in range(checkpoints + 1):
        if number:
            store.checkpoint()
            older = database.read_bytes()
            add(store, "a change that is moved into the file")
            store.checkpoint()
        for _ in range(3):
            add(store, f"in the log after {number} checkpoints")
    assert store.wal_size() > 0
    foreign = (tmp_path / "other" / "memory.db").read_bytes()
    put = foreign if copied == "another store" else older
    database.write_bytes(put)
    with pytest.raises(StoreError) as caught:
        add(store, "lost?")
    assert caught.value.code == "store_replaced"
    store.close()
    with pytest.raises(StoreError) as caught:
        Store.open(folder)
    assert caught.value.code == "store_replaced"
    assert database.read_bytes() == put


def test_an_older_copy_put_in_place_without_its_log_is_worked_with(folder):
    """Its owner may do so on purpose; from then on it is the store, killed processes or not."""
    database = folder / "memory.db"
    with Store.open(folder) as store:
        add(store, "kept")
        store.checkpoint()
        older = database.read_bytes()
        for number in range(5):
            add(store, f"gone {number}")
        store.checkpoint()
    database.write_bytes(older)
    killed = "store = Store.open(folder); w = store.write(); t = w.__enter__();"
    killed += 't.traces.insert(NewTrace(text="new", terms="new", scope="global"));'
    killed += "w.__exit__(None, None, None); os.kill(os.getpid(), 9)"
    head = "import os; from pathlib import Path; from realmemory.store import Store;"
    head += f"from realmemory.store.records import NewTrace; folder = Path({str(folder)!r});"
    subprocess.run([sys.executable, "-c", head + killed], check=False)
    with Store.open(folder) as store:
        assert store.wal_size() > 0
        add(store, "newer")
        with Store.open(folder) as other:
            other.checkpoint()
        add(store, "newest")
        with store.read() as view:
            texts = [trace.text for trace in view.traces.page()]
    assert texts == ["kept", "new", "newer", "newest"]


@posix_only
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_handle_that_came_through_a_fork_is_refused(store):
    trace_id = add(store)
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        codes = []
        for use in (lambda: add(store), lambda: store.read().__enter__()):
            try:
                use()
            except StoreError as error:
                codes.append(error.code)
        store.close()
        os.write(write_end, " ".join(codes).encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        assert pipe.read() == "forked_handle forked_handle"
    os.waitpid(pid, 0)
    later = add(store, "after the fork")
    with store.read() as view:
        assert set(view.traces.get_many([trace_id, later])) == {trace_id, later}
    assert store.verify().ok


def test_a_closed_store_says_so(folder):
    store = Store.open(folder)
    store.close()
    with pytest.raises(StoreError) as caught, store.read():
        pass
    assert caught.value.code == "closed"


def interpreter() -> str | None:
    """An interpreter of this version that any user may run."""
    major, minor = sys.version_info[:2]
    for path in (Path(sys.executable).resolve(), Path(f"/usr/bin/python{major}.{minor}")):
        if path.exists() and all(parent.stat().st_mode & 1 for parent in path.resolve().parents):
            return str(path)
    return None


def as_nobody(folder: Path, code: str) -> str:
    """Run code as a user without rights; root ignores modes."""
    program = f"""
import sys
from pathlib import Path
from realmemory.errors import RealMemoryError
from realmemory.store import Store
from realmemory.store.records import NewTrace
folder = Path({str(folder)!r})
try:
{chr(10).join("    " + line for line in code.strip().splitlines())}
except RealMemoryError as error:
    print(type(error).__name__, error.code)
"""
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", interpreter()]
    modules = {str(Path(module.__file__).parents[1]) for module in (apsw, realmemory)}
    done = subprocess.run(
        [*command, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd="/",
        env={"PYTHONPATH": os.pathsep.join(sorted(modules)), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def public(tmp_path):
    """A store in a folder that others may read, all the way down from the root."""
    if os.name != "posix" or os.geteuid() != 0 or not Path("/usr/bin/setpriv").exists():
        pytest.skip("needs root and setpriv to become another user")
    if interpreter() is None:
        pytest.skip("no interpreter of this version that another user may run")
    folder = Path("/var/tmp") / f"realmemory-{os.getpid()}-{tmp_path.name}"
    with Store.open(folder) as store:
        add(store)
        store.checkpoint()
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


READ = """
with Store.open(folder, read_only=True) as store, store.read() as view:
    print(view.traces.get(1).text)
"""
WRITE = """
with Store.open(folder) as store, store.write() as tx:
    print(tx.traces.insert(NewTrace(text="x", terms="x", scope="global")))
"""


@pytest.mark.parametrize("log", ["none", "left"])
def test_a_folder_without_write_permission_can_be_read(public, log):
    with Store.open(public) as store:
        if log == "left":
            add(store, "in the log")
    if log == "none":
        for name in ("memory.db-wal", "memory.db-shm"):
            (public / name).unlink(missing_ok=True)
    for path in public.iterdir():
        path.chmod(0o444)
    public.chmod(0o555)
    assert as_nobody(public, READ) == "a fact"
    assert as_nobody(public, WRITE) == "StoreReadOnlyError read_only"


def test_nothing_is_readable_for_another_user_by_default(public):
    assert as_nobody(public, READ).startswith("Store")
    assert as_nobody(public, WRITE).startswith("Store")


def test_a_read_only_store_takes_no_write(folder):
    with Store.open(folder) as store:
        add(store)
    with Store.open(folder, read_only=True, clock=FakeClock()) as store:
        with store.read() as view:
            assert view.traces.get(1).text == "a fact"
        with pytest.raises(StoreReadOnlyError), store.write():
            pass
