"""Bad files beside a memory, bad variables and bad places for one (B60 to B62)."""

from __future__ import annotations

from pathlib import Path

import pytest

from realmemory import Hippocampus
from realmemory.agents.registry import ProjectRegistry
from realmemory.api.grants import GrantBook
from realmemory.cli import exits
from realmemory.cli.root import run
from realmemory.errors import ConfigurationError, RealMemoryError, StoreRefusedError
from realmemory.places import data_directory
from realmemory.store.media import check_local, kind_of
from realmemory.switches import is_on


@pytest.mark.parametrize(
    "content",
    [b"", b"a: &a [*a]", b"yes", b"\t{}", b"[]", b'{"projects": 7}', b"\xff", "folder"],
    ids=ascii,
)
def test_b60_a_damaged_register_of_projects_is_an_empty_one(tmp_path, content):
    file = tmp_path / "projects.json"
    file.mkdir() if content == "folder" else file.write_bytes(content)
    registry = ProjectRegistry(tmp_path)
    assert registry.projects() == {}
    assert registry.name_of(["path:/x"]) is None


@pytest.mark.parametrize("content", [b"", b"a: &a [*a]", b"yes", b"[]", b'{"grants": 7}', "folder"])
def test_b60_damaged_grants_let_nobody_in(tmp_path, content):
    book = GrantBook(tmp_path)
    book.mint(["shop"])
    (file,) = [path for path in tmp_path.iterdir() if path.suffix == ".json"]
    file.unlink()
    file.mkdir() if content == "folder" else file.write_bytes(content)
    with pytest.raises(ConfigurationError):
        book.all()


@pytest.mark.parametrize(
    ("value", "on"),
    [
        *((value, False) for value in ("", " ", "0", "false", "No", "OFF\n", " False ")),
        *((value, True) for value in ("1", "true", "YES", "on", "2", "anything")),
    ],
    ids=repr,
)
def test_b61_a_switch_follows_one_table(value, on):
    assert is_on("X", environ={"X": value}) is on
    assert not is_on("Y", environ={"X": value})


@pytest.mark.parametrize("value", ["", "  ", "\t"])
def test_b61_an_empty_variable_is_an_unset_one(tmp_path, monkeypatch, capsys, value):
    home = {"HOME": str(tmp_path), "REALMEMORY_PATH": value, "XDG_DATA_HOME": value}
    assert data_directory(None, home) == str(tmp_path / ".local" / "share" / "realmemory")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REALMEMORY_NAMESPACE", value)
    monkeypatch.setenv("REALMEMORY_PROJECT", value)
    assert run(["--path", str(tmp_path / "m"), "remember", "The valve opens"]) == exits.DONE
    assert "in global" in capsys.readouterr().out
    assert (tmp_path / "m" / "memory.db").exists()


MOUNTS = """\
20 1 8:1 / / rw - ext4 /dev/sda1 rw
30 20 0:40 / /mnt/team rw - nfs4 server:/export rw
31 30 0:41 / /mnt/team/local rw - ext4 /dev/sdb rw
32 20 0:42 / /mnt/a\\040b rw - cifs //server/share rw
33 20 0:43 / /home/me/vm rw - fuse.sshfs me@server: rw
"""


@pytest.mark.parametrize(
    ("folder", "kind", "refused"),
    [
        ("/srv/memory", "ext4", False),
        ("/mnt/team/memory", "nfs4", True),
        ("/mnt/team/local/memory", "ext4", False),
        ("/mnt/teams", "ext4", False),
        ("/mnt/a b/deep/memory", "cifs", True),
        ("/home/me/vm/memory", "fuse.sshfs", True),
    ],
)
def test_b62_a_network_file_system_is_refused_with_the_reason(tmp_path, folder, kind, refused):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert kind_of(Path(folder), mounts) == kind
    if refused:
        with pytest.raises(StoreRefusedError, match=kind) as caught:
            check_local(Path(folder), mounts)
        assert caught.value.code == "network_filesystem"
    else:
        check_local(Path(folder), mounts)


@pytest.mark.parametrize("name", ["/".join(["deep" * 10] * 8), "a?b=c#d%41 e"])
def test_b62_a_long_or_odd_path_works(tmp_path, name):
    with Hippocampus.open(tmp_path / name) as memory:
        memory.remember("The valve opens at 13 bar")
    with Hippocampus.open(tmp_path / name) as memory:
        assert len(memory.list()) == 1


def test_b62_a_name_that_no_file_system_takes_is_refused(tmp_path):
    with pytest.raises(RealMemoryError):
        Hippocampus.open(tmp_path / ("x" * 300))
