"""``realmemory-hook`` and ``python -m realmemory.hook_cli``: the program that hosts run.

    realmemory-hook [--path P] [--namespace N] [--project S] HOST EVENT
    realmemory-hook brief [--plain] [--limit CHARS] [--top N] [--episodic-top N]
    realmemory-hook sleep [--verbose] [--unthrottled]

It parses its words by hand, because ``argparse`` takes longer to import than most calls take to
answer. Whatever happens it exits with 0: other codes make hosts erase prompts or stop sessions.
"""

from __future__ import annotations

import sys

from realmemory.agents.hooks import HookOptions
from realmemory.places import data_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_VALUED = ("--path", "--namespace", "--project", "--limit", "--top", "--episodic-top")
_FLAGS = ("--plain", "--verbose", "--unthrottled", "--help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one hook; return 0."""
    words, given, problem = _parsed(sys.argv[1:] if arguments is None else arguments)
    if "--help" in given or problem:
        print(problem or __doc__, file=sys.stderr if problem else sys.stdout)
        return 0
    try:
        directory = data_directory(given.get("--path"))
    except ValueError as error:  # no home: an agent must never notice
        sys.stderr.write(f"realmemory-hook: {error}\n")
        return 0
    options = HookOptions(directory, given.get("--namespace"), given.get("--project"))
    if words == ["brief"]:
        _brief(given, options)
    elif words == ["sleep"]:
        from realmemory.agents.sleep import sleep  # noqa: PLC0415 - loads the whole memory

        sleep(options, throttled="--unthrottled" not in given, verbose="--verbose" in given)
    else:
        from realmemory.agents.hooks import run  # noqa: PLC0415

        run(words[0], words[1], options)
    return 0


def _brief(given: dict[str, str], options: HookOptions) -> None:
    from realmemory.agents import envelope, hooks  # noqa: PLC0415
    from realmemory.agents.brief import session_brief  # noqa: PLC0415

    hooks.watch_deadline(
        options.directory, "claude", "session-start", hooks.DEADLINES_S["session-start"]
    )
    try:
        call = envelope.parsed("claude", "session-start", hooks.read_input())
        text = session_brief(
            options.directory,
            options.namespace,
            hooks.project_of(call, options),
            limit=int(given.get("--limit", "600")),
            facts=int(given.get("--top", "7")),
            episodes=int(given.get("--episodic-top", "5")),
        )
        plain = "--plain" in given
        hooks.write_output(text if plain else envelope.answer("claude", "session-start", text))
    except Exception as error:  # noqa: BLE001 - the boundary: an agent must never notice
        hooks.fail(options.directory, "claude", "session-start", error)


def _parsed(words: Sequence[str]) -> tuple[list[str], dict[str, str], str]:
    from realmemory.agents.envelope import EVENTS, HOSTS  # noqa: PLC0415 - cheap, kept together

    given: dict[str, str] = {}
    rest: list[str] = []
    position = 0
    while position < len(words):
        word, _, value = words[position].partition("=")
        position += 1
        if word in _VALUED:
            if not value:
                if position == len(words):
                    return [], {}, f"realmemory-hook: {word} needs a value"
                value = words[position]
                position += 1
            given[word] = value
        elif word in _FLAGS or word == "-h":
            given["--help" if word == "-h" else word] = ""
        elif word.startswith("-"):
            return [], {}, f"realmemory-hook: unknown option {word}"
        else:
            rest.append(word)
    named = len(rest) == 2 and rest[0] in HOSTS and rest[1] in EVENTS
    if named or rest in (["brief"], ["sleep"]) or "--help" in given:
        return rest, given, ""
    return (
        [],
        {},
        (
            f"realmemory-hook: give `brief`, `sleep`, or a host ({', '.join(HOSTS)}) and an event "
            f"({', '.join(EVENTS)})"
        ),
    )


if __name__ == "__main__":
    raise SystemExit(main())
