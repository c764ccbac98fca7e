"""Write MODEL_CARD.md: ``python card.py WORK TABLE.bin DATA CARD.md`` (figures by measurement)."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from pathlib import Path
from string import Template

import sources
from evaluate import report
from teacher import load_cache, read_columns

from realmemory.core.static_table import StaticEncoder


def licence_table() -> str:
    lines = ["| licence of the text | packages |", "|---|---|"]
    for licence, names in sources.DEBIAN.items():
        lines.append(f"| {licence} | {', '.join(sorted(names.split()))} |")
    for requirement, licence in sources.PYPI.items():
        lines.append(f"| {licence} | {requirement} (PyPI) |")
    lines.append(
        "| the licence of each program; descriptions by Debian | package lists EN and RU |"
    )
    return "\n".join(lines)


def sizes(work: Path) -> dict[str, str]:
    def count(name: str) -> str:
        sources_of = Counter(row[0] for row in read_columns(work / name))
        largest = ", ".join(f"{source} {n:,}" for source, n in sources_of.most_common(6))
        return f"{sum(sources_of.values()):,} ({largest}, ...)"

    return {
        "english": count("en.tsv"),
        "russian": count("ru.tsv"),
        "pairs": count("pairs.tsv"),
        "bge": f"{len(load_cache(work / 'teacher/bge')[0]):,}",
        "e5": f"{len(load_cache(work / 'teacher/e5')[0]):,}",
    }


def main(work: Path, table: Path, data: Path, card: Path) -> None:
    content = table.read_bytes()
    encoder = StaticEncoder(content)
    template = Template((Path(__file__).parent / "MODEL_CARD.template.md").read_text("utf-8"))
    values = {
        "name": encoder.name,
        "bytes": f"{len(content):,}",
        "sha256": hashlib.sha256(content).hexdigest(),
        "world_sha256": hashlib.sha256(table.with_name("world.bin").read_bytes()).hexdigest(),
        "pieces": f"{encoder.pieces:,}",
        "dim": str(encoder.dim),
        "licences": licence_table(),
        "figures": report(data, encoder.encode)
        .replace("; ", "\n")
        .replace("R@1/R@10 ", "R@1/R@10\n"),
        **sizes(work),
    }
    card.write_text(template.substitute(values), "utf-8")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:5]))
