"""One project per repository, whatever its folder, remote or worktree is called."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from realmemory.agents.project import (
    HOST_VARIABLES,
    claim,
    detect_project,
    find_repository,
    normalised_remote,
)
from realmemory.agents.registry import ProjectRegistry
from realmemory.errors import InvalidInputError, NotFoundError


@pytest.fixture
def registry(tmp_path):
    return ProjectRegistry(tmp_path / "memory")


def git(folder, *arguments):
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def repository(folder, remote=None):
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def name_in(folder, registry, environ=None):
    found = detect_project(cwd=folder, environ=environ or {}, registry=registry)
    return found.name if found else None


def claimed(folder, registry):
    return claim(detect_project(cwd=folder, environ={}, registry=registry), registry).name


def test_explicit_beats_variable_beats_host_beats_folder(tmp_path, registry):
    here = repository(tmp_path / "here")
    host = repository(tmp_path / "host")
    environ = {"REALMEMORY_PROJECT": "named", "CLAUDE_PROJECT_DIR": str(host)}

    def found(explicit=None):
        return detect_project(explicit, environ=environ, cwd=here, registry=registry)

    assert (found("stated").name, found("stated").source) == ("stated", "argument")
    assert (found().name, found().source) == ("named", "REALMEMORY_PROJECT")
    del environ["REALMEMORY_PROJECT"]
    assert (found().name, found().source) == ("host", "CLAUDE_PROJECT_DIR")
    del environ["CLAUDE_PROJECT_DIR"]
    assert (found().name, found().source) == ("here", "git")


def test_vendor_variable_beats_the_alias_of_claude(tmp_path):
    folders = {name: repository(tmp_path / name.lower()) for name in HOST_VARIABLES}
    environ = {name: str(folder) for name, folder in folders.items()}
    for name in HOST_VARIABLES:
        assert detect_project(environ=environ, cwd=tmp_path).source == name
        del environ[name]


def test_nothing_is_detected_outside_of_a_repository(tmp_path):
    assert detect_project(environ={}, cwd=tmp_path) is None


def test_home_directory_named_by_a_host_is_no_project(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    environ = {"CLAUDE_PROJECT_DIR": str(tmp_path)}
    assert detect_project(environ=environ, cwd=tmp_path) is None


def test_folder_without_git_named_by_a_host_is_a_project(tmp_path, registry):
    notes = tmp_path / "my notes"
    notes.mkdir()
    environ = {"CLAUDE_PROJECT_DIR": str(notes)}
    found = detect_project(environ=environ, cwd=tmp_path, registry=registry)
    assert (found.name, found.source) == ("my notes", "CLAUDE_PROJECT_DIR")


def test_invalid_explicit_name_is_refused_and_invalid_variable_skipped(tmp_path):
    with pytest.raises(InvalidInputError) as error:
        detect_project("a/b", environ={}, cwd=tmp_path)
    assert error.value.code == "invalid_scope"
    assert detect_project(environ={"REALMEMORY_PROJECT": "a/b"}, cwd=tmp_path) is None
    assert detect_project(environ={"REALMEMORY_PROJECT": "  "}, cwd=tmp_path) is None


def test_subfolder_and_worktree_share_the_project(tmp_path, registry):
    main = repository(tmp_path / "app")
    (main / "deep" / "er").mkdir(parents=True)
    git(main, "commit", "-q", "--allow-empty", "-m", "one")
    git(main, "worktree", "add", "-q", str(tmp_path / "elsewhere"))
    assert name_in(main / "deep" / "er", registry) == "app"
    assert name_in(tmp_path / "elsewhere", registry) == "app"
    assert claimed(tmp_path / "elsewhere", registry) == claimed(main, registry) == "app"


def test_submodule_is_a_project_of_its_own(tmp_path, registry):
    inner = repository(tmp_path / "inner")
    git(inner, "commit", "-q", "--allow-empty", "-m", "one")
    outer = repository(tmp_path / "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "part")
    assert name_in(outer / "part", registry) == "part"


def test_equal_folder_names_are_two_projects(tmp_path, registry):
    first = repository(tmp_path / "one" / "app")
    second = repository(tmp_path / "two" / "app")
    assert claimed(first, registry) == "app"
    other = claimed(second, registry)
    assert other.startswith("app-")
    assert name_in(second, registry) == other
    assert name_in(first, registry) == "app"


def test_moved_and_renamed_folder_keeps_its_project(tmp_path, registry):
    folder = repository(tmp_path / "app")
    assert claimed(folder, registry) == "app"
    moved = tmp_path / "other" / "renamed"
    moved.parent.mkdir()
    shutil.move(folder, moved)
    assert name_in(moved, registry) == "app"


def test_renamed_remote_keeps_the_project_and_new_clones_join_it(tmp_path, registry):
    folder = repository(tmp_path / "app", "git@example.org:me/app.git")
    assert claimed(folder, registry) == "app"
    git(folder, "remote", "set-url", "origin", "https://example.org/me/better-name")
    assert claimed(folder, registry) == "app"
    old = repository(tmp_path / "clone-1", "https://example.org/me/app")
    new = repository(tmp_path / "clone-2", "ssh://git@example.org:22/me/better-name.git")
    assert name_in(old, registry) == name_in(new, registry) == "app"


def test_another_repository_at_the_place_of_an_old_one_is_another_project(tmp_path, registry):
    folder = repository(tmp_path / "app", "https://example.org/a/app")
    assert claimed(folder, registry) == "app"
    shutil.rmtree(folder)
    repository(folder, "https://example.org/b/app")
    assert name_in(folder, registry).startswith("app-")


def test_unwritable_repository_is_recognised_by_its_place(tmp_path, registry):
    folder = repository(tmp_path / "app")
    (folder / ".git" / "realmemory-id").mkdir()  # nothing can be written there
    assert claimed(folder, registry) == "app"
    repository(tmp_path / "two" / "app")
    assert name_in(folder, registry) == "app"


def test_folder_called_global_does_not_become_the_global_scope(tmp_path, registry):
    folder = repository(tmp_path / "Global")
    assert name_in(folder, registry) != "Global"
    assert name_in(folder, None) == "Global-project"


def test_detection_writes_nothing(tmp_path, registry):
    folder = repository(tmp_path / "app")
    before = sorted(map(str, tmp_path.rglob("*")))
    assert name_in(folder, registry) == "app"
    assert sorted(map(str, tmp_path.rglob("*"))) == before


@pytest.mark.parametrize(
    "pointer", [b"gitdir: /nowhere/at/all\n", b"gitdir:\n", b"\xff\xfe", b"", b"gitdir: a\0b\n"]
)
def test_damaged_git_file_means_no_project(tmp_path, pointer):
    (tmp_path / ".git").write_bytes(pointer)
    assert find_repository(str(tmp_path))[0] is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@Example.org:me/app.git", "example.org/me/app"),
        ("https://user:secret@example.org/me/app.git", "example.org/me/app"),
        ("https://example.org:8443/me/app/", "example.org/me/app"),
        ("ssh://git@example.org/me/app", "example.org/me/app"),
        ("file:///srv/git/app.git", "file/srv/git/app"),
        ("../relative/app", ""),
        ("", ""),
    ],
)
def test_remotes_are_compared_without_protocol_and_credentials(url, expected):
    assert normalised_remote(url) == expected


def test_damaged_registry_counts_as_empty(registry):
    Path(registry.path).parent.mkdir()
    for content in (b"{", b"[]", b'{"projects": 3}', b'{"projects": {"a": 1}}', b"\xff"):
        Path(registry.path).write_bytes(content)
        assert registry.projects() == {}


def test_rename_and_merge_move_the_evidence(registry):
    registry.claim("first", ["remote:h/a"])
    registry.claim("second", ["remote:h/b"])
    registry.rename("First", "renamed")
    assert registry.name_of(["remote:h/a"]) == "renamed"
    registry.merge("second", "renamed")
    assert registry.name_of(["remote:h/b"]) == "renamed"
    assert list(registry.projects()) == ["renamed"]


def test_unknown_project_names_the_nearest(registry):
    registry.claim("payment-service", ["remote:h/a"])
    with pytest.raises(NotFoundError, match="Did you mean 'payment-service'") as error:
        registry.rename("paymnt_service", "x")
    assert error.value.code == "unknown_project"


def test_renaming_onto_another_project_is_refused(registry):
    registry.claim("a", ["remote:h/a"])
    registry.claim("b", ["remote:h/b"])
    for taken in ("B", "global"):
        with pytest.raises(InvalidInputError):
            registry.rename("a", taken)
    assert sorted(registry.projects()) == ["a", "b"]


def test_parallel_claims_agree(tmp_path, registry):
    folder = repository(tmp_path / "app")
    script = (
        "from realmemory.agents.project import claim, detect_project\n"
        "from realmemory.agents.registry import ProjectRegistry\n"
        f"r = ProjectRegistry({str(tmp_path / 'memory')!r})\n"
        f"print(claim(detect_project(environ={{}}, cwd={str(folder)!r}, registry=r), r).name)"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert {run.communicate()[0].strip() for run in runs} == {"app"}
    assert len([item for item in registry.projects()["app"] if item.startswith("id:")]) == 1
