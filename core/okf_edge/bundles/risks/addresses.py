"""Private network addresses, and URLs of places that only some people may see."""

from __future__ import annotations

import re
from collections.abc import Iterator

from okf_edge.bundles.risks.finding import Hit
from okf_edge.bundles.risks.views import View, has_any

_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_PRIVATE_IP = re.compile(
    rf"(?<![\w.-])(?:10\.{_OCTET}\.{_OCTET}\.{_OCTET}|192\.168\.{_OCTET}\.{_OCTET}"
    rf"|172\.(?:1[6-9]|2\d|3[01])\.{_OCTET}\.{_OCTET}|169\.254\.{_OCTET}\.{_OCTET}"
    rf"|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.{_OCTET}\.{_OCTET})(?![\w-]|\.\d)|(?<![\w:])f[cd][0-9a-f]{{2}}:[0-9a-f:]{{4,36}}(?!\w)",
    re.IGNORECASE,
)
_SENSITIVE_HOST = re.compile(
    r"""https?://(?:
        [\w-]+\.atlassian\.net | [\w.-]*jira[\w.-]* | [\w.-]*confluence\.[\w.-]+
      | [\w-]+\.slack\.com/(?:archives|files|team) | docs\.google\.com/(?:document|spreadsheets|presentation|forms)/
      | drive\.google\.com/(?:file|drive|open) | (?:www\.)?notion\.so/ | [\w-]+\.notion\.site/
      | [\w-]+\.sharepoint\.com/
      | 1drv\.ms/ | (?:www\.)?dropbox\.com/(?:s|scl|sh)/ | [\w-]+\.box\.com/s/ | miro\.com/app/
      | (?:www\.)?figma\.com/(?:file|design|board)/ | trello\.com/[bc]/ | app\.asana\.com/ | linear\.app/[\w-]+/issue
      | [\w-]+\.zendesk\.com/agent | [\w-]+\.monday\.com/ | (?:[\w-]+\.)?zoom\.us/j/ | meet\.google\.com/[a-z]{3}-
      | teams\.microsoft\.com/l/ | [\w-]+\.webex\.com/ | [\w-]+\.feishu\.cn/ | [\w-]+\.larksuite\.com/
      | (?:www\.)?yuque\.com/ | shimo\.im/ | docs\.qq\.com/ | alidocs\.dingtalk\.com/
      | (?:[\w-]+\.)+(?:internal|intranet|corp|lan|local|home|private)(?=[/:?\#]|\b(?!\.))
      | (?:intranet|wiki|git|gitlab|jenkins|grafana|vpn)\.(?:corp|int)\.
      | [\w-]+\.s3[.\w-]*\.amazonaws\.com/[^\s)>"]*[?&]X-Amz-Signature
    )[^\s)>"'\]]*
    | \\\\[A-Za-z0-9][\w.-]+\\[\w$.-]+ | (?:smb|afp|nfs|file)://[^\s)>"']+""",
    re.IGNORECASE | re.VERBOSE,
)
_TOKEN_IN_URL = re.compile(
    r"https?://[^\s)>\"']{0,1000}?[?&](?P<name>access_token|auth|api_?key|token|key|sig|signature"
    r"|code|password|invite)=[\w.~%-]{12,}",
    re.I,
)
_HOME = re.compile(r"(?<![\w/])(?:/home/|/Users/|[A-Za-z]:\\Users\\)(?P<user>[\w.-]+)", re.IGNORECASE)
_USERS_OF_NOBODY = frozenset(
    {"user", "you", "me", "name", "username", "example", "shared", "public", "runner", "ubuntu", "yourname"}
)


_FORMS: tuple[tuple[re.Pattern[str], tuple[str, ...], str, str], ...] = (
    (
        _PRIVATE_IP,
        ("10.", "192.168.", "172.", "169.254.", "100.", "fc", "fd"),
        "private address",
        "an address of a private network",
    ),
    (_SENSITIVE_HOST, ("://", "\\\\"), "sensitive url", "a place that only some people may see"),
    (_TOKEN_IN_URL, ("://",), "sensitive url", "a URL that carries a token"),
)


def private_places(view: View) -> Iterator[Hit]:
    """Every private place that one view of a text names."""
    folded = view.text.casefold()
    for pattern, marks, kind, reason in _FORMS:
        for match in pattern.finditer(view.text) if has_any(folded, marks) else ():
            yield Hit(kind, *view.span(*match.span()), match[0], "warning", reason)
    for match in _HOME.finditer(view.text) if has_any(folded, ("/home/", "users")) else ():
        if match["user"].casefold() not in _USERS_OF_NOBODY:
            yield Hit("private path", *view.span(*match.span()), match[0], "warning", "the home folder of a person")
