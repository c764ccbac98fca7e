"""`encrypt`, `decrypt`, `rekey`: keep a memory from whoever has its folder and not its key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from realmemory.cli import exits
from realmemory.cli.output import counted
from realmemory.cli.session import Session, memory_command
from realmemory.places import KEY_VARIABLE, named_key
from realmemory.places import key_file as usual_key_file

if TYPE_CHECKING:
    from realmemory.keys import Key
    from realmemory.store.paths import StorePaths
    from realmemory.store.resealing import ResealReport


@click.command()
@click.option(
    "--key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the key is kept; made with a new key if there is none.",
)
@memory_command
def encrypt(session: Session, *, key_file: Path | None) -> int:
    """Encrypt the memory with its backups; where there is none, make one that is encrypted.

    The key comes from REALMEMORY_KEY or from the file that --key-file or REALMEMORY_KEY_FILE
    names, else from the folder of your settings. Whoever opens the memory later finds the file by
    itself. Without the key nobody can read the memory: keep a copy of it elsewhere. Interrupted,
    the same command goes on where it stopped.
    """
    from realmemory.store.sealing import is_sealed  # noqa: PLC0415 - not for --help

    paths = _paths(session)
    if is_sealed(paths.database):
        key = _own_key(session)
        if key_file is not None and key not in _in_file(key_file):
            raise click.UsageError("the memory is encrypted with another key: `rekey` changes it")
        return _converted(session, key, key)
    key = _chosen(session, key_file)
    if paths.are_unused():
        with session.opened(key):
            pass
        value = {"directory": paths.directory, "encrypted": True, "key_file": key.source or None}
        session.answer(value, [f"made an encrypted memory in {paths.directory}", *_kept(key)])
        return exits.DONE
    with session.opened("") as memory:
        session.take_in(memory)
    return _converted(session, None, key)


@click.command()
@memory_command
def decrypt(session: Session) -> int:
    """Write the memory and its backups in the clear again; the key file stays."""
    from realmemory.store.sealing import is_sealed, read_seal  # noqa: PLC0415 - not for --help

    paths = _paths(session)
    if is_sealed(paths.database) is False and read_seal(str(paths.directory)) is None:
        raise click.UsageError(f"the memory in {paths.directory} is not encrypted")
    key = _own_key(session)
    if is_sealed(paths.database):
        with session.opened(key) as memory:
            session.take_in(memory)
    return _converted(session, key, None)


@click.command()
@click.option(
    "--key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the new key is kept, or the file of a key to change to; that of the old by default.",
)
@memory_command
def rekey(session: Session, *, key_file: Path | None) -> int:
    """Encrypt the memory and its backups anew, with another key.

    A new key is made and put in front of the old one in its file, which other memories or copies
    may still need. A file that --key-file names and that exists gives its own key.
    """
    old = _own_key(session)
    with session.opened(old) as memory:
        session.take_in(memory)
    return _converted(session, old, _next_key(session, old, key_file))


def _next_key(session: Session, old: Key, named: Path | None) -> Key:
    from realmemory import keys  # noqa: PLC0415 - not for --help
    from realmemory.store.sealing import keep_keys  # noqa: PLC0415

    place = _place(session, named or (Path(old.source) if old.source else None))
    present = keys.read(str(place)) if place.exists() else ()
    if present and present[0] != old:
        return present[0]
    return keep_keys(place, (keys.Key.generate(), *present))[0]


def _chosen(session: Session, named: Path | None) -> Key:
    """Return the key to encrypt with, made where there is none yet."""
    from realmemory import keys  # noqa: PLC0415 - not for --help
    from realmemory.store.sealing import keep_keys  # noqa: PLC0415

    if named is None and named_key()[0]:
        return keys.stated(None)[0]
    place = _place(session, named)
    if place.exists():
        return keys.read(str(place))[0]
    return keep_keys(place, (keys.Key.generate(),))[0]


def _place(session: Session, named: Path | None) -> Path:
    from realmemory.store.sealing import refuse_beside  # noqa: PLC0415 - not for --help

    place = named or Path(named_key()[1] or usual_key_file())
    place = place.expanduser().absolute()
    refuse_beside(str(place), str(session.directory))
    return place


def _in_file(path: Path) -> tuple[Key, ...]:
    from realmemory import keys  # noqa: PLC0415 - not for --help

    return keys.read(str(path)) if path.exists() else ()


def _paths(session: Session) -> StorePaths:
    from realmemory.store.paths import StorePaths  # noqa: PLC0415 - not for --help

    return StorePaths(session.store_directory.absolute())


def _own_key(session: Session) -> Key:
    """Return the key that opens the memory.

    Raises:
        StoreRefusedError: ``encrypted`` where it is missing, or the memory is not encrypted.
    """
    from realmemory import keys  # noqa: PLC0415 - not for --help
    from realmemory.store import sealing  # noqa: PLC0415

    paths = _paths(session)
    if sealing.is_sealed(paths.database):
        key = sealing.key_for(str(paths.directory))
    else:
        # Decrypting was interrupted when the memory was done and its copies were not.
        seal = sealing.read_seal(str(paths.directory))
        stated = keys.stated(None) or sealing.remembered(seal)
        key = stated[0] if seal is not None and stated else None
    if key is None:
        raise click.UsageError(f"the memory in {paths.directory} is not encrypted")
    return key


def _converted(session: Session, old: Key | None, new: Key | None) -> int:
    from realmemory import keys  # noqa: PLC0415 - not for --help
    from realmemory.store.paths import StorePaths  # noqa: PLC0415
    from realmemory.store.resealing import reseal  # noqa: PLC0415
    from realmemory.team.local_copy import CopyPlace  # noqa: PLC0415

    paths = StorePaths(session.store_directory.absolute(), old)
    beside = [key.source for key in (old, new) if key is not None and key.source]
    others = [key for source in beside for key in keys.read(source)]
    report = reseal(paths, new, others=others)
    # Derived, with what others publish; the next `team sync` makes it anew, as the memory is.
    CopyPlace(paths.directory).drop()
    session.answer(report, [*_told(report), *(_kept(new) if new is not None else [])])
    return exits.ATTENTION if report.left else exits.DONE


def _told(report: ResealReport) -> list[str]:
    done = "encrypted" if report.encrypted else "in the clear"
    files = counted(len(report.converted), "file is", "files are")
    lines = [f"{files} written anew, {done}: {report.directory}"]
    lines += [f"! left as it was, it cannot be read: {path}" for path in report.left]
    if report.left and report.encrypted:
        lines.append("  it may hold memories in the clear; delete it if you do not need it")
    return lines


def _kept(key: Key) -> list[str]:
    if not key.source:
        return [f"its key is the one in {KEY_VARIABLE}; without it nobody can read the memory"]
    lines = [f"its key is in {key.source}; keep a copy elsewhere: without it nobody can read this"]
    if named_key()[0]:
        lines.append(f"! {KEY_VARIABLE} is set to another key and goes first: unset it")
    return lines
