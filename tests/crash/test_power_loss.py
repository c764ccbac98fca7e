from __future__ import annotations

import hashlib
import importlib.util
import json
import random
import shutil
import sys
from pathlib import Path

import pytest

from realmemory.api.grants import GrantBook
from realmemory.store import Store, backups

pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to record calls")

MODES = ("none", "all", "prefix", "subset", "torn")


def load(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


power = load("power")


@pytest.fixture
def recorded(bench, tmp_path):
    """Run a worker under the recorder and return the folder as it was, and what was done to it."""

    def run(job, *arguments):
        with Store.open(bench.folder):
            pass
        before = tmp_path / "before"
        shutil.copytree(bench.folder, before)
        log = tmp_path / "calls"
        done = bench.run(
            job,
            *arguments,
            prefix=("strace", "-xx", "-s", "1000000", "-o", str(log), "-e", f"trace={power.CALLS}"),
        )
        assert done.returncode == 0, done.stderr
        disk = power.Disk(before)
        operations = [
            power.Operation(
                op.call,
                op.path.replace(str(bench.folder), str(before)),
                op.data,
                op.offset,
                op.target.replace(str(bench.folder), str(before)),
            )
            for op in power.record(log, bench.folder, bench.acked)
        ]
        return disk, operations

    return run


def promises(operations, acked):
    """Yield each call with the lines of the acknowledgements that were written before it."""
    promised = {}
    for operation in operations:
        yield operation, promised
        if operation.path == str(acked):
            trace_id, digest = operation.data.decode().split()
            promised[int(trace_id)] = digest


def survived(folder):
    with Store.open(folder) as store:
        report = store.verify(analyse=lambda text: text)
        assert report.ok, report.findings
        with store.read() as view:
            return {
                trace.id: hashlib.sha256(trace.text.encode()).hexdigest()
                for trace in view.traces.page(limit=10_000)
            }


@pytest.mark.parametrize("effort", [(12, 40), pytest.param((60, 1000), marks=pytest.mark.long)])
@pytest.mark.parametrize("job", ["write", "write_and_count"])
@pytest.mark.timeout(1800)
def test_no_acknowledged_write_is_lost_with_the_power(bench, recorded, tmp_path, job, effort):
    writes, cuts = effort
    disk, operations = recorded(job, writes)
    luck = random.Random(6)
    chosen = set(luck.sample(range(len(operations)), min(cuts, len(operations))))
    checked = 0
    for number, (operation, promised) in enumerate(promises(operations, bench.acked)):
        if number in chosen:
            crashed = tmp_path / "crashed"
            disk.crash(crashed, luck, MODES[checked % len(MODES)])
            lost = promised.items() - survived(crashed).items()
            assert not lost, f"{len(lost)} of {len(promised)} lost at call {number}"
            shutil.rmtree(crashed)
            checked += 1
        if operation.path != str(bench.acked):
            disk.step(operation)
    assert checked == len(chosen)
    assert len(promised) == writes


@pytest.mark.parametrize("cuts", [40, pytest.param(400, marks=pytest.mark.long)])
@pytest.mark.timeout(1800)
def test_a_backup_with_a_name_is_whole_whenever_the_power_fails(bench, recorded, tmp_path, cuts):
    disk, operations = recorded("back_up_times", 4, 2)
    luck = random.Random(9)
    chosen = set(luck.sample(range(len(operations)), min(cuts, len(operations))))
    seen = 0
    for number, operation in enumerate(operations):
        if number in chosen:
            crashed = tmp_path / "crashed"
            disk.crash(crashed, luck, MODES[number % len(MODES)])
            for path in (crashed / "backups").glob("memory-*.db"):
                backups.verify(path, full=True)
                seen += 1
            survived(crashed)
            shutil.rmtree(crashed)
        if operation.path != str(bench.acked):
            disk.step(operation)
    assert seen > 0


def lines_of(path):
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize("cuts", [60, pytest.param(600, marks=pytest.mark.long)])
@pytest.mark.timeout(1800)
def test_a_file_beside_the_store_is_the_old_one_or_the_new_one(bench, recorded, tmp_path, cuts):
    """The power fails while an export, the tokens or a host's settings are being replaced."""
    disk, operations = recorded("replace_files", 4)
    luck = random.Random(12)
    chosen = set(luck.sample(range(len(operations)), min(cuts, len(operations))))
    seen = set()
    for number, operation in enumerate(operations):
        if number in chosen:
            crashed = tmp_path / "crashed"
            disk.crash(crashed, luck, MODES[number % len(MODES)])
            exported = [json.loads(line) for line in lines_of(crashed / "export.jsonl")]
            settings = json.loads("".join(lines_of(crashed / "settings.json")) or "[]")
            assert len(settings) in {0, 2_000}
            assert all(isinstance(row, dict) for row in exported)
            seen.add((len(exported), settings[0] if settings else None))
            if (crashed / "grants.json").exists():
                GrantBook(crashed).all()
            shutil.rmtree(crashed)
        disk.step(operation)
    assert len(seen) > 4
