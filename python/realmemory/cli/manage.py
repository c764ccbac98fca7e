"""What the owner of a memory does: confirm, resolve, ingest, reembed, audit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from realmemory import strict_json
from realmemory.cli.output import Progress
from realmemory.cli.session import Session, command_group, instant_of, memory_command, memory_ids
from realmemory.errors import InvalidInputError
from realmemory.instants import format_instant, parse_instant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.encoding.protocol import EmbeddingProvider


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reject", is_flag=True, help="Archive them instead of letting them in.")
@memory_command
def confirm(session: Session, ids: Sequence[str], *, reject: bool) -> None:
    """Let memories that are held back into recall; `list --status quarantined` shows them."""
    from realmemory.flows.confirm import confirm as decide  # noqa: PLC0415 - brings numpy

    with session.memory() as memory:
        count = decide(memory.context, memory_ids(ids), reject=reject)
    verb = "rejected" if reject else "confirmed"
    session.answer({verb: count}, [f"{verb} {count} of {len(ids)}"])


@click.command()
@click.argument("first", metavar="ID")
@click.argument("second", metavar="ID")
@click.option(
    "--keep",
    default="both",
    show_default=True,
    metavar="ID|both",
    help="Which of the two holds; the other becomes history.",
)
@memory_command
def resolve(session: Session, first: str, second: str, *, keep: str) -> None:
    """Settle two memories that seem to contradict each other: both are true, or one of them."""
    one, other = memory_ids([first, second])
    wanted = keep if keep == "both" else memory_ids([keep])[0]
    with session.memory() as memory:
        settled = memory.resolve(one, other, keep=wanted)
    said = "both are true from now on" if wanted == "both" else f"#{wanted} holds from now on"
    session.answer({"resolved": settled}, [said if settled else "they were not in conflict"])


@click.command()
@click.option(
    "--to",
    "target",
    help="static (ships with the package), hashing, a fastembed model, a folder with ONNX, or "
    "remote:MODEL.",
)
@click.option("--batch", type=click.IntRange(1, 4096), default=64, help="Texts at a time.")
@click.option(
    "--keep/--no-keep",
    default=True,
    help="Keep the vectors of the embedder that is left, or drop all that were kept.",
)
@click.option("--query-prefix", default="", help="What a remote model wants before questions.")
@click.option("--text-prefix", default="", help="What a remote model wants before texts.")
@memory_command
def reembed(
    session: Session,
    *,
    target: str | None,
    batch: int,
    keep: bool,
    query_prefix: str,
    text_prefix: str,
) -> None:
    """Change the embedder of the memory, or fill in vectors that are missing.

    Others may go on reading and writing. Interrupted, it goes on where it stopped. The vectors of
    the embedder that is left are kept, those of one embedder and no more: a change back embeds
    only what is new since. They take four bytes for each dimension of each memory, as the new
    ones do; `realmemory reembed --no-keep` drops them.

    remote:MODEL is a model behind an OpenAI-compatible server (Ollama, LM Studio, vLLM, llama.cpp)
    at REALMEMORY_EMBED_URL, such as http://127.0.0.1:11434/v1, with the key in
    REALMEMORY_EMBED_KEY. Every process that opens the memory needs both. While the server is away
    words are searched and writes are refused.
    """
    from realmemory.flows.reembed import reembed as change  # noqa: PLC0415 - brings numpy

    embedder = _embedder(target, query_prefix, text_prefix) if target else None
    progress = Progress("embedded", quiet=session.as_json)
    with session.memory(embedder=embedder, create=target is not None) as memory:
        report = change(
            memory.context,
            embedder,
            batch=batch,
            keep=keep,
            progress=progress.update,
        )
    progress.finish()
    done = f"{report.reembedded} of {report.examined} memories embedded by {report.embedder}"
    lines = [f"{done}, {report.already_current} had been already"]
    if report.restored:
        lines.append(f"{report.restored} of them from vectors that were kept")
    if report.kept:
        room = f"{report.kept_bytes / 2**20:.1f} MiB"
        lines.append(
            f"{report.kept} vectors ({room}) are kept for a change back; --no-keep drops them"
        )
    session.answer(report, lines)


def _embedder(name: str, query_prefix: str, text_prefix: str) -> EmbeddingProvider:
    from realmemory.encoding.hashing import HashingEmbedder  # noqa: PLC0415 - brings numpy
    from realmemory.encoding.local import LocalEmbedder  # noqa: PLC0415
    from realmemory.encoding.static import StaticEmbedder  # noqa: PLC0415

    if name.startswith("remote:"):
        from realmemory.encoding.remote import RemoteEmbedder  # noqa: PLC0415

        model = name.removeprefix("remote:")
        return RemoteEmbedder(model, query_prefix=query_prefix, text_prefix=text_prefix)
    if query_prefix or text_prefix:
        raise click.UsageError("prefixes are for remote:MODEL; other models bring their own")
    if name == "static":
        return StaticEmbedder()
    if name == "hashing":
        return HashingEmbedder()
    if Path(name).is_dir():
        return LocalEmbedder(Path(name).name, folder=name)
    return LocalEmbedder(name)


@command_group()
def conversation() -> None:
    """Keep conversations turn by turn."""


@conversation.command()
@click.argument("file", type=click.File("rb"))
@click.option("--scope", help="Who should see it: a project name, or global.")
@click.option("--session-id", help="Name of the session; the same one again adds what is new.")
@click.option("--when", help="When it took place: ISO 8601.")
@click.option("--context-turns", type=click.IntRange(0, 8), default=1, help="Turns that help find.")
@click.option(
    "--first-turn",
    type=click.IntRange(0),
    help="Index of the first turn in its session; found out by default.",
)
@memory_command
def ingest(
    session: Session,
    file: Any,  # noqa: ANN401 - click's file
    *,
    scope: str | None,
    session_id: str | None,
    when: str | None,
    context_turns: int,
    first_turn: int | None,
) -> None:
    """Keep the turns of FILE (- reads standard input), verbatim.

    One JSON object a line, or one array of them, with text (or content), speaker, role and
    observed_at. Blank turns are skipped. With --session-id a second run stores nothing twice.
    """
    turns = _turns(file.read())
    progress = Progress("turns", quiet=session.as_json)
    with session.memory(create=True) as memory:
        report = memory.store_conversation(
            turns,
            scope=session.write_scope(scope),
            session_id=session_id,
            observed_at=instant_of(when),
            context_turns=context_turns,
            first_turn=first_turn,
            progress=lambda done, _: progress.update(done),
        )
    progress.finish()
    lines = [f"kept {report.stored} of {len(turns)} turns in session {report.session_id}"]
    if report.quarantined:
        lines.append(f"  held back until you confirm them: {len(report.quarantined)}")
    session.answer(report, [*lines, *(f"  {warning}" for warning in report.warnings)])


@click.command()
@click.option("--limit", type=click.IntRange(1), default=50, help="At most so many.")
@memory_command
def audit(session: Session, *, limit: int) -> None:
    """Show the last entries of the audit log and whether its chain of hashes holds."""
    with session.memory() as memory, memory.context.store.read() as view:
        entries = view.audit.page(limit=limit)
        broken = view.audit.first_broken()
    value = {"entries": [entry._asdict() for entry in entries], "first_broken": broken}
    lines = [
        f"{entry.seq} {format_instant(entry.ts)} {entry.actor} {entry.action}" for entry in entries
    ]
    verdict = "the chain holds" if broken is None else f"the chain is broken at entry {broken}"
    session.answer(value, [*lines, verdict])


def _parsed(text: str, what: str) -> Any:  # noqa: ANN401 - what it holds is checked later
    try:
        return strict_json.parse(text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{what}: {error.message}; nothing was stored", code=error.code
        ) from error


def _turns(raw: bytes) -> list[dict[str, Any]]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"the file is not UTF-8 at byte {error.start}; nothing was stored", code="invalid_utf8"
        ) from error
    if text.lstrip().startswith("["):
        rows = _parsed(text, "the file")
    else:
        # Not splitlines(): a text may hold U+2028 as it is.
        lines = enumerate(text.split("\n"), 1)
        rows = [
            _parsed(line, f"line {number} of the file") for number, line in lines if line.strip()
        ]
    turns = []
    for place, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InvalidInputError(
                f"turn {place} is not a JSON object; nothing was stored", code="invalid_turn"
            )
        if isinstance(row.get("observed_at"), str):
            row["observed_at"] = parse_instant(row["observed_at"])
        if not {"text", "content"} & row.keys():
            raise InvalidInputError(
                f"turn {place} has no text; it has {', '.join(sorted(row)) or 'nothing'}; nothing "
                "was stored",
                code="invalid_turn",
            )
        # What is neither is refused by name, with its place.
        if str(row.get("text", row.get("content"))).strip():
            turns.append(row)
    return turns
