"""The facade of team sharing: everything that an owner does with the shared folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory.errors import ConfigurationError, InvalidInputError, RealMemoryError, StoreError
from realmemory.policies.sharing import SharingPolicy
from realmemory.scopes import scope_key, validate_scope
from realmemory.store.failures import written_beside
from realmemory.team import publishing
from realmemory.team.folder import headers, reachable
from realmemory.team.identity import chosen_name, file_name, name_key, new_author_id
from realmemory.team.known import read_known, write_known
from realmemory.team.local_copy import CopyPlace
from realmemory.team.outcomes import (
    AuthorStatus,
    Delivery,
    PublishedStatus,
    SyncReport,
    TeamAnswer,
    TeamStatus,
)
from realmemory.team.reading import read_others
from realmemory.team.sending import own_path, send, standing
from realmemory.team.settings import as_stated, load, save
from realmemory.team.shared import TeamCopy
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.hippocampus import Hippocampus
    from realmemory.outcomes import ForgetReceipt
    from realmemory.team.known import KnownAuthor
    from realmemory.team.publishing import Candidate
    from realmemory.team.settings import TeamSettings

_PAGE = 500


class Team:
    """Sharing chosen memories through a folder, and reading what others share.

    Args:
        memory: The own memory; nothing of the others' ever enters it.
    """

    def __init__(self, memory: Hippocampus) -> None:
        self._memory = memory
        self._place = CopyPlace(memory.path)

    def init(
        self, folder: str | Path, *, author: str | None = None, share: Sequence[str] = ()
    ) -> TeamStatus:
        """Name the shared folder and the author; nothing is published by that.

        The same again is harmless, and moves the author's file where the folder has moved.

        Args:
            folder: The shared folder; made if it is missing.
            author: Name to publish under; see ``REALMEMORY_IDENTITY`` and git's ``user.name``.
            share: Projects whose memories may be published from now on.

        Raises:
            InvalidInputError: The name cannot be used or is taken (``author_taken``), what is
                published stands elsewhere (``published_elsewhere``), or the folder and the memory
                lie in one another (``inside_memory``).
            ConfigurationError: ``team.json`` cannot be read, or nothing names the author.
        """
        before = load(self._memory.path)
        name = before.author if author is None and before.author else chosen_name(author)
        place = Path(folder).expanduser().absolute()
        projects = [validate_scope(project) for project in share]
        _refuse_place(place, self._memory.path)
        with self._place.locked("sending"):
            author_id = _author_id(self._memory, before, name, place)
            with written_beside(place):
                place.mkdir(parents=True, exist_ok=True)
            _refuse_taken(name, author_id, place)
            save(before, _changes(before, projects, place, name, author_id))
        return self.status()

    @property
    def settings(self) -> TeamSettings:
        """What ``team.json`` says.

        Raises:
            ConfigurationError: ``no_team``; it names no folder. Or it cannot be read.
        """
        stated = load(self._memory.path)
        if stated.folder is None or not stated.author or not stated.author_id:
            raise ConfigurationError(
                f"nothing is shared: {stated.path} names no folder and author. Name them with "
                "`realmemory team init FOLDER`.",
                code="no_team",
            )
        return stated

    def candidates(self, project: str | None = None) -> list[Candidate]:
        """Return live memories with what the policy says of each, newest first.

        Args:
            project: Only of this project; by default of all that may be shared.
        """
        stated = self.settings
        named = [rule.name for rule in stated.policy.projects] if project is None else [project]
        wanted = {scope_key(validate_scope(name)) for name in named}
        context = self._memory.context
        found: list[Candidate] = []
        with context.store.read() as view:
            scopes = [scope.id for scope in view.scopes.all() if scope.key in wanted]
            rows = view.publications.of_author(stated.author_id)
            last = None
            while page := view.traces.page(
                scope_ids=scopes,
                statuses=[Status.ACTIVE],
                newest_first=True,
                after=last,
                limit=_PAGE,
            ):
                fresh = [item for item in page if not _published(rows.get(item.uid))]
                found += publishing.judged(stated.policy, fresh, context.clock.now())
                last = page[-1].id
        return found

    def preview(self, ids: Iterable[int], *, force: bool = False) -> list[Candidate]:
        """Return memories that may be published, all of them or none.

        Args:
            ids: The memories.
            force: Pass over how often they were reinforced, and over nothing else.

        Raises:
            InvalidInputError: ``not_shareable``; the message names each that may not.
            NotFoundError: An id is unknown.
        """
        return publishing.preview(self._memory.context, self.settings, ids, force=force)

    def publish(self, ids: Iterable[int], *, force: bool = False) -> Delivery:
        """Let others read memories; what is published already stays so.

        Args:
            ids: The memories.
            force: As for :meth:`preview`, whose errors it raises.
        """
        stated, context = self.settings, self._memory.context
        with self._place.locked("sending"):
            found = publishing.preview(context, stated, ids, force=force)
            fresh = publishing.record(context, stated, found)
            return self._delivered(stated, fresh)

    def retract(self, ids: Iterable[int] | None = None) -> Delivery:
        """Take publications back, those of erased memories too.

        Args:
            ids: The memories; None for everything that is published.

        Raises:
            NotFoundError: ``not_published``; one of them is not published.
        """
        stated = self.settings
        with self._place.locked("sending"):
            gone = publishing.take_back(self._memory.context, stated, ids)
            return self._delivered(stated, gone)

    def erased(self, receipt: ForgetReceipt) -> ForgetReceipt:
        """Take what was erased out of the own file at once; return what holds the text after that.

        Args:
            receipt: What the memory said; it names the file if that holds the text.
        """
        stated = load(self._memory.path)
        if stated.folder is None or not stated.author or not stated.author_id:
            return receipt
        file = str(own_path(stated))
        if file not in receipt.remaining_copies:
            return receipt
        try:
            with self._place.locked("sending"):
                left = self._delivered(stated, receipt.forgotten).pending
        except StoreError:
            return receipt
        copies = tuple(copy for copy in receipt.remaining_copies if left or copy != file)
        return replace(receipt, remaining_copies=copies)

    def _delivered(self, stated: TeamSettings, ids: Sequence[int]) -> Delivery:
        file, problem = str(own_path(stated)), None
        try:
            send(self._memory.context, stated)
        except RealMemoryError as error:
            # It is recorded, and the next sync writes it.
            problem = error.message
        return Delivery(tuple(ids), file, problem)

    def sync(self, *, rebuild: bool = False) -> SyncReport:
        """Write the own file as the memory says it, and read what the others changed.

        Args:
            rebuild: Make the local copy anew from the files that are there; what is in no file
                any more leaves it.

        Raises:
            RealMemoryError: ``team_unreachable``; the folder is not there.
            StoreError: The local copy cannot be written.
        """
        stated, context = self.settings, self._memory.context
        reachable(own_path(stated).parent)
        sent, problem = None, None
        try:
            with self._place.locked("sending"):
                sent = send(context, stated)
        except (StoreError, InvalidInputError) as error:
            problem = error.message
        with self._place.locked("reading"):
            known = read_known(self._place.seen)
            if rebuild:
                self._place.drop()
                known.authors = {key: item for key, item in known.authors.items() if not item.gone}
            read = read_others(context, stated, self._place, known)
            write_known(self._place.seen, known)
        return SyncReport(
            files_read=read,
            published=len(sent.published) if sent else 0,
            withdrawn=sent.withdrawn if sent else {},
            unknown=sent.unknown if sent else 0,
            restored=sent.restored if sent else False,
            problem=problem,
            authors=_authors(known.authors.values()),
            strange=known.strange,
        )

    def status(self) -> TeamStatus:
        """Return how sharing stands; nothing is written."""
        stated, context = self.settings, self._memory.context
        known = read_known(self._place.seen)
        with context.store.read() as view:
            rows = view.publications.of_author(stated.author_id).values()
            found = standing(view, stated, context.clock.now())
        file = own_path(stated)
        return TeamStatus(
            folder=str(file.parent),
            reachable=file.parent.is_dir(),
            author=stated.author,
            file=str(file),
            projects=tuple(rule.name for rule in stated.policy.projects),
            published=tuple(
                PublishedStatus(
                    memory_id=item.row.trace_id,
                    text="" if item.trace is None else item.trace.text,
                    published_at=item.row.published_at,
                    delivered=item.row.synced_at is not None,
                    withdrawn=item.withdrawn,
                )
                for item in found
            ),
            pending=sum(row.synced_at is None for row in rows)
            + sum(item.withdrawn is not None for item in found),
            synced_at=known.synced_at,
            authors=_authors(known.authors.values()),
            strange=known.strange,
        )

    def recall(
        self, query: str, *, k: int = 5, author: str | None = None, project: str | None = None
    ) -> TeamAnswer:
        """Ask what the others publish, as of the last sync; it may abstain as any recall.

        Args:
            query: The question.
            k: Most hits.
            author: Only what they publish.
            project: Only this project and ``global``.

        Raises:
            RealMemoryError: ``team_unreachable``; nothing was read yet.
        """
        self.settings  # noqa: B018 - without a team there is nothing to ask
        context = self._memory.context
        copy = TeamCopy(
            self._memory.path, context.embedder.provider, context.clock, context.store.paths.key
        )
        try:
            packet, items = copy.recall(query, k=k, author=author, project=project)
            return TeamAnswer(packet, tuple(items), copy.age_s())
        finally:
            copy.close()


def _published(row: object) -> bool:
    return bool(getattr(row, "standing", False))


def _authors(known: Iterable[KnownAuthor]) -> tuple[AuthorStatus, ...]:
    return tuple(
        AuthorStatus(
            author=item.author,
            memories=item.standing - item.held_back,
            held_back=item.held_back,
            refused=item.refused,
            read_at=item.read_at,
            gone=item.gone,
            problem=item.problem or None,
        )
        for item in sorted(known, key=lambda item: item.author)
    )


def _changes(
    before: TeamSettings, projects: Sequence[str], place: Path, name: str, author_id: str
) -> dict[str, object]:
    """Return what ``team.json`` is to say from now on: what it says, and the rest to be edited."""
    default, stated = as_stated(SharingPolicy()), before.stated
    listed = {scope_key(rule.name) for rule in before.policy.projects}
    fresh: dict[str, str] = {}
    for item in projects:
        if scope_key(item) not in listed:
            fresh.setdefault(scope_key(item), item)
    return {
        **default,
        **stated,
        "projects": [*(stated.get("projects") or ()), *fresh.values()],
        "never": {**default["never"], **stated.get("never", {})},
        "folder": str(place),
        "author": name,
        "author_id": author_id,
    }


def _refuse_place(place: Path, memory: Path) -> None:
    """Refuse a shared folder that holds the memory, or lies in it: the whole would be carried."""
    shared, own = place.resolve(), memory.resolve()
    if shared == own or shared in own.parents or own in shared.parents:
        raise InvalidInputError(
            f"the shared folder {place} and the memory {memory} lie in one another, and whoever "
            "carries the one would carry the other; nothing was made. Name another folder.",
            code="inside_memory",
        )


def _author_id(memory: Hippocampus, before: TeamSettings, name: str, place: Path) -> str:
    """Return the id of the author: the one before where the file goes on, else a new one.

    Raises:
        InvalidInputError: ``published_elsewhere``; publications would be left behind.
    """
    if before.folder is None or not before.author_id:
        return before.author_id or new_author_id()
    here = place.resolve() == before.folder.resolve()
    if name == before.author and (here or (place / file_name(name, before.author_id)).is_file()):
        return before.author_id
    with memory.context.store.read() as view:
        rows = view.publications.of_author(before.author_id).values()
    if any(row.standing or row.synced_at is None for row in rows):
        raise InvalidInputError(
            f"what you published stands in {own_path(before)}; nothing was changed. Take it "
            "back with `realmemory team retract` first, or copy that file to the new folder.",
            code="published_elsewhere",
        )
    return new_author_id()


def _refuse_taken(name: str, author_id: str, place: Path) -> None:
    for header in headers(place):
        if name_key(header.author) == name_key(name) and header.author_id != author_id:
            raise InvalidInputError(
                f"somebody of the team is called {header.author!r} already; nothing was shared. "
                "Take another name with --as, or delete that file if it was yours and its memory is "
                "gone.",
                code="author_taken",
            )
