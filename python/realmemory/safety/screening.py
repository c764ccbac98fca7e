"""The screen that every text passes before it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from realmemory.errors import InvalidInputError
from realmemory.safety.findings import MASK, Family, Finding, without_overlap
from realmemory.safety.folding import fold
from realmemory.safety.instructions import find_instructions
from realmemory.safety.personal import find_personal
from realmemory.safety.secrets import find_secrets
from realmemory.safety.stated import names_a_secret
from realmemory.types import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WINDOW = 64 * 1024
_OVERLAP = 4 * 1024
_STATED = f"{MASK}stated_secret]"


@dataclass(frozen=True, slots=True)
class Screening:
    """What was found in one text, and the text that may be stored.

    Attributes:
        text: The text as given.
        masked: The text with every secret replaced by ``[secret:kind]``; what to store.
        findings: All findings, in order of position, as spans of ``text``.
    """

    text: str
    masked: str
    findings: tuple[Finding, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        """What was found, as sorted names such as ``secret:jwt`` and ``personal:email``."""
        return tuple(sorted({finding.flag for finding in self.findings}))

    @property
    def instructs(self) -> bool:
        """Whether the text speaks to the agent instead of telling it something."""
        return any(finding.family is Family.INSTRUCTION for finding in self.findings)

    def warnings(self) -> tuple[str, ...]:
        """Say what was done to the text, in sentences for the one who wrote it."""
        secrets = sorted({item.kind for item in self.findings if item.family is Family.SECRET})
        told = []
        if secrets:
            told.append(f"a secret was masked and not stored: {', '.join(secrets)}")
        if self.instructs:
            told.append("the text reads like an instruction to the agent; it is kept as data")
        return tuple(told)


def screen(text: str) -> Screening:
    """Look for secrets, personal data and instruction-like content in ``text``.

    Disguises (invisible characters, full-width and look-alike letters) are undone before looking.
    """
    folded = fold(text)
    # In the order of the rules, not of hashes: of two names for one span the first is kept, and a
    # text that is masked in two processes must become the same one.
    found: dict[Finding, None] = {}
    for start in range(0, max(len(folded.text), 1), _WINDOW - _OVERLAP):
        window = folded.text[start : start + _WINDOW]
        for finding in [*find_secrets(window), *find_personal(window)]:
            span = folded.span(start + finding.start, start + finding.end)
            found[Finding(*span, finding.family, finding.kind)] = None
    orders = find_instructions(folded)
    if not found and not orders:
        return Screening(text, text, ())
    secret_findings = without_overlap([item for item in found if item.family is Family.SECRET])
    personal = without_overlap([item for item in found if item.family is Family.PERSONAL])
    findings = (*secret_findings, *personal, *orders)
    return Screening(text, _masked(text, secret_findings), tuple(sorted(findings)))


@lru_cache(maxsize=512)
def masked_name(name: str) -> str:
    """Return a short text that stands beside memories, such as a session's, without secrets."""
    return screen(name).masked


def refuse_secret_scope(scope: str) -> str:
    """Return a scope, which is stored and listed as it is.

    Raises:
        InvalidInputError: ``secret_refused``; it holds a secret.
    """
    if masked_name(scope) != scope:
        raise InvalidInputError(
            f"the scope holds a secret ({masked_name(scope)}) and would be stored in clear; nothing "
            "was stored. Choose another name.",
            code="secret_refused",
        )
    return scope


def masked_values(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON data with its secrets masked: in strings, in keys, and by the key of a value."""
    return {
        screen(key).masked: _STATED if names_a_secret(key, value) else _masked_value(value)
        for key, value in meta.items()
    }


def _masked_value(value: object) -> object:
    if isinstance(value, str):
        return screen(value).masked
    if isinstance(value, dict):
        return masked_values(value)
    if isinstance(value, (list, tuple)):
        return [_masked_value(item) for item in value]
    return value


def should_quarantine(screening: Screening, origin: Origin) -> bool:
    """Return whether a text is held back until a user confirms it.

    Only what a user wrote speaks with the user's voice: the same words from a tool, an agent, an
    import or a peer stay out of recall.
    """
    return screening.instructs and origin is not Origin.USER


def _masked(text: str, secrets: Iterable[Finding]) -> str:
    parts = []
    position = 0
    for finding in secrets:
        parts += [text[position : finding.start], f"[{finding.flag}]"]
        position = finding.end
    return "".join(parts) + text[position:] if parts else text
