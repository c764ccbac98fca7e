"""Make the training text: ``python gather.py WORK`` writes the files of WORK.

en.tsv and ru.tsv have ``source<TAB>text`` a line, pairs.tsv ``source<TAB>english<TAB>russian``,
relations.tsv ``kind<TAB>text<TAB>text``: a word and its definition, a definition and its usage. Texts are short:
a sentence, a definition, a few sentences at most. The order is shuffled by a seed, so that any
prefix is a fair sample.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import formats as f

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20261129
LONGEST = 320
LETTER = re.compile(r"[^\W\d_]")
CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
LATIN = re.compile(r"[a-z]", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"»”')]*\s+(?=[\"«“(]?[A-ZА-ЯЁ0-9])")
# No more than this many texts of one source, so that no trade's jargon dominates.
CAPS = {
    "kernel": 3000, "postgres": 3000, "python": 6000, "git": 2000, "libreoffice": 5000,
    "gimp": 3000, "handbook": 5000, "install": 1500, "gcide": 45000, "anarchism": 12000,
    "man": 6000, "catalogue": 40000, "description": 25000, "jargon": 12000, "manual": 4000,
    "wordnet": 120000, "fortunes": 22000, "wiktionary": 50000, "wiktionary_example": 60000,
    "thesaurus": 6000, "pages_gimp": 5000,
}  # fmt: skip


def sentences(paragraph: str) -> Iterator[str]:
    """Sentences of a paragraph, and now and then two in a row."""
    parts = [p.strip() for p in SENTENCE_END.split(paragraph) if p.strip()]
    for index, part in enumerate(parts):
        if index % 4 == 3 and len(part) + len(parts[index - 1]) < LONGEST:
            yield f"{parts[index - 1]} {part}"
        else:
            yield part


def is_prose(text: str, *, shortest: int = 8) -> bool:
    letters = len(LETTER.findall(text))
    if max(map(len, text.split()), default=0) > 40:
        return False
    return shortest <= len(text) <= LONGEST and letters >= 0.62 * len(text) and text.count("=") < 3


def is_russian(text: str) -> bool:
    return len(CYRILLIC.findall(text)) > len(LATIN.findall(text))


class Corpus:
    """Distinct texts by language and source."""

    def __init__(self) -> None:
        self.texts: dict[str, dict[str, list[str]]] = {
            "en": defaultdict(list),
            "ru": defaultdict(list),
        }
        self.pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self.relations: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self.seen: set[str] = set()

    def _is_new(self, text: str) -> bool:
        key = "".join(LETTER.findall(text.lower()))
        known = key in self.seen
        self.seen.add(key)
        return not known

    def add(self, source: str, text: str) -> None:
        if is_prose(text) and self._is_new(text):
            self.texts["ru" if is_russian(text) else "en"][source].append(text)

    def add_paragraph(self, source: str, paragraph: str) -> None:
        for sentence in sentences(paragraph):
            if len(sentence.split()) >= 4:
                self.add(source, sentence)

    def add_pair(self, source: str, english: str, russian: str) -> None:
        long_enough = min(len(english), len(russian)) >= 2
        fits = len(english) < 3 * len(russian) + 10 and len(russian) < 3 * len(english) + 10
        prose = is_prose(english, shortest=2) and is_prose(russian, shortest=2)
        right = is_russian(russian) and not CYRILLIC.search(english)
        if long_enough and fits and prose and right and self._is_new(english + russian):
            self.pairs[source].append((english, russian))

    def relate(self, source: str, left: str, right: str) -> None:
        """Two texts of one language about the same thing."""
        if 2 < len(left) < LONGEST and 3 < len(right) < LONGEST:
            self.relations[source].append((left, right))

    def write(self, folder: Path) -> None:
        for language, sources in self.texts.items():
            lines = [f"{s}\t{t}" for s, texts in sources.items() for t in self._sample(s, texts)]
            self._write_lines(folder / f"{language}.tsv", lines)
        for name, groups in (("pairs.tsv", self.pairs), ("relations.tsv", self.relations)):
            lines = [
                f"{s}\t{left}\t{right}"
                for s, items in groups.items()
                for left, right in self._sample(s, items)
            ]
            self._write_lines(folder / name, lines)

    @staticmethod
    def _sample(source: str, texts: list) -> list:
        texts = sorted(set(texts))
        random.Random(f"{SEED}{source}").shuffle(texts)
        return texts[: CAPS.get(source, len(texts))]

    @staticmethod
    def _write_lines(path: Path, lines: list[str]) -> None:
        random.Random(SEED).shuffle(lines)
        path.write_text("\n".join(lines) + "\n", "utf-8")
        print(path.name, len(lines), flush=True)


def add_words(corpus: Corpus, root: Path) -> None:
    """WordNet: definitions and usage examples."""
    for words, definition, examples in f.wordnet_glosses(root / "wordnet-base/usr/share/wordnet"):
        corpus.add("wordnet", f"{words}: {definition}" if len(words) < 40 else definition)
        corpus.relate("definition", words, definition)
        for example in examples:
            corpus.add("wordnet", example)
            corpus.relate("usage", f"{words}: {definition}", example)


def add_dictionaries(corpus: Corpus, root: Path) -> None:
    """Definitions of a general dictionary and of two of computing."""
    for head, body in f.dict_entries(root / "dict-gcide/usr/share/dictd/gcide.dict.dz"):
        word = head.split("\\")[0].strip(" ,")
        clean = re.sub(r"\[[^]]*\]|--\w[\w .]*|[{}]|\\[^\\]*\\", " ", body)
        for sense in re.split(r"\s\d+\.\s|\s\([a-z]\)\s|\s{3,}", clean)[:4]:
            if len(sense) > 12:
                corpus.add("gcide", f.squeeze(f"{word}: {sense}")[:LONGEST])
                corpus.relate("definition", word, f.squeeze(sense))
    for name in ("foldoc", "jargon"):
        for file in (root / f"dict-{name}/usr/share/dictd").glob("*.dz"):
            for head, body in f.dict_entries(file):
                corpus.add_paragraph(
                    "jargon", f.squeeze(f"{head}: {re.sub(r'<[^>]*>|[{}]', ' ', body)}")
                )


def add_translations(corpus: Corpus, root: Path) -> None:
    """Words and phrases of two English-Russian dictionaries."""
    for file in (root / "dict-freedict-eng-rus/usr/share/dictd").glob("*.dz"):
        for head, body in f.dict_entries(file):
            first = re.sub(r"^\d+\.\s*", "", re.split(r"\s\d+\.", body)[0])
            corpus.add_pair("freedict", re.sub(r"\s*/[^/]*/.*", "", head), f.squeeze(first))
    for file in (root / "mueller7-dict/usr/share/dictd").glob("*.dz"):
        for head, body in f.dict_entries(file):
            add_mueller(corpus, head, body)


def add_mueller(corpus: Corpus, head: str, body: str) -> None:
    """First senses of a headword, and the phrases inside its entry with their translations."""
    body = re.sub(r"\[[^]]*\]|_\w+\.|\([^)]*\)", " ", body)
    senses = [f.squeeze(s) for s in re.split(r"\s*(?:\d+|[а-я])[).>]\s", body)]
    for sense in senses[:3]:
        gloss = re.split(r"[;]", sense)[0].strip()
        if gloss and not LATIN.search(gloss):
            corpus.add_pair("mueller", head, gloss)
    for phrase, translation in re.findall(r"([a-z][a-z ,'-]{6,60}) ([а-яё][а-яё ,-]{5,80})", body):
        if " " in phrase.strip():
            corpus.add_pair(
                "mueller_phrase", phrase.strip(), re.split(r",", translation)[0].strip()
            )


def add_wiktionary(corpus: Corpus, raw: Path) -> None:
    file = raw / "wiki_ru_wordnet-1.0.3/wiki_ru_wordnet/database/wikiwordnet.db"
    for lemma, definition, examples in f.wiktionary_entries(file):
        if len(definition) > 3 and not definition.startswith(("имя", "мужское имя", "женское имя")):
            corpus.add("wiktionary", f"{lemma}: {definition}")
            corpus.relate("definition", lemma, definition)
        for example in examples:
            if " зовут " in example:  # the same sentence for thousands of given names
                continue
            corpus.relate("usage", f"{lemma}: {definition}", example)
            corpus.add_paragraph("wiktionary_example", example)


def add_short_texts(corpus: Corpus, root: Path, raw: Path) -> None:
    """Reviews, editorials, messages, dialogues, aphorisms, thesaurus."""
    for file in sorted(raw.glob("vader*/additional_resources/hutto*/*GroundTruth.txt")):
        for line in file.read_text("utf-8", "replace").splitlines():
            corpus.add("reviews", f.squeeze(line.split("\t")[-1]))
    for language in ("english", "russian"):
        for file in sorted((raw / f"chatterbot_corpus/data/{language}").glob("*.yml")):
            for line in file.read_text("utf-8").splitlines():
                corpus.add("dialogues", f.squeeze(line.lstrip("- \"'")).strip("\"'"))
    for file in sorted(root.glob("fortunes*/usr/share/games/fortunes/**/*")):
        if file.is_file() and file.suffix not in {".dat", ".u8"} and not file.is_symlink():
            for text in f.fortunes(file):
                corpus.add_paragraph("fortunes", text)
    thesaurus = (root / "mythes-ru/usr/share/mythes/th_ru_RU_v2.dat").read_text("utf-8")
    for line in re.sub(r"\n\(", " (", thesaurus).splitlines():
        words = re.sub(r"\|\d+|\([^)]*\)", "", line).split("|")
        corpus.add("thesaurus", f.squeeze(", ".join(w.strip() for w in words[:6])))
        corpus.relate("definition", words[0].strip(), f.squeeze(", ".join(words[1:6])))


def add_games(corpus: Corpus, root: Path) -> None:
    """Narrative text: stories, dialogues, descriptions."""
    for file in sorted((root / "endless-sky-data").rglob("data/**/*.txt")):
        for text in re.findall(r"`([^`]+)`", file.read_text("utf-8", "replace")):
            corpus.add_paragraph("stories", f.squeeze(re.sub(r"<[^>]*>", "someone", text)))
    for file in sorted((root / "crawl-common").rglob("*.txt")):
        language = file.parent.name
        if language in {"descript", "database", "ru"}:
            for block in re.split(r"\n\s*\n|%%%%", file.read_text("utf-8", "replace")):
                if "{{" not in block and "@" not in block:
                    corpus.add_paragraph("stories", f.squeeze(block))


def add_prose(corpus: Corpus, root: Path) -> None:
    """A few pages of literature, and the skies of other peoples."""
    for file in sorted((root / "klavaro").rglob("*.paragraphs")):
        if file.stem in {"ru", "en_GB"}:
            corpus.add_paragraph("stories", f.squeeze(file.read_text("utf-8")))
    for file in sorted((root / "stellarium-data").rglob("description.*.utf8")):
        if file.name.split(".")[1] in {"en", "ru"}:
            for block in f.html_blocks(file.read_text("utf-8")):
                corpus.add_paragraph("stories", block)


PAGES = {
    "python": "python3.11-doc/**/html/**/*.html", "postgres": "postgresql-doc-15/**/*.html",
    "kernel": "linux-doc-6.1/**/*.rst*", "git": "git-doc/**/*.html",
    "anarchism": "anarchism/**/*.html", "handbook": "debian-handbook/**/html/[er][nu]-*/*.html",
    "install": "installation-guide-amd64/**/[er][nu]/*.html", "manual": "*/usr/share/doc/**/[er][nu]/*.html",
    "gimp": "gimp-help-*/**/*.html", "libreoffice": "libreoffice-help-*/**/*.html",
    "kicad": "kicad-doc-*/**/*.html", "desktop": "gnome-user-docs/usr/share/help/**/*.page",
    "filemanager": "doublecmd-help-*/**/*.html", "developers": "developers-reference*/**/*.html",
}  # fmt: skip


TRANSLATED = {"libreoffice", "kicad", "desktop", "filemanager", "gimp", "install", "handbook"}


def add_pages(corpus: Corpus, root: Path) -> None:
    """Documentation: both languages, and block by block where two translations have one shape."""
    twins: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for source, pattern in PAGES.items():
        files = sorted(root.glob(pattern))
        random.Random(SEED).shuffle(files)
        for file in files if source in TRANSLATED else files[:400]:
            text = f.read_text(file)
            blocks = (
                f.html_blocks(text)
                if "htm" in file.name or "page" in file.name
                else f.squeeze(text).split(". ")
            )
            sample = " ".join(blocks[:30])
            language = "ru" if is_russian(sample) else "en"
            name = re.sub(
                r"(?<=[/-])(?:ru(?:-RU)?|en(?:-US|-us)?|C)(?=/)", "_", str(file.relative_to(root))
            )
            twins[source + name][language] = blocks
            for block in blocks:
                corpus.add_paragraph(source, block)
    for name, both in twins.items():
        if len(both) == 2 and len(both["en"]) == len(both["ru"]):
            for english, russian in zip(both["en"], both["ru"], strict=True):
                corpus.add_pair("pages_" + name[:4], english, russian)


def add_manuals(corpus: Corpus, root: Path) -> None:
    for file in sorted(root.glob("manpages*/usr/share/man/**/*.gz")):
        if not file.exists():  # a link to a page of another package
            continue
        for paragraph in f.man_paragraphs(f.read_text(file)):
            corpus.add_paragraph("man", paragraph)


def add_catalogues(corpus: Corpus, root: Path) -> None:
    """Translated messages; narrative ones (games) are kept apart from those of programs."""
    for file in sorted(root.glob("**/ru/LC_MESSAGES/*.mo")):
        source = "stories" if "wesnoth" in str(file) else "catalogue"
        for english, russian in f.catalogue_pairs(file):
            parts = [s.strip() for s in SENTENCE_END.split(english)]
            translated = [s.strip() for s in SENTENCE_END.split(russian)]
            if len(parts) == len(translated) <= 8:
                for pair in zip(parts, translated, strict=True):
                    corpus.add_pair(source, *pair)


def add_descriptions(corpus: Corpus, work: Path) -> None:
    lists = work / "aptru/lists"
    english: dict[str, list[str]] = {}
    for file in sorted(lists.glob("*Translation-en*")):
        english.update(f.package_descriptions(file))
    for paragraphs in english.values():
        for paragraph in paragraphs:
            corpus.add_paragraph("description", paragraph)
    for file in sorted(lists.glob("*Translation-ru*")):
        for name, paragraphs in f.package_descriptions(file):
            for paragraph in paragraphs:
                corpus.add_paragraph("description", paragraph)
            if len(english.get(name, [])) == len(paragraphs):
                for pair in zip(english[name], paragraphs, strict=True):
                    corpus.add_pair("description", *pair)


def main(work: Path) -> None:
    corpus, root, raw = Corpus(), work / "root", work / "raw"
    add_words(corpus, root)
    add_dictionaries(corpus, root)
    add_translations(corpus, root)
    add_wiktionary(corpus, raw)
    add_short_texts(corpus, root, raw)
    add_games(corpus, root)
    add_prose(corpus, root)
    add_pages(corpus, root)
    add_manuals(corpus, root)
    add_catalogues(corpus, root)
    add_descriptions(corpus, work)
    corpus.write(work)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
