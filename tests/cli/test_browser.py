"""The report in a real browser: it draws, and nothing in it fails."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib

import pytest

from realmemory.cli import exits
from realmemory.cli.root import run

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
]


def pixels(picture):
    """Return width, height and the bytes of the scan lines of a PNG."""
    raw = picture.read_bytes()
    width, height = struct.unpack(">II", raw[16:24])
    at, packed = 8, b""
    while at < len(raw):
        (size,) = struct.unpack(">I", raw[at : at + 4])
        if raw[at + 4 : at + 8] == b"IDAT":
            packed += raw[at + 8 : at + 8 + size]
        at += 12 + size
    return width, height, zlib.decompress(packed)


def test_the_report_draws_without_a_console_message(tmp_path):
    path = ("--path", str(tmp_path / "memory"))
    for n in range(8):
        text = f"Valve {n} opens at {n * 13} bar"
        assert run([*path, "remember", text, "--scope", f"plant-{n % 3}"]) == exits.DONE
    assert run([*path, "recall", "valve", "--all-scopes"]) == exits.DONE
    page, picture = tmp_path / "report.html", tmp_path / "report.png"
    assert run([*path, "report", "--html", str(page)]) == exits.DONE

    shown = subprocess.run(
        [
            *(
                BROWSER,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ),
            *("--enable-logging=stderr", "--window-size=1200,1600", "--virtual-time-budget=2000"),
            *(f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={picture}"),
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )

    assert "CONSOLE" not in shown.stderr
    width, height, lines = pixels(picture)
    assert (width, height) == (1200, 1600)
    # Bars, text and frames: far more than one colour.
    assert len({lines[i : i + 3] for i in range(0, len(lines), 997)}) > 20
