"""The phrases by which texts instruct agents, by kind and language.

Each pattern works on lower-cased text and runs only where one of its trigger words occurs, so an
ordinary text costs one set intersection. Gaps between words are bounded: time stays linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.core.literals import Literals
from realmemory.late import late_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """One way to instruct: ``triggers`` are whole words, ``parts`` are substrings."""

    kind: str
    pattern: re.Pattern[str]
    triggers: frozenset[str]
    parts: tuple[str, ...]


def _phrase(kind: str, triggers: str, pattern: str, *, parts: str = "") -> Phrase:
    return Phrase(
        kind, late_pattern(pattern, re.MULTILINE), frozenset(triggers.split()), tuple(parts.split())
    )


def _gap(words: int) -> str:
    """Return a pattern for up to so many words between two others."""
    return rf"(?:[\s\W_]{{1,6}}[^\W_]{{1,24}}){{0,{words}}}[\s\W_]{{1,6}}"


_DROP = (
    r"(?:ignor(?:e|es|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|overrule|bypass|overlook|neglect"
    r"|discard|(?:do not|don't|don’t|never|stop|cease)\s(?:follow|obey|heed|comply with|adhere to)\w*"
    r"|pay no attention to|throw away|set aside|supersede)"
)
_DROP_WORDS = (
    "ignore ignores ignoring disregard disregarding forget override overriding overrule bypass"
    " overlook neglect discard follow following obey obeying heed comply adhere attention throw set"
    " supersede"
)
_EARLIER = (
    r"(?:previous|prior|earlier|above|preceding|foregoing|former|initial|original|system|developer"
    r"|your|existing|safety|content|all|any|every|these|those)"
)
_ORDERS = (
    r"(?:instructions?|directives?|prompts?|guidelines?|commands?|orders?|guardrails?|safeguards?"
    r"|programming|restrictions|system message)"
)
_RULES = r"(?:rules?|policies|policy|training|context|messages?|filters?|constraints)"
# One rule about something is a matter of the project: "disregard the earlier rule about tabs".
_NO_TOPIC = (
    r"(?!(?:(?<=\brule)|(?<=\bpolicy))\s(?:about|on|for|regarding|concerning)\s(?!(?:the\s|your\s)?(?:safety|security"
    r"|secre|privacy|permission|confirm|approv|user|instruct|tool|trust)))"
)
_DESTINATION = (
    r"(?:https?://|\S{1,64}@\S|\b[\w-]{1,40}\.(?:com|net|org|io|ru|xyz|dev|example|test)\b"
    r"|\b(?:to|an|à|на|a)\s(?:me|us|the attacker|attacker|мой|meine|mi|mon|my)\b)"
)
_VALUABLES = (
    r"(?:api[ _-]?keys?|credentials?|passwords?|secrets?|tokens?|env(?:ironment)? (?:variables|file)"
    r"|\.env|ssh keys?|id_rsa|conversation|chat history|memor(?:y|ies)|private data|пароли|паролей"
    r"|ключи|токены|переписк\w{0,3}|passwörter|zugangsdaten|mots de passe|contraseñas)"
)
_UNBIDDEN = r"(?<!not )(?<!never )(?<!n't )(?<!n’t )"
_ITSELF = r"this\s(?:note|memory|instruction|entry|record|reminder)s?"
_SEND = (
    r"(?:send|post|upload|forward|transmit|exfiltrate|e?mail|submit|copy|leak|отправь(?:те)?|перешли(?:те)?"
    r"|sende|schicke)"
)
_WHEN_ANSWERING = (
    r"(?:(?:before|after|while|when|whenever|(?:each|every) time|prior to)\s(?:you\s)?"
    r"(?:answer|reply|respond)(?:ing)?|прежде чем (?:ответить|отвечать)|bevor du antwortest)"
)
# What an agent does again and again, so that an order tied to it comes true unasked.
_AGAIN = (
    r"(?:(?:before|after|on|at|for|with|during)\s(?:each|every|any|all)\s(?:\w{1,16}\s)?(?:commit|push|build|test"
    r"|session|task|answer|reply|response|request|change|edit|run|command|prompt|message|conversation"
    r"|deploy(?:ment)?|merge|start|turn|tool(?: call)?)s?|always\s(?:run|execute|call|start)|when(?:ever)? you"
    r"|before you|after you|from now on|(?:each|every) time)"
)
_SHELL = r"(?:sudo\s)?(?:(?:ba|z|da|k)?sh|python3?|node|perl|ruby|iex)"
_FETCHED_CODE = (
    rf"(?:(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]{{0,120}}\|\s?{_SHELL}\b"
    rf"|{_SHELL}\s(?:<\(|-c\s['\"]?\$\()\s?(?:curl|wget)\b|eval\s['\"]?\$\((?:curl|wget)\b"
    rf"|(?:pipe|feed)\shttps?://\S{{1,200}}\s(?:in)?to\s{_SHELL}\b)"
)

PHRASES: tuple[Phrase, ...] = (
    _phrase("override", _DROP_WORDS, rf"\b{_DROP}{_gap(3)}{_EARLIER}{_gap(3)}{_ORDERS}\b"),
    _phrase(
        "override",
        _DROP_WORDS,
        rf"\b{_DROP}{_gap(2)}(?:(?:your|system|safety){_gap(1)}{_RULES}"
        rf"|(?:previous|prior|preceding|earlier|above){_gap(1)}{_RULES}{_NO_TOPIC})\b",
    ),
    _phrase(
        "override",
        _DROP_WORDS,
        rf"\b{_DROP}\s(?:the|these|those|his|her|its|their|such)\s{_ORDERS}{_gap(2)}"
        r"(?:above|before|given|received|so far|until now|earlier|from (?:the )?(?:user|system))\b",
    ),
    _phrase(
        "override",
        "ignore disregard forget",
        r"\b(?:ignore|disregard|forget)\s(?:everything|all|anything|what)\b"
        + _gap(4)
        + r"(?:above|before|told|said|instructed|so far|until now|previously)\b",
    ),
    _phrase(
        "override",
        "new updated real actual secret hidden",
        r"\b(?:new|updated|real|actual|secret|hidden)\s(?:system\s)?"
        r"(?:instructions?|prompt|directives?)\s{0,2}(?::|are\b|follow\b|override\b|supersede\b)",
    ),
    _phrase(
        "override",
        "игнорируй игнорируйте игнорировать проигнорируй проигнорируйте забудь забудьте отбрось"
        " отбросьте следуй следуйте выполняй отмени отмените пренебреги",
        r"\b(?:(?:про)?игнориру?й(?:те)?|игнорировать|забудь(?:те)?|отбрось(?:те)?"
        r"|не следуй(?:те)?|не выполняй|отмени(?:те)?|пренебреги)"
        + _gap(4)
        + r"(?:инструкци|указани|правил|команд|промпт|директив|предписани|запрет|ограничени)",
    ),
    _phrase(
        "override",
        "ignoriere ignorieren ignoriert ignorier missachte missachten vergiss vergesst vergessen"
        " umgehe umgehen übergehe verwirf befolge folge",
        r"\b(?:ignorier\w{0,4}|missachte\w{0,3}|vergiss|vergesst|vergessen sie|umgehen?|übergehe"
        r"|verwirf|befolge nicht|folge nicht)"
        + _gap(4)
        + r"(?:\w{0,12}anweisung|\w{0,12}instruktion|vorgabe|\w{0,12}regeln|befehl|\w{0,12}prompt"
        r"|richtlinie|anordnung)",
    ),
    _phrase(
        "override",
        "ignore ignorez ignores ignorer oublie oubliez oublier suis suivez tiens tenez ignora ignorad"
        " ignoren olvida olvide olviden sigas descarta omite dimentica ignorate scarta siga esqueça"
        " desconsidere",
        r"\b(?:ignore[zrsn]?|oublie[zrs]?|ne (?:suis|suivez) (?:pas|plus)|ne (?:tiens|tenez)"
        r" (?:pas|plus) compte|ignorad?|olvid[ae]n?|no sigas|descarta|omite|dimentica|ignorate"
        r"|scarta|não siga|esqueça|desconsidere)"
        + _gap(4)
        + r"(?:instruction|consigne|directive|règles|instruccion|órdenes|ordenes|indicacion|reglas"
        r"|istruzion|regole|instruç|regras|diretriz)",
    ),
    _phrase(
        "override",
        _DROP_WORDS + " drop abandon break violate breach disobey",
        rf"{_UNBIDDEN}\b(?:{_DROP}|drop|abandon|break|violate|breach|disobey)\s(?:all\s|any\s|every\s)?"
        r"(?:(?:the|your|those|these)\s)?(?:rules?|instructions?|guidelines?|policies|restrictions?"
        r"|constraints?|orders|limits)\s(?:that\s|which\s)?(?:you\s(?:were|are|have been|had been|got"
        r"|received|follow)\b|(?:(?:were|was|are|have been)\s)?(?:given|told|imposed|set|placed)\s"
        r"(?:to|for|on|by)\s(?:you|your)\b)",
    ),
    # Chinese, Japanese and Korean have no spaces between words.
    _phrase(
        "override",
        "",
        r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要遵守|不要理会|忽视|抛弃)[^。.!?\n]{0,16}"
        r"(?:指令|指示|提示|规则|規則|命令|说明|設定|设定)"
        r"|(?:指示|命令|ルール|プロンプト|指令|設定)[^。\n]{0,12}(?:無視|忘れ|従わない|破棄)"
        r"|(?:지시|명령|규칙|프롬프트)[^.\n]{0,12}(?:무시|잊어|따르지)",
        parts="忽略 无视 無視 忘记 忘記 忘掉 不要 忽视 抛弃 忘れ 従わ 破棄 무시 잊어 따르지",
    ),
    _phrase(
        "role_marker",
        "",
        r"<\|?\s?/?(?:im_start|im_end|system|assistant|endoftext|start_header_id|eot_id)\b"
        r"[^<>\n]{0,40}\|?>|\[/?(?:inst|system)\]|<<\s?/?sys\s?>>"
        r"|^\s{0,3}#{2,4}\s?(?:system|instruction)s?\s?:?\s*$"
        r"|^[ \t]{0,3}(?:system|assistant|human|developer)\s?:\s",
        parts="<| <system </system <assistant [inst [/inst [system] <<sys << ## system: system assistant: human: developer:",
    ),
    _phrase(
        "tool_call",
        "tool_calls function_call",
        r"</?\s?(?:tool_call|tool_use|function_calls?|invoke|antml:\w+|tool_result|tool_response)\b"
        r"[^<>\n]{0,80}>|\"(?:tool_calls|function_call)\"\s{0,3}:\s{0,3}[\[{]"
        r"|\bcall\sthe\s[\w.]{1,40}\s(?:tool|function)\s(?:with|and|to)\b.{0,60}"
        r"\b(?:delete|send|forget|export|token|password|credential|key)s?\b",
        parts="<tool </tool <function </function <invoke <antml tool_calls function_call",
    ),
    _phrase(
        "tool_call",
        "call",
        r"\bcall\sthe\s[\w.]{1,40}\s(?:tool|function)\s(?:with|and|to)\b.{0,60}"
        r"\b(?:delete|send|forget|export|token|password|credential|key)s?\b",
    ),
    _phrase(
        "prompt_leak",
        "prompt instructions message",
        r"\b(?:reveal|print|repeat|show|output|display|leak|disclose|tell me|write out|dump|give me"
        r"|recite)"
        + _gap(4)
        + r"(?:your system prompt|the system prompt (?:verbatim|word for word|above)|hidden prompt"
        r"|initial prompt|initial instructions|system message|your instructions|your prompt"
        r"|developer message|system prompt (?:to|and|in full|verbatim))\b",
    ),
    _phrase(
        "prompt_leak",
        "you your",
        r"(?:\byou\s(?:must|should|will|shall|have to|need to)\s(?:always\s|now\s)?(?:print|reveal|show|output"
        r"|list|dump|disclose|give|leak|repeat)\b[^.\n]{0,20}\b(?:all|any|your|every|the)"
        rf"|{_UNBIDDEN}\b(?:reveal|print|output|leak|dump|disclose)\s(?:all\s)?your)\s(?:\w{{1,16}}\s)?"
        r"(?:api[ _-]?keys?|passwords?|secrets?|credentials|tokens|private keys?|memor(?:y|ies))\b",
    ),
    _phrase(
        "persona",
        "you act behave respond pretend enable enter activate switch ты действуй",
        r"\byou are (?:now|no longer)\b.{0,40}\b(?:dan|unrestricted|jailbroken|developer mode"
        r"|an? ai (?:without|with no)|bound|free from|root|admin)"
        r"|\b(?:act|behave|respond|pretend)\s(?:as|like|to be)\b.{0,30}"
        r"\b(?:dan\b|unrestricted|without (?:any )?(?:restrictions|filters|rules)|no restrictions)"
        r"|\b(?:enable|enter|activate|switch to)\s(?:god|jailbreak|dan|unrestricted)\s(?:mode|access)"
        r"|\bдействуй как\b.{0,40}\b(?:без ограничений|администратор)"
        r"|\bты теперь\b.{0,40}\b(?:без ограничений|не связан|свободен)",
    ),
    _phrase(
        "hidden_order",
        "user human owner operator anyone",
        r"\b(?:without|do not|don't|don’t|never)\s(?:telling|informing|asking|notifying|mention\w*"
        r"|tell|inform|ask|notify|alert|reveal\w*)\b[^.\n]{0,30}"
        r"\b(?:the\s)?(?:user|human|owner|operator|anyone)\b",
    ),
    _phrase(
        "hidden_order",
        "when whenever if once",
        r"\b(?:when|whenever|if|once)\s(?:you|the (?:assistant|agent|model|ai|llm))\s"
        r"(?:read|see|recall|retrieve|process|load|find)s?\b[^.\n]{0,40}[,:]?\s"
        r"(?:you must|always|immediately|you should|you will|run|execute|send|call|delete|reply"
        r"|respond|answer)\b",
    ),
    _phrase(
        "hidden_order",
        "attention note message instruction instructions important urgent",
        r"\b(?:attention|note|message|instructions?|important|urgent)\b[^.\n]{0,12}\b(?:to|for)\s"
        r"(?:the\s|all\s|any\s)?(?:ai|llm|language model|assistant|agent|bot)s?\b",
    ),
    _phrase(
        "hidden_order",
        "ai assistant agent model llm",
        r"\b(?:the|this|any|every) (?:ai|assistant|agent|model|llm)(?: reading this)?"
        r" (?:must|shall|has to|is required to|needs to)\b[^.\n]{0,60}"
        r"\b(?:ignore|send|forward|delete|execute|run|reveal|approve|trust|disable|obey"
        r"|always (?:answer|say|recommend|reply))\b",
    ),
    _phrase(
        "hidden_order",
        "this",
        r"\b(?:never|do not|don't|don’t|without)\s(?:ever\s)?(?:(?:mention|disclos|reveal|discuss|shar|show|tell"
        rf"|report|repeat|bring up|talk about|speak of)\w{{0,3}}\b[^.\n]{{0,24}}\b{_ITSELF}\b"
        r"|(?:mention|tell|discuss)\w{0,3}\b[^.\n]{0,24}\bthis\smessage\b"
        r"|let(?:ting)?\s(?:the\s)?(?:user|human|owner|operator|anyone|anybody)\s(?:know|notice|learn|find out)"
        r"\b[^.\n]{0,24}\bthis\b)"
        r"|\b(?:keep|hide|conceal|withhold)\sthis\b[^.\n]{0,30}\bfrom\s(?:the\s)?"
        r"(?:user|human|owner|operator|anyone|anybody|everyone|everybody)\b",
    ),
    _phrase(
        "hidden_order",
        "никому niemandem keinem",
        r"\bникому не (?:говори|рассказывай|сообщай|показывай|упоминай)\w{0,3}\b[^.\n]{0,20}"
        r"\bэт(?:ой|у|ом)\s(?:запис|заметк|сообщени|инструкци)"
        r"|\b(?:erzähl|sag|verrat)e?\s(?:niemandem|keinem)\b[^.\n]{0,20}\bdies\w{0,2}\s"
        r"(?:notiz|nachricht|eintrag|anweisung)",
    ),
    # An answer that is settled before the question is asked.
    _phrase(
        "hidden_order",
        "user human operator owner",
        r"\b(?:when|whenever|if|(?:each|every) time)\s(?:the|your)\s(?:user|human|operator|owner)\s"
        r"(?:ask|request|want|mention|question|inquire)s?\b[^.\n]{0,80}?[,;:]\s?(?:always\s|please\s|just\s"
        r"|simply\s|you\s(?:must|should|will)\s)?(?:(?:reply|answer|say|respond|state|tell\s\w{1,8})\sthat\b"
        r"|claim\b|pretend\b|deny\b|insist\b|lie\b|assure\b|always recommend\b|recommend only\b)"
        r"|\btell\s(?:the|your)\s(?:user|human|operator|owner)\sthat\b[^.\n]{0,80}"
        r"\b(?:whatever|no matter|regardless|even if|in any case)\b",
    ),
    _phrase(
        "hidden_order",
        "from",
        r"\bfrom now on\b[^.\n]{0,20}\byou\s(?:must|will|shall|are|obey|always|only)\b",
    ),
    _phrase(
        "hidden_order",
        "не nicht nichts",
        r"\bне (?:говори|сообщай|рассказывай|спрашивай|упоминай)\w{0,3}\b[^.\n]{0,20}\bпользовател"
        r"|\b(?:sag|sage|informiere|frag|erwähne)\w{0,2}\b[^.\n]{0,30}"
        r"\b(?:nutzer|benutzer|anwender)\b[^.\n]{0,12}\b(?:nicht|nichts)\b",
    ),
    _phrase(
        "hidden_order",
        "",
        r"(?:不要|别|別)(?:告诉|告訴|通知|询问)[^。\n]{0,6}(?:用户|用戶|使用者)",
        parts="告诉 告訴 通知 询问",
    ),
    _phrase(
        "exfiltration",
        "send post upload forward transmit exfiltrate mail email leak submit copy append отправь"
        " отправьте перешли перешлите sende schicke envoie envoyez envía envia envie",
        r"\b(?:send|post|upload|forward|transmit|exfiltrate|e?mail|leak|submit|copy|append|отправь"
        r"|отправьте|перешли|перешлите|sende|schicke|envoie|envoyez|envía|envia|envie)"
        rf"\b(?:[^.\n=]|\.(?!\s)){{0,80}}\b{_VALUABLES}\b(?:[^.\n=]|\.(?!\s)){{0,60}}{_DESTINATION}",
    ),
    _phrase(
        "exfiltration",
        "answering replying responding answer reply respond отвечать ответить antwortest",
        rf"\b{_SEND}\b[^\n]{{0,100}}?(?:https?://|\S@\S)[^\n]{{0,60}}?\b{_WHEN_ANSWERING}\b"
        rf"|\b{_WHEN_ANSWERING}\b[^.\n]{{0,40}}?[,:]?\s{_SEND}\b[^\n]{{0,100}}?(?:https?://|\S@\S)",
    ),
    _phrase(
        "exfiltration",
        "",
        r"!\[[^\]\n]{0,80}\]\(\s?https?://[^)\s]{1,200}[?&][\w.-]{1,40}=",
        parts="](http",
    ),
    _phrase(
        "unsafe_order",
        "disable turn skip bypass remove",
        r"\b(?:disable|turn off|skip|bypass|remove)\b[^.\n]{0,24}"
        r"\b(?:safety|security|guardrails?|content|permission)\s"
        r"(?:checks?|filters?|prompts?|rules?|measures|confirmations?)\b[^.\n]{0,40}"
        r"\b(?:for this|from now)\b",
    ),
    _phrase(
        "unsafe_order",
        "curl wget iwr invoke webrequest pipe feed",
        rf"\b{_AGAIN}\b[^\n]{{0,80}}?{_FETCHED_CODE}",
    ),
    _phrase(
        "unsafe_order",
        "follow obey do",
        r"\b(?:fetch|open|visit|read|load|download|get)\b[^\n]{0,30}?https?://\S{1,200}[^.\n]{0,20}"
        r"\b(?:and|then)\s(?:follow|obey|do)\s(?:what|whatever|everything|all)\b",
    ),
    _phrase(
        "unsafe_order",
        "approve accept merge grant trust",
        r"(?:^[ \t>*-]{0,4}|[.!?;:]\s|\byou\s(?:must|should|will|shall)\s(?:always\s)?|\bplease\s)"
        r"(?:approve|accept|merge|grant|trust)\s(?:any|all|every|each)\s(?:\w{1,16}\s)?(?:pull requests?|prs?"
        r"|merge requests?|changes?|requests?|permissions?|commands?|tool calls?)\b"
        r"(?=\s{0,3}(?:$|[.!;,]|(?:without|unread|unseen|automatically|immediately|at once)\b))",
    ),
    _phrase(
        "unsafe_order",
        "always automatically",
        r"\b(?:always|automatically)\s(?:approve|accept|grant|trust)\b[^.\n]{0,40}"
        r"\b(?:any|all|every)\b[^.\n]{0,30}"
        r"\b(?:requests?|permissions?|commands?|tool calls?|users?)\b",
    ),
)

TRIGGERS = frozenset(word for phrase in PHRASES for word in phrase.triggers if len(word) > 4)
"""Every trigger word long enough to be looked for in encodings of the whole text."""

_WITH_TRIGGER = {
    word: tuple(phrase for phrase in PHRASES if word in phrase.triggers)
    for word in frozenset().union(*(phrase.triggers for phrase in PHRASES))
}
_WITH_PART = {
    part: tuple(phrase for phrase in PHRASES if part in phrase.parts)
    for part in frozenset().union(*(phrase.parts for phrase in PHRASES))
}
_PARTS = Literals(_WITH_PART)


def likely(words: Iterable[str], text: str) -> dict[Phrase, None]:
    """Return the phrases whose patterns are worth running on ``text``, given its words."""
    found = [_WITH_TRIGGER[word] for word in _WITH_TRIGGER.keys() & words]
    found += [_WITH_PART[part] for part in _PARTS.found_in(text)]
    return dict.fromkeys(phrase for phrases in found for phrase in phrases)
