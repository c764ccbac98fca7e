"""Secrets in texts: tokens by the shape their provider gives them, keys, and what is stated.

Every pattern is a run of one character class behind a literal, so matching takes time linear in
the text. A pattern runs only where one of its literals occurs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.core.literals import Literals
from realmemory.late import late_pattern
from realmemory.safety.findings import Family, Finding
from realmemory.safety.stated import find_stated, is_reference

if TYPE_CHECKING:
    import re


@dataclass(frozen=True, slots=True)
class _Shape:
    kind: str
    hints: frozenset[str]
    pattern: re.Pattern[str]


def _shape(kind: str, hints: str, pattern: str) -> _Shape:
    return _Shape(kind, frozenset(hints.split()), late_pattern(rf"(?<![A-Za-z0-9])(?:{pattern})"))


_SHAPES = (
    _shape("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _shape("github_token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _shape(
        "gitlab_token",
        "glpat- gldt- glrt- glsoat- glcbt- glptt- glft- glagent- glimt- gloas-",
        r"gl(?:pat|dt|rt|soat|cbt|ptt|ft|agent|imt|oas)-[\w-]{20,255}",
    ),
    _shape("aws_key_id", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
    _shape("google_key", "AIza", r"AIza[\w-]{35}"),
    _shape("google_token", "ya29.", r"ya29\.[\w-]{20,512}"),
    _shape("google_secret", "GOCSPX-", r"GOCSPX-[\w-]{20,64}"),
    _shape(
        "slack_token",
        "xox",
        r"xox[abeoprs](?:\.xox[bp])?-(?=[A-Za-z-]{0,64}\d)[A-Za-z0-9-]{10,255}",
    ),
    _shape("slack_token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,255}"),
    _shape(
        "slack_webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows)/[\w/-]{20,128}",
    ),
    _shape(
        "discord_webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/\d{10,24}/[\w-]{40,128}",
    ),
    _shape("stripe_key", "k_live_ k_test_", r"[srp]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    _shape("stripe_webhook", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,128}"),
    _shape("anthropic_key", "sk-ant-", r"sk-ant-[\w-]{20,255}"),
    _shape(
        "openai_key",
        "sk-",
        r"sk-(?:proj-|svcacct-|admin-|or-v1-)?(?=[\w-]{0,64}\d)[A-Za-z0-9_-]{20,255}",
    ),
    _shape("huggingface_token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,64}"),
    _shape("npm_token", "npm_", r"npm_[A-Za-z0-9]{36,64}"),
    _shape("pypi_token", "pypi-", r"pypi-[\w-]{40,255}"),
    _shape("rubygems_key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _shape("crates_token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _shape("docker_token", "dckr_", r"dckr_(?:pat|oat)_[\w-]{20,64}"),
    _shape("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _shape("shopify_token", "shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _shape("telegram_token", ":AA", r"\d{8,10}:AA[\w-]{32,36}"),
    _shape("twilio_key", "SK", r"SK[0-9a-f]{32}(?![0-9a-f])"),
    _shape("sendgrid_key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    _shape("mailgun_key", "key-", r"key-[0-9a-f]{32}(?![0-9a-f])"),
    _shape("mailchimp_key", "-us", r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    _shape("square_token", "sq0 EAAA", r"(?:sq0(?:atp|csp|idp)-[\w-]{22,64}|EAAA[\w-]{56,72})"),
    _shape("linear_key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    _shape("notion_token", "secret_ ntn_", r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,64})"),
    _shape("atlassian_token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{60,255}"),
    _shape("databricks_token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),
    _shape("newrelic_key", "NRAK- NRII-", r"NR(?:AK|II)-[A-Z0-9a-z]{27,40}"),
    _shape(
        "grafana_token",
        "glsa_ glc_",
        r"(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,255})",
    ),
    _shape("sentry_token", "sntr", r"sntry[su]_[\w+/=-]{40,255}"),
    _shape("vault_token", "hvs. hvb.", r"hv[sb]\.[\w-]{24,255}"),
    _shape("terraform_token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}"),
    _shape("supabase_token", "sbp_", r"sbp_[a-f0-9]{40}"),
    _shape("doppler_token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,80}"),
    _shape("planetscale_token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.-]{32,64}"),
    _shape("groq_key", "gsk_", r"gsk_[A-Za-z0-9]{40,64}"),
    _shape("replicate_token", "r8_", r"r8_[A-Za-z0-9]{30,64}"),
    _shape("xai_key", "xai-", r"xai-[A-Za-z0-9]{60,100}"),
    _shape("perplexity_key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}"),
    _shape("figma_token", "fig", r"fig[dorsu]_[\w-]{36,64}"),
    _shape("postman_key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _shape("heroku_key", "HRKU-", r"HRKU-[\w-]{30,80}"),
    _shape("fly_token", "fm1_ fm1a_ fm1r_ fm2_ fo1_", r"f(?:m1[ar]?|m2|o1)_[\w+/=-]{40,2048}"),
    _shape("netlify_token", "nfp_", r"nfp_[A-Za-z0-9]{36,40}"),
    _shape("vercel_token", "vcp_ vck_", r"vc[pk]_[A-Za-z0-9]{24,64}"),
    _shape("render_key", "rnd_", r"rnd_[A-Za-z0-9]{28,40}"),
    _shape("pulumi_token", "pul-", r"pul-[a-f0-9]{40}"),
    _shape("dynatrace_token", "dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _shape("tailscale_key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9]{6,32}-[A-Za-z0-9]{16,64}"),
    _shape("onepassword_token", "ops_eyJ", r"ops_eyJ[\w-]{100,2048}"),
    _shape("airtable_token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _shape("mapbox_key", "sk.eyJ", r"sk\.eyJ[\w-]{20,512}\.[\w-]{16,64}"),
    _shape("bitbucket_password", "ATBB", r"ATBB[A-Za-z0-9=]{28,40}"),
    _shape("circleci_token", "CCIP", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    _shape("buildkite_token", "bkua_ bkat_ bkct_", r"bk(?:ua|at|ct)_[a-f0-9]{40}"),
    _shape("langsmith_key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    _shape("pinecone_key", "pcsk_", r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,80}"),
    _shape("adobe_secret", "p8e-", r"p8e-[\w-]{32}"),
    _shape("alibaba_key_id", "LTAI", r"LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])"),
    _shape("brevo_key", "xkeysib-", r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _shape("dropbox_token", "sl.", r"sl\.(?:u\.)?[\w-]{120,2048}"),
    _shape("flutterwave_key", "FLWSECK", r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?"),
    _shape("frameio_token", "fio-u-", r"fio-u-[\w=-]{60,68}"),
    _shape("lob_key", "live_ test_", r"(?:live|test)_[a-f0-9]{35}(?![a-f0-9])"),
    _shape("elevenlabs_key", "sk_", r"sk_[a-f0-9]{48}(?![a-f0-9])"),
    _shape(
        "plaid_token",
        "access-",
        r"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    _shape("readme_key", "rdme_", r"rdme_[a-z0-9]{60,80}"),
    _shape("scalingo_token", "tk-us-", r"tk-us-[\w-]{48}"),
    _shape("sonar_token", "squ_ sqp_ sqa_", r"sq[upa]_[a-f0-9]{40}"),
    _shape("typeform_token", "tfp_", r"tfp_[\w.=-]{40,64}"),
    _shape("clojars_token", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}"),
    _shape("yandex_key", "AQVN", r"AQVN[\w-]{35,38}"),
    _shape("yandex_token", "y0_ y1_ y2_ y3_", r"y[0-3]_[\w-]{50,64}"),
    _shape("yandex_token", "t1.", r"t1\.[\w-]{40,512}={0,2}\.[\w-]{86}={0,2}"),
    _shape("vk_token", "vk1.a.", r"vk1\.a\.[\w-]{60,512}"),
    _shape(
        "zapier_webhook",
        "hooks.zapier.com/",
        r"hooks\.zapier\.com/hooks/catch/\d{4,12}/[A-Za-z0-9]{5,32}",
    ),
    _shape(
        "teams_webhook",
        "webhook.office.com/",
        r"webhook\.office\.com/webhookb2/[\w@-]{30,128}/IncomingWebhook/[\w/-]{30,160}",
    ),
    _shape("age_key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,64}"),
    _shape("jwt", "eyJ", r"(?<![_-])eyJ[\w-]{8,4096}\.eyJ[\w-]{8,8192}\.[\w-]{10,1024}"),
)

_DISCORD_TOKEN = late_pattern(r"(?<![A-Za-z0-9])[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,45}")

_SHORTEST_TOKEN = 15
"""Least length of what a shape matches, which never holds white space."""
_SHORTEST_DISCORD_TOKEN = 59

_HINTS = Literals(dict.fromkeys(hint for shape in _SHAPES for hint in shape.hints))

_KEY_BEGIN = late_pattern(r"-----BEGIN (?P<what>[A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = late_pattern(r"(?:(?:\s|\\n|\\r){0,4}[A-Za-z0-9+/=]{16,128})*")
_KEY_REACH = 20_000
_URL_PASSWORD = late_pattern(r"://[^\s:/@'\"]{0,128}:(?P<value>[^\s:/@'\"]{1,256})@[\w.\[-]")
_BEARER = late_pattern(
    r"(?i:\bbearer|\bssws|\bauthorization['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?:basic|token|apikey))[ ]{1,4}"
    r"(?P<value>(?=[\w.+/=~-]{0,512}\d)[\w.+/=~-]{16,2048})"
)
_COOKIE = late_pattern(
    r"(?i:\b(?:set-)?cookie['\"]?\s{0,4}:)[^\n]{0,160}?[\w.-]{1,64}="
    r"(?P<value>(?=[\w.%+/=~-]{0,512}\d)[\w.%+/=~-]{20,2048})"
)
_VARIABLE = late_pattern(
    # A variable of the environment that ends in KEY; some keys are no secrets.
    r"(?<![A-Za-z0-9_])(?!(?:\w{0,40}_)?(?:PUBLIC|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|HOST|INDEX|MAP)_KEY)"
    r"[A-Z][A-Z0-9_]{1,40}_KEY\s{0,2}[:=]\s{0,2}['\"]?"
    r"(?P<value>(?=[\w+/=-]{0,256}\d)(?=[\w+/=-]{0,256}[A-Za-z])[\w+/=-]{24,512})"
)
_AZURE_KEY = late_pattern(r"(?i:AccountKey|SharedAccessKey)=(?P<value>[A-Za-z0-9+/]{40,90}={0,2})")


def find_secrets(text: str) -> list[Finding]:
    """Return every secret in ``text``; the span covers the secret itself, not its name."""
    # Most texts have no word that is long enough.
    longest = longest_word(text)
    found = _shaped(text) if longest >= _SHORTEST_TOKEN else []
    if longest >= _SHORTEST_DISCORD_TOKEN:
        found += [
            Finding(*match.span(), Family.SECRET, "discord_token")
            for match in _DISCORD_TOKEN.finditer(text)
        ]
    if "PRIVATE KEY" in text:
        found += _private_keys(text)
    if "://" in text:
        found += _valued(_URL_PASSWORD, text, "url_password")
    if "Key=" in text or "key=" in text:
        found += _valued(_AZURE_KEY, text, "azure_key")
    lowered = text.lower()
    if "bearer" in lowered or "authorization" in lowered or "ssws" in lowered:
        found += _valued(_BEARER, text, "bearer_token")
    if "cookie" in lowered:
        found += _valued(_COOKIE, text, "cookie")
    if "_KEY" in text:
        found += _valued(_VARIABLE, text, "stated_secret")
    found += [
        Finding(start, end, Family.SECRET, "stated_secret")
        for start, end in find_stated(text, lowered)
    ]
    return found


def longest_word(text: str) -> int:
    """Return the length of the longest run without white space."""
    return max(map(len, text.split()), default=0)


def _shaped(text: str) -> list[Finding]:
    hints = _HINTS.found_in(text)
    return [
        Finding(match.start(), match.end(), Family.SECRET, shape.kind)
        for shape in (_SHAPES if hints else ())
        if not shape.hints.isdisjoint(hints)
        for match in shape.pattern.finditer(text)
    ]


def _private_keys(text: str) -> list[Finding]:
    found = []
    for begin in _KEY_BEGIN.finditer(text):
        end_mark = f"-----END {begin['what']}PRIVATE KEY"
        closing = text.find(end_mark, begin.end(), begin.end() + _KEY_REACH)
        if closing >= 0:
            dashes = text.find("-----", closing + len(end_mark))
            end = dashes + 5 if dashes >= 0 else closing + len(end_mark)
        else:
            body = _KEY_BODY.match(text, begin.end())
            end = body.end() if body else begin.end()
        found.append(Finding(begin.start(), end, Family.SECRET, "private_key"))
    return found


def _valued(pattern: re.Pattern[str], text: str, kind: str) -> list[Finding]:
    return [
        Finding(match.start("value"), match.end("value"), Family.SECRET, kind)
        for match in pattern.finditer(text)
        if not is_reference(match["value"])
    ]
