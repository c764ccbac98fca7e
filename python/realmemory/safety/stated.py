"""Secrets that a text states in words: passwords, keys and PINs beside their names.

What makes a value a secret is its name together with its form, so that a sentence about passwords
stays what it is. All gaps are bounded, so matching takes time linear in the text. Patterns are
compiled when a text first has a word for which they are needed: most processes never meet one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from realmemory.core.literals import Literals
from realmemory.late import late_pattern
from realmemory.safety.findings import MASK

if TYPE_CHECKING:
    from collections.abc import Iterator


_NAMES = (
    r"password|passwort|kennwort|passwd|passphrase|pass[ _-]?code|pwd|passcode|master[ _-]?key"
    r"|api[ _-]?key|secret[ _-]?key|private[ _-]?key|access[ _-]?key|signing[ _-]?key"
    r"|encryption[ _-]?key|account[ _-]?key|(?:access|auth|bot|refresh|session|api)[ _-]?token"
    r"|client[ _-]?secret|token|secret|credentials?|pin[ _-]code"
    r"|пароль|парол[яеюи]|паролем|секретный ключ|токен|contraseña|clave|mot de passe|senha"
    r"|hasło|şifre|parola|密码|密碼|パスワード"
)
_PASSWORDS = (
    r"password|passwort|kennwort|passwd|passphrase|passcode|pwd|pw|psk|парол(?:ь|я|ем)"
    r"|contraseña|mot de passe|senha"
)
_OF = r"(?:of|for|from|to|on|at|in|von|vom|zum|zur|für|fürs|des|der|от|для|к|на|del?|du|pour|para|per)"
_IS = r"(?:is|was|ist|lautet|es|est|è|é|это|является|=|:)"
_ASSIGNED = late_pattern(
    # A name starts a word, or a word in camel case.
    r"(?:(?<![^\W_])|(?=[A-Z]|passw))(?P<name>(?i:"
    + _NAMES
    + r"|(?:pw|psk)(?=['\"]?\s?[:=])|pass(?==)))"
    r"(?P<suffix>(?:s|_?\d{1,3}|[_-]\w{1,24})?)['\"`]?"
    # What stands between a name and its value; dashes as people type them.
    r"(?P<link>\s{0,4}(?::=|=>|[:=]|\uff1a)\s{0,4}"
    r"|\s{1,4}(?i:is|was|ist|lautet|es|est|è|é|это|является)\s{1,4}"
    r"(?:(?i:now|still|currently|jetzt|теперь)\s{1,4})?(?::\s{0,4})?"
    r"|\s{0,4}[\u2014\u2013]\s{0,4}|(?:是|は)\s{0,4})"
    r"(?:(?P<quote>['\"`«“])(?P<quoted>[^'\"`»”\n]{4,256})['\"`»”]|(?P<bare>[^\s'\"`<>,;]{6,512}))"
)
_ASSIGNED_FAR = late_pattern(
    # `password for the staging box: ...`: words may stand between, the value is plainly marked.
    r"(?i:\b(?:passwor[dt]|passphrase|kennwort|api key|пароль|contraseña|mot de passe|senha)\b)"
    r"(?:[ ][\w.()-]{1,24}){1,4}[ ]?(?:[:=\u2014\u2013\uff1a])[ ]?"
    r"['\"`«]?(?P<value>[^\s'\"`<>,;»]{6,256})"
)
_TOLD_OF = late_pattern(
    # `the password of the router is ...`
    rf"(?i:(?<![^\W_])(?:(?P<strong>{_PASSWORDS})|{_NAMES})s?[ ]{_OF}[ ](?:[\w.@'’-]{{1,32}}[ ]){{1,6}}?"
    rf"{_IS})[ ]{{1,3}}(?:(?:now|still|jetzt|теперь)[ ])?['\"`«“]?(?P<value>[^\s'\"`<>,;»”]{{6,256}})"
)
_BESIDE = late_pattern(
    # `wifi password ...`, `--password ...`: nothing but the value makes it a statement.
    rf"(?i:(?<![^\W_])(?:{_PASSWORDS}))[ ]{{1,3}}"
    r"(?:(?:(?:was|is|has been|got)[ ])?(?:changed|set|reset|updated)[ ]to[ ])?(?P<value>[^\s'\"`<>,;]{6,128})"
)
_HEADED = late_pattern(
    # `Пароль от почты ...`: a line or sentence that is nothing but the name and the value.
    r"(?im:(?:^|(?<=[.!?]\s))[ \t>*•-]{0,4}"
    r"(?:(?:my|our|the|his|her|their|mein|unser|das|der|мой|наш|mi|mon)[ ])?"
    r"(?:(?!(?:re)?set|rotate|change|update|check|get|ask|find|enter|use|need|see|send|share|смен|помен"
    rf"|сброс|узна|введ)[\w'’-]{{1,24}}[ ])?(?:{_PASSWORDS})[ ]{_OF}[ ](?:[\w.@'’-]{{1,32}}[ ]){{1,3}}?)"
    r"(?P<value>(?=[^\s]{0,64}\d)[^\s'\"`<>,;]{6,128})"
)
_PHRASE = late_pattern(
    # Words alone are a passphrase where they are all that follows the name.
    rf"(?im:(?<![^\W_])(?:{_PASSWORDS})\s?[:=]\s{{0,4}}"
    r"(?P<value>[^\W\d_]{3,12}(?:(?P<between>[ ]|[-_.])[^\W\d_]{3,12})(?:(?P=between)[^\W\d_]{3,12}){2,6})"
    r"[ \t]*(?=[.,;!)\n]|\Z))"
)
_PROSE_WORDS = (
    "the and for but not are was has have had must may can should will shall with without from into that"
    " this these those which who when where while your you our their his her its all any each every one"
    " two three least most more than only never always see ask use get set put keep kept stored store"
    " saved vault manager required optional minimum maximum characters letters digits numbers reset"
    " rotate rotated change changed expired expires policy length long short strong weak same default"
    " none empty missing wrong invalid team admin entry file under about before after until"
    " там где это как или для под над при без нужно надо есть был быть ist sind und oder nicht der die"
    " das den dem muss soll wird im auf bei mit"
)
_PROSE = frozenset(_PROSE_WORDS.split())
_PIN = late_pattern(
    r"(?<![\w-])(?:(?i:pin|пин)(?:[ -]?(?i:code|код|number|nummer))?|CVV|CVC|Geheimzahl)"
    rf"(?:[ ](?i:{_OF})[ ](?:[\w.'’-]{{1,24}}[ ]){{1,5}}?|\s{{0,2}})"
    rf"(?P<link>(?i:{_IS})|[\u2014\u2013])?\s{{0,3}}(?P<value>\d{{4,8}})(?![\w:/-]|\.\d)"
)
_ON_COMMAND_LINES = (
    late_pattern(
        r"\b(?:mysql|mariadb)[\w-]{0,12}\b[^\n|;]{0,200}?\s-p(?P<value>['\"]?[^\s'\"-][^\s'\"]{2,127})"
    ),
    late_pattern(r"\bsshpass\s{1,4}-p\s?['\"]?(?P<value>[^\s'\"]{3,128})"),
    late_pattern(
        r"\b(?:docker|podman|helm|az)\b[^\n|;]{0,40}?\blogin\b[^\n|;]{0,200}?\s(?:-p|--password)[ =]"
        r"['\"]?(?P<value>[^\s'\"]{3,128})"
    ),
    late_pattern(
        r"\b(?:curl|wget|https?|xh)\b[^\n|;]{0,200}?\s(?:-u|-U|-a|--user|--proxy-user|--auth)[ =]?"
        r"['\"]?[^\s:'\"$/-][^\s:'\"/]{0,64}:(?P<value>[^\s'\"/]{3,128})"
    ),
    late_pattern(r"\bredis-cli\b[^\n|;]{0,200}?\s(?:-a|--pass)\s['\"]?(?P<value>[^\s'\"]{3,128})"),
)
_COMMANDS = frozenset(
    ["mysql", "mariadb", "sshpass", "login", "curl", "wget", "http ", "xh ", "redis-cli"]
)
_LONG_KEY = late_pattern(
    # The form of an AWS secret key, which has no mark of its own.
    r"(?i:secret|aws)[^\n]{0,80}?(?<![\w/+=.-])(?P<value>[A-Za-z0-9/+]{40})(?![\w/+=-]|\.\w)"
)
_METHOD = late_pattern(
    # What follows "password" in talk about software, digits and all.
    r"(?i)(?:sha|md5|b?crypt|scrypt|argon|pbkdf|base\d|oauth|openid|1pass|keepass|bitwarden|lastpass|utf"
    r"|aes|rsa|[hr]s\d|x509|\dfa|k8s|http|python|java|level|step|phase|section|chapter|page|build"
    r"|release|issue|ticket|field|column|rev)"
)
_NO_VALUE = late_pattern(
    r"v?\d+(?:[.:/-]\d+)*\w?$|[A-Z]{2,10}-\d+$|[^@]*@[\w-]+\.\w+|\d+[- ]?\w*(?:char|days|bit|min|hours)"
)
_NOT_A_SECRET = late_pattern(
    r"(?i)[_-](?:ids?|count|limit|budget|type|ur[il]|names?|file|path|field|at|ttl|expir\w*|len"
    r"|length|size|policy|hash|ring|manager|store|usage|rotation|version|env|header|class)$"
)
_PASSWORD_HINTS = frozenset(
    "pass pwd pw psk kennwort парол contraseña clave senha hasło şifre parola 密码 密碼 パスワード".split()  # noqa: SIM905 - a word list reads as one
)
_KEY_HINTS = frozenset(["key", "token", "secret", "credential", "pin", "ключ", "токен"])
_PIN_HINTS = frozenset(["pin", "пин", "cvv", "cvc", "geheimzahl"])
_LONG_KEY_HINTS = frozenset(["secret", "aws"])
_HINTS = Literals(
    _PASSWORD_HINTS | _KEY_HINTS | _PIN_HINTS | _COMMANDS | _LONG_KEY_HINTS | {"api key"}
)
_SNAKE_WORDS = late_pattern(r"[A-Za-z]+(?:[_-][A-Za-z]+)+")

_UUID_FORM = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_REFERENCE = late_pattern(
    r"^(?:\$|%|\{\{|<|\*+$|x+$|X+$|\.\.\.|…|\[|\(|/|\./|~/|https?://|process\.env|os\.|env\.|vault:"
    r"|op://|ssm:|arn:|file:|[\w.]+[(\[]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[a-zA-Z_]\w*(?:\.\w+)+[,;)]?$"
    rf"|{_UUID_FORM}$)"
)
_UUID = late_pattern(_UUID_FORM)
"""A key to some providers; a name of any thing, unless a variable for keys is given it."""
_PLACEHOLDERS = frozenset(
    [
        "password",
        "passwort",
        "passwd",
        "pass",
        "secret",
        "token",
        "changeme",
        "change-me",
        "required",
        "optional",
        "string",
        "none",
        "null",
        "true",
        "false",
        "example",
        "placeholder",
        "redacted",
        "hidden",
        "masked",
        "your-password",
        "your_password",
        "yourpassword",
        "foobar",
        "hunter",
        "unknown",
        "empty",
        "missing",
        "invalid",
        "expired",
        "rotated",
        "unset",
    ]
)
# A sign that may belong to the secret is masked with it.
_ENDS_SENTENCE = ".,;:)]}"
_CLAUSE_END = late_pattern(
    r"\s{0,4}(?:$|[,;\n\u2014\u2013(\"'`])|[ ](?i:for|on|at|in|to|and|or|works|und|im|für|и|для|на|по)\b"
)
_KEY = late_pattern(
    rf"(?:(?<![^\W_])|(?=[A-Z]|passw))(?:(?P<strong>(?i:{_PASSWORDS}|pass))|(?P<pin>(?i:pin))"
    rf"|(?i:{_NAMES}))(?P<suffix>(?:s|_?\d{{1,3}}|[_-]\w{{1,24}})?)$"
)


def find_stated(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Yield the span of every stated secret, without its name; some may be yielded twice."""
    hints = frozenset(_HINTS.found_in(lowered))
    if not hints:
        return
    password = bool(hints & _PASSWORD_HINTS)
    if password or hints & _KEY_HINTS:
        yield from _assigned_spans(text)
        yield from _told_spans(text)
    if password or "api key" in hints:
        yield from _far_spans(text)
    if password:
        yield from _bare_spans(text)
        yield from (m.span("value") for m in _PHRASE.finditer(text) if _is_passphrase(m["value"]))
    if hints & _PIN_HINTS:
        yield from (m.span("value") for m in _PIN.finditer(text) if _is_pin(m))
    if hints & _COMMANDS:
        yield from _command_spans(text)
    if hints & _LONG_KEY_HINTS:
        yield from (m.span("value") for m in _LONG_KEY.finditer(text) if _is_mixed(m["value"]))


def names_a_secret(key: str, value: object) -> bool:
    """Return whether a value is a secret by the key that it stands under, as in JSON data."""
    name = _KEY.search(key)
    if name is None or _NOT_A_SECRET.search(name["suffix"]):
        return False
    if isinstance(value, str):
        plain = " " not in value and _is_secret_value(value, quoted=True, link="=")
        pin = bool(name["pin"]) and value.isdecimal() and 4 <= len(value) <= 8
        return plain or pin or (bool(name["strong"]) and _is_passphrase(value))
    number = isinstance(value, int) and not isinstance(value, bool) and value >= 1000
    return number and bool(name["strong"] or name["pin"])


def is_reference(value: str) -> bool:
    """Return whether a value only says where a secret is, or is no secret by its form."""
    return bool(_REFERENCE.match(value)) or set(value) <= set("*•xX.-_")


def _assigned_spans(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    while match := _ASSIGNED.search(text, position):
        group = "quoted" if match["quoted"] is not None else "bare"
        value = match[group]
        # A name such as `secret` may be the value of an earlier name: look again just behind it.
        position = match.end("name")
        if group == "bare":
            if match.start() > 0 and text[match.start() - 1] in "?&":
                value = value.partition("&")[0]
            value = value.rstrip(_ENDS_SENTENCE)
        masked = match.start() > 0 and text.startswith(MASK, match.start() - 1)
        if masked or _NOT_A_SECRET.search(match["suffix"]):
            continue
        quoted, link = group == "quoted", match["link"].strip()
        if _is_secret_value(value, quoted=quoted, link=link) or _sets_variable(match, value):
            yield match.start(group), match.start(group) + len(value)
            position = match.end()


def _sets_variable(match: re.Match[str], value: str) -> bool:
    """Return whether a variable of the environment is set, as in `DB_PASSWORD=swordfish`.

    There a word or a UUID is a secret. Of tokens a language has many that are words.
    """
    name, link = match["name"], match["link"].strip()
    inside = match.string.startswith("_", max(0, match.start() - 1))
    if not name.isupper() or match["suffix"] or not inside:
        return False
    if _UUID.fullmatch(value):
        return link in {"=", ":"}
    plain = match["link"] == "=" and not name.endswith("TOKEN")
    return plain and _is_secret_value(value, quoted=True, link="=")


def _far_spans(text: str) -> Iterator[tuple[int, int]]:
    for match in _ASSIGNED_FAR.finditer(text):
        value = match["value"].rstrip(_ENDS_SENTENCE)
        mixed = any(map(str.isdigit, value)) and not _METHOD.match(value)
        if mixed and _is_secret_value(value, quoted=False, link=":"):
            yield match.start("value"), match.start("value") + len(value)


def _is_secret_value(value: str, *, quoted: bool, link: str) -> bool:
    # A sign at the end may be the sentence's, or a macro's: it is no sign of a secret.
    value = value.rstrip("!?")
    head = value.lower().partition("|")[0]
    if len(value) < 6 or is_reference(value) or head in _PLACEHOLDERS:
        return False
    stated = link in {"=", ":", ":=", "=>"} and quoted
    if " " in value:
        # Several words are a passphrase only where they are quoted as one.
        return quoted and not stated and len(value) >= 12 and value.count(" ") <= 8
    letters = any(char.isalpha() for char in value)
    digits = any(char.isdigit() for char in value)
    signs = any(not char.isalnum() and char not in "-_/.'" for char in value)
    inner_capital = any(char.isupper() for char in value[1:]) and any(map(str.islower, value))
    if letters and (digits or signs):
        return True
    if quoted:
        # `my_api_key` names a secret, `swordfish` may be one.
        return letters and not _SNAKE_WORDS.fullmatch(value)
    return (inner_capital and len(value) >= 8) or (digits and len(value) >= 8)


def _told_spans(text: str) -> Iterator[tuple[int, int]]:
    for match in _TOLD_OF.finditer(text):
        value = match["value"].rstrip(_ENDS_SENTENCE)
        told = any(not char.isalpha() and char not in "-_/.'" for char in value)
        # Tokens and keys are also spoken of; a short word is none of them.
        fits = told and (match["strong"] or len(value) >= 12) and not _METHOD.match(value)
        if fits and _is_secret_value(value, quoted=False, link="is"):
            yield match.start("value"), match.start("value") + len(value)


def _bare_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield values that stand beside a name with no sign of a statement between them."""
    for match in (*_BESIDE.finditer(text), *_HEADED.finditer(text)):
        value = match["value"].rstrip(_ENDS_SENTENCE)
        flag = text[max(0, match.start() - 2) : match.start()] == "--"
        if not flag and not _closes(text, match.end(), match["value"]):
            continue
        if not _is_mixed_word(value):
            continue
        if _is_secret_value(value, quoted=False, link=""):
            yield match.start("value"), match.start("value") + len(value)


def _closes(text: str, end: int, value: str) -> bool:
    """Return whether a clause ends with the value that ends here."""
    return value[-1] in ".!?:)" or bool(_CLAUSE_END.match(text, end))


def _is_mixed_word(value: str) -> bool:
    if _METHOD.match(value) or _NO_VALUE.match(value) or "/" in value:
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_passphrase(value: str) -> bool:
    words = re.split("[ _.-]", value)
    sound = all(3 <= len(word) <= 12 and word.isalpha() and word.islower() for word in words)
    return sound and 4 <= len(words) <= 8 and _PROSE.isdisjoint(words)


def _is_pin(match: re.Match[str]) -> bool:
    # `PIN 4921` states one, `pin 4921 of the board` does not.
    if not _CLAUSE_END.match(match.string, match.end()) and match.string[match.end()] not in ".!?)":
        return False
    return match["link"] is not None or match[0][:3].isupper() or match[0][0] in "пП"


def _command_spans(text: str) -> Iterator[tuple[int, int]]:
    for pattern in _ON_COMMAND_LINES:
        for match in pattern.finditer(text):
            value = match["value"].lstrip("'\"").rstrip(_ENDS_SENTENCE)
            if value and not is_reference(value) and value.lower() not in _PLACEHOLDERS:
                start = match.end("value") - len(match["value"].lstrip("'\""))
                yield start, start + len(value)


def _is_mixed(value: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(any(map(kind, value)) for kind in kinds)
