"""What agents pay for: handshake, hooks and memory, as ratios to bare programs of the same run.

    python benches/agents/ratios.py [--traces 10000] [--rounds 9]

CPU time of the whole process (least of all rounds) is compared, because wall time on a shared
machine says more about the neighbours. Linux only: memory is read as PSS from /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from realmemory import Hippocampus, WriteRequest
from realmemory.agents.daemon import read_record
from realmemory.api.server import listed_bytes

PYTHON = sys.executable
HOOK = str(Path(PYTHON).with_name("realmemory-hook"))
PROGRAM = str(Path(PYTHON).with_name("realmemory"))
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
BARE_SERVER = (
    "from mcp.server import MCPServer\n"
    "s = MCPServer('bare')\n"
    "@s.tool()\n"
    "def ping() -> str: return 'pong'\n"
    "s.run('stdio')"
)


def finished(command, sent=b"", environ=None):
    """Return CPU seconds and wall seconds of a program that ends by itself."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, input=sent, capture_output=True, check=True, env=environ)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall


def cpu_of(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def handshake(command):
    """Return CPU and wall seconds until the answer to ``initialize``."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with process:
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        json.loads(process.stdout.readline())
        wall = time.perf_counter() - started
        cpu = cpu_of(process.pid)
        process.kill()
    return cpu, wall


def pss(pid):
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def fill(folder, count):
    draw = random.Random(7)
    syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "pla", "gre"]
    words = ["".join(draw.choice(syllables) for _ in range(3)) for _ in range(4000)]
    with Hippocampus.open(folder) as memory:
        for start in range(0, count, 1000):
            memory.remember_many(
                WriteRequest(
                    text=" ".join(draw.choice(words) for _ in range(12)),
                    scope="shop" if number % 3 else "global",
                    kind="semantic" if number % 4 == 0 else "episodic",
                    force_new=True,
                )
                for number in range(start, min(start + 1000, count))
            )
    return " ".join(words[:8])


def _call(number, tool, arguments):
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


class Servers:
    """Stdio servers that have answered two calls; the first waits until the memory is open."""

    def __init__(self, commands, first, tool, arguments):
        self.processes = []
        for command in commands:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self.processes.append(process)
            for message in (
                HELLO,
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                _call(1, first, {}),
            ):
                process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
        for process in self.processes:
            while json.loads(process.stdout.readline()).get("id") != 1:
                pass
            process.stdin.write(json.dumps(_call(2, tool, arguments)).encode() + b"\n")
            process.stdin.flush()
            while json.loads(process.stdout.readline()).get("id") != 2:
                pass

    def pss(self):
        return sum(pss(process.pid) for process in self.processes)

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


def least(measure, rounds):
    taken = [measure() for _ in range(rounds)]
    return min(cpu for cpu, _ in taken), min(wall for _, wall in taken)


def against(measure, rounds):
    """Return the least of a program and of bare Python, taken in turns: load changes meanwhile."""
    taken, bare = [], []
    for _ in range(rounds):
        bare.append(finished([PYTHON, "-c", "pass"]))
        taken.append(measure())
    return [
        (min(cpu for cpu, _ in pairs), min(wall for _, wall in pairs)) for pairs in (taken, bare)
    ]


def show(name, measured, base, limit):
    ratio = measured[0] / base[0]
    verdict = "ok" if ratio <= limit else "OVER"
    print(
        f"{name:<44} {measured[0] * 1e3:7.1f} ms CPU {measured[1] * 1e3:8.1f} ms wall "
        f"{ratio:5.2f} x (wall {measured[1] / base[1]:5.2f} x)  limit {limit} x  {verdict}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "memory"
        prompt = fill(folder, given.traces)
        environ = {"HOME": place, "PATH": "/usr/bin:/bin"}
        sent = json.dumps({"cwd": place, "prompt": prompt}).encode()

        def hook(event):
            command = [HOOK, "--path", str(folder), "--project", "shop", "claude", event]
            return lambda: finished(command, sent, environ)

        bare = least(lambda: finished([PYTHON, "-c", "pass"]), given.rounds * 2)
        sdk = least(lambda: finished([PYTHON, "-c", "from mcp.server import MCPServer"]), 5)
        server = [PROGRAM, "--path", str(folder), "mcp"]
        print(f"bare python {bare[0] * 1e3:.1f} ms CPU, SDK import {sdk[0] * 1e3:.0f} ms CPU")
        show(
            "handshake / import of the SDK's server", least(lambda: handshake(server), 5), sdk, 1.3
        )
        title = f"{given.traces} traces / bare python"
        show(f"SessionStart hook, {title}", *against(hook("session-start"), given.rounds), 4)
        show(f"prompt hook, {title}", *against(hook("prompt"), given.rounds), 8)
        daemon = subprocess.Popen([PROGRAM, "--path", str(folder), "serve"], stdout=subprocess.PIPE)
        with daemon:
            daemon.stdout.readline()
            call = {"query": prompt, "project": "shop"}
            shared = Servers([server] * 5, "introspect", "recall", call)
            show("prompt hook through a daemon / bare", *against(hook("prompt"), given.rounds), 8)
            together = shared.pss() + pss(daemon.pid)
            record = read_record(str(folder))
            print(f"five servers and a daemon: {together:.0f} MB PSS ({record is not None})")
            shared.close()
            daemon.terminate()
        plain = Servers([[PYTHON, "-c", BARE_SERVER]] * 5, "ping", "ping", {})
        bare_five = plain.pss()
        plain.close()
        alone = Servers([[*server, "--no-daemon"]], "introspect", "recall", call)
        model = alone.pss() - bare_five / 5
        alone.close()
        limit = bare_five + 1.3 * model
        print(
            f"five bare SDK servers {bare_five:.0f} MB, one memory {model:.0f} MB: "
            f"limit {limit:.0f} MB  {'ok' if together < limit else 'OVER'}"
        )
    print(f"tools/list {listed_bytes()} bytes, about {listed_bytes() / 4:.0f} tokens of 2000")


if __name__ == "__main__":
    main()
