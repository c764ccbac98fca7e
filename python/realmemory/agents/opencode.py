"""The plugin file for opencode, whose hooks are JavaScript."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SOURCE = """\
// Written by `realmemory install opencode`; `realmemory uninstall opencode` removes it.
import { spawn } from "node:child_process"

const COMMAND = %s
const DEADLINE_MS = 5000

function ask(event, input, directory) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "opencode", event], { cwd: directory })
    const timer = setTimeout(() => child.kill(), DEADLINE_MS)
    let out = ""
    child.stdout.on("data", (chunk) => (out += chunk))
    child.stdin.on("error", () => {})
    child.on("error", () => resolve(""))
    child.on("close", () => {
      clearTimeout(timer)
      resolve(out)
    })
    child.stdin.end(JSON.stringify({ cwd: directory, ...input }))
  })
}

export const RealMemory = async ({ directory }) => {
  const briefs = new Map()
  return {
    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.idle") await ask("stop", { session_id: id }, directory)
      if (event.type === "session.compacted") briefs.delete(id)
      if (event.type === "session.deleted") briefs.delete(id)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const id = input?.sessionID ?? ""
      if (!briefs.has(id)) {
        briefs.set(id, await ask("session-start", { session_id: id }, directory))
      }
      const brief = briefs.get(id)
      if (brief) output.system.push(brief)
    },
  }
}
"""


def plugin(command: Sequence[str]) -> str:
    """Return the plugin that runs ``command`` as our hook."""
    return _SOURCE % json.dumps(list(command))
