"""Which project an agent works in: one name per repository, whatever its folder is called.

A repository is recognised by an id file inside its git directory, else by the remote ``origin``,
else by the place of that directory; worktrees share the git directory and so the project. The
registry in the memory's directory remembers which evidence belongs to which name, so that a
renamed remote or a moved folder keeps its project and two folders called ``app`` are two projects.

Detection reads and never writes; :func:`claim` writes, and only a write to memory calls it.
Hooks detect on every prompt, so this module loads neither ``pathlib`` nor ``typing``.
"""

from __future__ import annotations

import os
import re

from realmemory.errors import InvalidInputError
from realmemory.scopes import GLOBAL_SCOPE, scope_key, validate_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.agents.registry import ProjectRegistry

PROJECT_VARIABLE = "REALMEMORY_PROJECT"
HOST_VARIABLES = (
    "ZCODE_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "FACTORY_PROJECT_DIR",
    "CODEBUDDY_PROJECT_DIR",
    "QODER_PROJECT_DIR",
    "KIRO_PROJECT_DIR",
    "COPILOT_PROJECT_DIR",
    # Last: several hosts set it as an alias beside their own.
    "CLAUDE_PROJECT_DIR",
)
ID_FILE = "realmemory-id"

_READ_LIMIT = 64 * 1024
_REMOTE_SECTION = re.compile(r'^\s*\[\s*remote\s+"origin"\s*\]', re.IGNORECASE)
_ANY_SECTION = re.compile(r"^\s*\[")
_URL_LINE = re.compile(r"^\s*url\s*=\s*(?P<url>\S+)", re.IGNORECASE)
_SCP_LIKE = re.compile(r"^(?:[^@/]+@)?(?P<host>[^:/]+):(?P<path>(?!//).+)$")
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\*?]+")


class Project:
    """A detected project.

    Args:
        name: Its scope.
        source: What named it.
        evidence: What it is recognised by, the strongest first.
        git_dir: The git directory that its worktrees share, if it has one.
    """

    __slots__ = ("evidence", "git_dir", "name", "source")

    def __init__(
        self,
        name: str,
        source: str,
        evidence: tuple[str, ...] = (),
        git_dir: str | None = None,
    ) -> None:
        self.name = name
        self.source = source
        self.evidence = evidence
        self.git_dir = git_dir


def detect_project(
    explicit: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    registry: ProjectRegistry | None = None,
) -> Project | None:
    """Return the project to work in, or ``None`` when nothing names one.

    Order: ``explicit``, ``REALMEMORY_PROJECT``, the directory that the host names (vendor
    variables first, ``CLAUDE_PROJECT_DIR`` last), the git repository around ``cwd``.

    Raises:
        InvalidInputError: ``explicit`` is not a valid scope. Names found elsewhere are only
            hints: an invalid one is skipped.
    """
    environ = os.environ if environ is None else environ
    if explicit is not None:
        return Project(validate_scope(explicit), "argument")
    named = _valid_or_none(environ.get(PROJECT_VARIABLE, ""))
    if named:
        return Project(named, PROJECT_VARIABLE)
    for variable in HOST_VARIABLES:
        directory = environ.get(variable, "").strip()
        if directory:
            found = _project_of(directory, variable, registry, need_git=False)
            if found:
                return found
    try:
        here = os.fspath(cwd) if cwd is not None else os.getcwd()
    except OSError:
        return None
    return _project_of(here, "git", registry, need_git=True)


def claim(project: Project, registry: ProjectRegistry) -> Project:
    """Tie ``project`` to its evidence, so that it keeps its name when it moves.

    Writes the id file into the git directory (git never tracks it) and the registry. Best effort:
    a read-only repository keeps being recognised by its remote or its place.
    """
    if not project.evidence:
        return project
    evidence = project.evidence
    if project.git_dir is not None and not any(item.startswith("id:") for item in evidence):
        fresh = _write_id(project.git_dir)
        if fresh:
            evidence = (f"id:{fresh}", *evidence)
    name = registry.claim(project.name, evidence)
    return Project(name, project.source, evidence, project.git_dir)


def _valid_or_none(name: str) -> str | None:
    try:
        return validate_scope(name)
    except InvalidInputError:
        return None


def _project_of(
    directory: str, source: str, registry: ProjectRegistry | None, *, need_git: bool
) -> Project | None:
    git_dir, root = find_repository(directory)
    if git_dir is None:
        if need_git or not _is_project_folder(directory):
            return None
        evidence: tuple[str, ...] = (f"path:{root}",)
    else:
        evidence = _evidence_of(git_dir)
    name = _name_for(os.path.basename(root), evidence, registry)
    return Project(name, source, evidence, git_dir)


def _is_project_folder(directory: str) -> bool:
    """A host that was started in the home directory does not make it a project."""
    real = os.path.realpath(directory)
    home = os.path.realpath(os.path.expanduser("~"))
    return os.path.isdir(real) and real not in (home, os.path.dirname(real))


def find_repository(directory: str) -> tuple[str | None, str]:
    """Return the git directory that all worktrees share, and the folder that names the project.

    No subprocess: ``.git`` is a directory, or a file that points to one, and a worktree's has a
    ``commondir`` file. Outside of a repository the first is ``None``.
    """
    start = folder = os.path.realpath(directory)
    while True:
        marker = os.path.join(folder, ".git")
        if os.path.isdir(marker):
            return marker, folder
        pointer = _read(marker)
        if pointer.startswith("gitdir:"):
            stated = pointer.removeprefix("gitdir:").strip().replace("\0", "")
            return _linked_repository(os.path.realpath(os.path.join(folder, stated)), folder, start)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None, start
        folder = parent


def _linked_repository(git_dir: str, folder: str, start: str) -> tuple[str | None, str]:
    common = _read(os.path.join(git_dir, "commondir")).strip()
    if not common:  # a submodule: a project of its own
        real = os.path.isfile(os.path.join(git_dir, "HEAD"))
        return (git_dir, folder) if real else (None, start)
    shared = os.path.realpath(os.path.join(git_dir, common))
    parent, last = os.path.split(shared)
    return (
        (shared, parent if last == ".git" else shared) if os.path.isdir(shared) else (None, start)
    )


def _evidence_of(git_dir: str) -> tuple[str, ...]:
    """Return what recognises a repository, the strongest first."""
    found = []
    stored = _read(os.path.join(git_dir, ID_FILE)).strip()
    if re.fullmatch(r"[0-9a-f]{32}", stored):
        found.append(f"id:{stored}")
    remote = normalised_remote(_origin_url(_read(os.path.join(git_dir, "config"))))
    if remote:
        found.append(f"remote:{remote}")
    found.append(f"path:{git_dir}")
    return tuple(found)


def _origin_url(config: str) -> str:
    inside = False
    for line in config.splitlines():
        if _ANY_SECTION.match(line):
            inside = bool(_REMOTE_SECTION.match(line))
        elif inside and (found := _URL_LINE.match(line)):
            return found["url"].strip('"')
    return ""


def normalised_remote(url: str) -> str:
    """Return ``host/owner/repo`` for every spelling of a remote, without credentials; or ``""``."""
    if not url:
        return ""
    if "://" in url:
        rest = url.split("://", 1)[1]
        host, _, path = rest.partition("/")
        host = host.rsplit("@", 1)[-1].rsplit(":", 1)[0]
        if url.startswith("file://"):
            host = "file"
    elif found := _SCP_LIKE.match(url):
        host, path = found["host"], found["path"]
    else:
        return ""
    path = path.strip("/").removesuffix(".git")
    return f"{host.casefold()}/{path}" if host and path else ""


def _name_for(folder: str, evidence: tuple[str, ...], registry: ProjectRegistry | None) -> str:
    known = registry.name_of(evidence) if registry else None
    if known:
        return known
    base = _valid_or_none(_UNFIT.sub("-", folder.removesuffix(".git"))) or "project"
    if registry is not None:
        return registry.free_name(base, evidence)
    return f"{base}-project" if scope_key(base) == GLOBAL_SCOPE else base


def _write_id(git_dir: str) -> str | None:
    """Give a repository an id, whole or not at all; return it, or the one that another just gave it."""
    path = os.path.join(git_dir, ID_FILE)
    fresh = os.urandom(16).hex()
    beside = f"{path}.{fresh}"
    try:
        with open(beside, "x", encoding="ascii") as file:
            file.write(fresh + "\n")
        try:
            # When two agents claim at once, both must end up with the same id: a link is made once,
            # and what it names is written already.
            os.link(beside, path)
        finally:
            os.unlink(beside)
    except FileExistsError:
        stored = _read(path).strip()
        return stored if re.fullmatch(r"[0-9a-f]{32}", stored) else None
    except OSError:
        return None
    return fresh


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_READ_LIMIT).decode("utf-8", "replace")
    except (OSError, ValueError):  # a NUL in a path is a ValueError
        return ""
