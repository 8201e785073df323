"""Keys, tokens and passwords: a table of what providers document, and assignments to names that mean a secret.

Each rule names its provider and the form that it documents. Values are looked for as they read, unescaped, joined over
lines, and inside Base64. Our own table rather than a scanner package: those need a network client or a compiler, and
this must run in a browser too.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from okf_edge.bundles.risks.finding import Hit, Severity
from okf_edge.bundles.risks.samples import entropy_bits, sample_secret
from okf_edge.bundles.risks.views import View, has_any, lowered

_W = r"(?<![A-Za-z0-9_])"
_END = r"(?![A-Za-z0-9])"

# provider, a text that every one of its tokens has, pattern.
# Source: each provider's documentation of its token formats, and the secret-scanning lists that they keep with hosts.
_PROVIDERS: tuple[tuple[str, str, str], ...] = (
    ("AWS access key", "AKIA ASIA ABIA ACCA", rf"{_W}(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}{_END}"),
    (
        "AWS Bedrock key",
        "ABSK bedrock-api-key-",
        rf"{_W}(?:ABSK[A-Za-z0-9+/]{{100,}}=*|bedrock-api-key-[A-Za-z0-9+/=]{{20,}})",
    ),
    (
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{_W}(?:gh[pousr]_[A-Za-z0-9]{{36,251}}|github_pat_[A-Za-z0-9]{{22}}_[A-Za-z0-9]{{59}}){_END}",
    ),
    (
        "GitLab token",
        "glpat- gldt- glrt- glft- glsoat- glimt- glagent- glcbt- glptt- gloas- glffct-",
        rf"{_W}(?:glpat|gldt|glrt|glft|glsoat|glimt|glagent|glcbt|glptt|gloas|glffct)-[\w.-]{{20,}}",
    ),
    (
        "Slack token",
        "xox xapp-",
        rf"{_W}xox(?:[abposre]|e\.xox[bp])-[A-Za-z0-9-]{{10,}}|{_W}xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{{20,}}",
    ),
    ("Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{20,}"),
    ("Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{17,20}/[\w-]{60,}"),
    (
        "Discord bot token",
        "MD MT Mj Mz ND NT Nj Nz OD OT",
        rf"{_W}[MNO][DTjz][A-Za-z\d]{{22,26}}\.[\w-]{{6}}\.[\w-]{{27,}}",
    ),
    ("Teams webhook", "webhook.office.com", r"[\w-]+\.webhook\.office\.com/webhookb2/[\w@-]{36,}"),
    ("Stripe key", "sk_ rk_ whsec_", rf"{_W}(?:[sr]k|whsec)_(?:live_|prod_)?[A-Za-z0-9]{{24,}}{_END}"),
    ("Stripe test key", "_test_", rf"{_W}[sr]k_test_[A-Za-z0-9]{{16,}}{_END}"),
    ("Google API key", "AIza", rf"{_W}AIza[\w-]{{35}}(?![\w-])"),
    ("Google OAuth secret", "GOCSPX-", rf"{_W}GOCSPX-[\w-]{{28}}"),
    ("Google OAuth token", "ya29. 1//0", rf"{_W}ya29\.[\w-]{{30,}}|{_W}1//0[\w-]{{40,}}"),
    ("Anthropic key", "sk-ant-", rf"{_W}sk-ant-[\w-]{{20,}}"),
    ("OpenRouter key", "sk-or-v1-", rf"{_W}sk-or-v1-[a-f0-9]{{64}}"),
    ("OpenAI key", "sk-", rf"{_W}sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{{20,}}"),
    ("Groq key", "gsk_", rf"{_W}gsk_[A-Za-z0-9]{{40,}}"),
    ("xAI key", "xai-", rf"{_W}xai-[A-Za-z0-9]{{60,}}"),
    ("Perplexity key", "pplx-", rf"{_W}pplx-[A-Za-z0-9]{{40,}}"),
    ("Replicate token", "r8_", rf"{_W}r8_[A-Za-z0-9]{{37,}}"),
    ("Hugging Face token", "hf_ api_org_", rf"{_W}(?:hf_|api_org_)[A-Za-z0-9]{{30,}}"),
    ("npm token", "npm_", rf"{_W}npm_[A-Za-z0-9]{{36}}{_END}"),
    ("PyPI token", "pypi-AgE", rf"{_W}pypi-AgE[\w-]{{50,}}"),
    ("RubyGems token", "rubygems_", rf"{_W}rubygems_[a-f0-9]{{48}}"),
    ("crates.io token", "cio", rf"{_W}cio[A-Za-z0-9]{{32}}{_END}"),
    ("Docker token", "dckr_", rf"{_W}dckr_(?:pat|oat)_[\w-]{{27,}}"),
    ("Twilio key", "SK AC", rf"{_W}(?:SK|AC)[a-f0-9]{{32}}{_END}"),
    ("SendGrid key", "SG.", rf"{_W}SG\.[\w-]{{16,32}}\.[\w-]{{16,64}}"),
    ("Mailgun key", "key-", rf"{_W}key-[a-f0-9]{{32}}{_END}"),
    ("Mailchimp key", "-us", rf"{_W}[a-f0-9]{{32}}-us\d{{1,2}}{_END}"),
    (
        "Postmark, Brevo or Resend key",
        "xkeysib- re_",
        rf"{_W}(?:xkeysib-[a-f0-9]{{64}}-\w{{16}}|re_[A-Za-z0-9]{{8}}_[A-Za-z0-9]{{20,}})",
    ),
    ("Telegram bot token", ":AA", rf"{_W}\d{{8,10}}:AA[\w-]{{33}}(?![\w-])"),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", rf"{_W}do[por]_v1_[a-f0-9]{{64}}"),
    ("Doppler token", "dp.", rf"{_W}dp\.(?:pt|st|ct|scim|audit)\.[A-Za-z0-9._-]{{40,}}"),
    ("Databricks token", "dapi", rf"{_W}dapi[a-f0-9]{{32}}"),
    (
        "Azure storage key",
        "AccountKey= SharedAccessKey=",
        r"AccountKey=[A-Za-z0-9+/]{86}==|SharedAccessKey=[A-Za-z0-9+/]{43}=",
    ),
    ("Azure client secret", "Q~", rf"{_W}[\w.~-]{{3}}\dQ~[\w.~-]{{31,34}}"),
    ("Azure shared access signature", "sig=", r"[?&]sig=[A-Za-z0-9%+/]{40,}"),
    ("Azure DevOps token", "AZDO", rf"{_W}[A-Za-z0-9]{{76}}AZDO[A-Za-z0-9]{{4}}"),
    ("Shopify token", "shp", rf"{_W}shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}"),
    ("Square token", "sq0 EAAA", rf"{_W}(?:sq0[a-z]{{3}}-[\w-]{{22,43}}|EAAA[\w-]{{60}})"),
    ("PayPal token", "access_token$production$", rf"{_W}access_token\$production\$[a-z0-9]{{16}}\$[a-f0-9]{{32}}"),
    ("Linear key", "lin_", rf"{_W}lin_(?:api|oauth)_[A-Za-z0-9]{{40,}}"),
    ("Notion token", "secret_ ntn_", rf"{_W}(?:secret_[A-Za-z0-9]{{43}}|ntn_[A-Za-z0-9]{{40,}})"),
    ("Figma token", "figd_ figo_ figu_ figr_", rf"{_W}fig[dour]_[\w-]{{40,}}"),
    ("Airtable token", "pat", rf"{_W}pat[A-Za-z0-9]{{14}}\.[a-f0-9]{{64}}"),
    (
        "Atlassian token",
        "ATATT3 ATCTT3 ATBB",
        rf"{_W}ATATT3[\w=-]{{100,}}|{_W}ATCTT3[\w=-]{{60,}}|{_W}ATBB[A-Za-z0-9]{{24,}}",
    ),
    ("Dropbox token", "sl.", rf"{_W}sl\.[\w-]{{100,}}"),
    ("Facebook token", "EAA", rf"{_W}EAA[A-Za-z0-9]{{80,}}"),
    ("X bearer token", "AAAAAAAAAAAAAAAAAAAA", rf"{_W}A{{20,}}[A-Za-z0-9%]{{30,}}"),
    ("Grafana token", "glsa_ glc_", rf"{_W}(?:glsa_[A-Za-z0-9]{{32}}_[a-f0-9]{{8}}|glc_[A-Za-z0-9+/=]{{32,}})"),
    (
        "HashiCorp token",
        "hvs. hvb. hvr. .atlasv1.",
        rf"{_W}hv[sbr]\.[\w-]{{24,}}|{_W}[A-Za-z0-9]{{14}}\.atlasv1\.[\w-]{{60,}}",
    ),
    ("PlanetScale token", "pscale_", rf"{_W}pscale_(?:tkn|pw|oauth)_[\w.=-]{{32,}}"),
    ("Postman key", "PMAK-", rf"{_W}PMAK-[a-f0-9]{{24}}-[a-f0-9]{{34}}"),
    ("Sentry token", "sntry", rf"{_W}sntry[su]_[A-Za-z0-9+/=_]{{40,}}"),
    ("New Relic key", "NRAK- NRII- NRJS- NRAA-", rf"{_W}NR(?:AK|II|JS|AA)-[A-Za-z0-9_-]{{20,}}"),
    (
        "Supabase or Vercel token",
        "sbp_ sb_secret_ vcp_ vck_ vca_ vci_ vcr_ vcs_",
        rf"{_W}(?:sbp_[a-f0-9]{{40}}|sb_secret_[\w-]{{20,}}|vc[pkairs]_[A-Za-z0-9]{{24,}})",
    ),
    (
        "Cloudflare token",
        "v1.0- cfut_ cfat_ cfk_",
        rf"{_W}(?:v1\.0-[a-f0-9]{{24}}-[a-f0-9]{{146}}|cf(?:ut|at|k)_[A-Za-z0-9]{{40,}})",
    ),
    ("Fly.io token", "fo1_ FlyV1", rf"{_W}(?:fo1_[\w-]{{43}}|FlyV1 fm\d[rab]?_[A-Za-z0-9+/=,_-]{{50,}})"),
    ("Heroku key", "HRKU-", rf"{_W}HRKU-[A-Za-z0-9_-]{{36,}}"),
    ("Alibaba Cloud key", "LTAI", rf"{_W}LTAI[A-Za-z0-9]{{12,26}}{_END}"),
    ("Tencent Cloud key", "AKID", rf"{_W}AKID[A-Za-z0-9]{{28,36}}{_END}"),
    ("Yandex Cloud key", "AQVN t1.", rf"{_W}(?:AQVN[\w-]{{35,38}}|t1\.[A-Z0-9a-z_-]+=*\.[A-Z0-9a-z_-]{{86}}=*)"),
    (
        "1Password secret",
        "ops_eyJ A3-",
        rf"{_W}(?:ops_eyJ[\w=+/-]{{100,}}|A3-[A-Z0-9]{{6}}-(?:[A-Z0-9]{{11}}|[A-Z0-9]{{6}}-[A-Z0-9]{{5}})(?:-[A-Z0-9]{{5}}){{3}})",
    ),
    ("age secret key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("JSON web token", "eyJ", rf"{_W}eyJ[\w-]{{10,}}\.eyJ[\w-]{{10,}}\.[\w-]{{10,}}"),
)


_TABLE = tuple((name, tuple(marks.split()), re.compile(pattern)) for name, marks, pattern in _PROVIDERS)
# Most texts have no mark of most providers: one look for all marks is far cheaper than sixty patterns.
_MARKS = tuple(sorted({mark for _, marks, _ in _TABLE for mark in marks if len(mark) > 1}))
_KEY_MARKS = ("PRIVATE", "PuTTY", "PrivateKey")
_HEADER_MARKS = ("authorization", "bearer")
_NAMED_MARKS = (
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "connection",
    "kennwort",
    "contrase",
    "senha",
    "пароль",
    "密",
    "口令",
    "パスワード",
    "비밀번호",
    "mot de",
)

_PRIVATE_KEY = re.compile(
    r"-----BEGIN[ ](?:[A-Z0-9]+[ ]){0,4}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----|PuTTY-User-Key-File-\d:"
    r"|BEGIN SSH2 ENCRYPTED PRIVATE"
    r"|(?m:^\s*PrivateKey\s*=\s*[A-Za-z0-9+/]{43}=)"
)
_URL_LOGIN = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://(?P<user>[^\s/:@\"'<>`]{0,80}):(?P<value>[^\s/@\"'<>`]{3,120})@[\w.-]+", re.I
)
_HEADER = re.compile(
    r"(?:authorization\s*[:=]\s*[\"']?(?:bearer|basic|token)|\bbearer)\s+(?P<value>[A-Za-z0-9._~+/=-]{16,})",
    re.IGNORECASE,
)
NAME = (
    r"pass(?:word|wd|phrase|code)?|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret"
    r"|(?:access|auth|api|refresh|bot)?"
    r"[_-]?token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|encryption[_-]?key"
    r"|signing[_-]?key|credentials?"
    r"|connection[_-]?string|passwort|kennwort|contrase(?:ñ|n)a|mot[ ]de[ ]passe|senha"
    r"|пароль|密码|密碼|口令|密钥|パスワード|비밀번호"
)
_NAMED = (
    "pass", "pwd", "secret", "token", "key", "credential", "connection", "kennwort", "contrase", "mot de", "senha",
    "пароль", "密", "口令", "パスワード", "비밀번호",
)  # fmt: skip
_ASSIGNED = re.compile(
    rf"(?P<name>(?<![A-Za-z])(?:[A-Za-z0-9]{{1,30}}[_.-]){{0,4}}(?:{NAME}))[\"'`*|]{{0,4}}\s{{0,3}}"
    r"(?::=|=>|[:=|]|\bis\b|为|是)\s{0,3}[\"'`*]{0,3}(?P<value>[^\s\"'`|,;<>]{6,200})",
    re.IGNORECASE,
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4000}={0,2}(?![A-Za-z0-9+/_=-])")
_HEX = re.compile(r"(?<![A-Za-z0-9])(?:[0-9a-fA-F]{2}){20,400}(?![A-Za-z0-9])")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_NO_LITERAL = re.compile(
    r"[a-z_]+[.(\[]|.*[(){}\[\]]|https?://|\.{0,2}/|[A-Za-z_]+\.[A-Za-z_.]+$|\$|@|#|%[A-Z_]+%"
    r"|[a-z]+(?:[-_ ][a-z]+)+$|[A-Z_]+$",
)


def credentials(view: View) -> Iterator[Hit]:
    """Every credential that one view of a text shows."""
    text = view.text
    yield from _keys(view)
    yield from _named_providers(view)
    folded = text.casefold()
    if "://" in text and "@" in text:
        yield from _values(view, _URL_LOGIN, "a login in a URL")
    if has_any(folded, _HEADER_MARKS):
        yield from _values(view, _HEADER, "an authorization header")
    if has_any(folded, _NAMED_MARKS):
        yield from _assignments(view)
    yield from _encoded(view)


def known_tokens(view: View) -> Iterator[Hit]:
    """Private keys, and tokens whose form their provider fixed: what is no accident wherever it stands."""
    yield from _keys(view)
    yield from _named_providers(view)


def _values(view: View, pattern: re.Pattern[str], kind: str) -> Iterator[Hit]:
    for match in pattern.finditer(view.text):
        yield secret_hit(view, match.span("value"), match["value"], kind, _line_around(view.text, match.start()))


def _keys(view: View) -> Iterator[Hit]:
    for match in _PRIVATE_KEY.finditer(view.text) if has_any(view.text, _KEY_MARKS) else ():
        body = view.text[match.end() : match.end() + 200]
        sample = sample_secret(body[:80]) if not re.search(r"[A-Za-z0-9+/]{32}", body) else ""
        is_empty = match[0].startswith("-----") and not re.search(r"[A-Za-z0-9+/]{16}", body)
        reason = sample or ("a header without a key" if is_empty else "")
        start, end = view.span(*match.span())
        severity: Severity = "info" if reason else "blocking"
        yield Hit("private key", start, end, match[0], severity, reason or "the beginning of a private key")


def _named_providers(view: View) -> Iterator[Hit]:
    for name, match in _provider_matches(view.text):
        yield secret_hit(view, match.span(), match[0], f"a {name}", _line_around(view.text, match.start()))
        if name == "AWS access key":
            yield from _aws_secrets(view, match.end())


def _provider_matches(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    if has_any(text, _MARKS):
        for name, marks, pattern in _TABLE:
            if any(mark in text for mark in marks):
                for match in pattern.finditer(text):
                    yield name, match


def _aws_secrets(view: View, after: int) -> Iterator[Hit]:
    """The secret half has no prefix; within 200 characters of an access key a value of its form is one."""
    for match in _AWS_SECRET.finditer(view.text, after, after + 200):
        if entropy_bits(match[0]) > 3.5:
            yield secret_hit(view, match.span(), match[0], "an AWS secret key", "")


def _assignments(view: View) -> Iterator[Hit]:
    for start, end in _lines_with_names(view.text):
        for match in _ASSIGNED.finditer(view.text, start, end):
            value = match["value"].rstrip(".,:;!?")
            if is_secret_like(value, match["name"]):
                at = match.start("value")
                yield secret_hit(view, (at, at + len(value)), value, f"a value of {match['name'].lower()}", "")


def _lines_with_names(text: str) -> Iterator[tuple[int, int]]:
    """Lines that name a secret, with the next one, on which the value may stand."""
    folded = lowered(text)
    for start in sorted({start for mark in _NAMED for start in _lines_with(mark, folded)}):
        end = text.find("\n", start)
        following = text.find("\n", end + 1) if end != -1 else -1
        yield start, len(text) if following == -1 else following


def _lines_with(mark: str, text: str) -> Iterator[int]:
    """Where the lines begin that have a mark."""
    at = text.find(mark)
    while at != -1:
        yield text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        at = text.find(mark, end) if end != -1 else -1


def is_secret_like(value: str, name: str) -> bool:
    """A literal that no prose or code would have there: letters mixed with digits or signs, and no expression."""
    if len(value) < 6 or _NO_LITERAL.match(value):
        return False
    kinds = sum(bool(re.search(kind, value)) for kind in (r"[a-z]", r"[A-Z]", r"[0-9]", r"[^A-Za-z0-9]"))
    is_password = re.search(r"pass|pwd|kennwort|contrase|senha|парол|密|口令|パス|비밀", name, re.IGNORECASE)
    if is_password:
        return kinds >= 2 and bool(re.search(r"[0-9]|[^\w]", value))
    return len(value) >= 16 and kinds >= 2 and bool(re.search(r"[0-9]", value)) and entropy_bits(value) >= 3.0


def _encoded(view: View) -> Iterator[Hit]:
    """Credentials inside Base64 or hexadecimal text, one level deep."""
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, _from_hex)):
        for match in pattern.finditer(view.text):
            inside = decode(match[0])
            if inside and _shows_credential(inside):
                yield secret_hit(view, match.span(), match[0], "an encoded credential", "", sample_of=inside)


def _shows_credential(text: str) -> bool:
    known = any(True for _ in _provider_matches(text))
    return known or bool(_PRIVATE_KEY.search(text) or _URL_LOGIN.search(text))


def _from_base64(text: str) -> str:
    try:
        data = base64.b64decode(
            text.replace("-", "+").replace("_", "/").rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
        )
    except (binascii.Error, ValueError):
        return ""
    return _printable(data)


def _from_hex(text: str) -> str:
    return _printable(bytes.fromhex(text))


def _printable(data: bytes) -> str:
    return (
        data.decode("ascii")
        if data and data.isascii() and all(byte >= 32 or byte in b"\t\r\n" for byte in data)
        else ""
    )


def secret_hit(view: View, span: tuple[int, int], value: str, what: str, context: str, sample_of: str = "") -> Hit:
    """A credential in a view; information, with the reason, where it is a documented sample or made up."""
    start, end = view.span(*span)
    sample = sample_secret(sample_of or value, context)
    how = f", {view.name}" if view.name else ""
    severity: Severity = "info" if sample else "warning" if "test key" in what else "blocking"
    return Hit("credential", start, end, value, severity, f"{what}{how}" + (f": {sample}" if sample else ""))


def _line_around(text: str, offset: int) -> str:
    return text[text.rfind("\n", 0, offset) + 1 : max(text.find("\n", offset), offset)]
