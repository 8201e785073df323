"""What only looks like a secret: documented sample keys, placeholders, reserved names and numbers."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

_DOCUMENTED = {
    "AKIAIOSFODNN7EXAMPLE": "the sample key of the AWS documentation",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "the sample secret of the AWS documentation",
    "AKIAI44QH8DHBEXAMPLE": "a sample key of the AWS documentation",
    "ASIAIOSFODNN7EXAMPLE": "a sample key of the AWS documentation",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6Ikpva": "the sample token of jwt.io",
    "sk_test_4eC39HqLyjWDarjtT1zdp7dc": "the sample key of the Stripe documentation",
}
_PLACEHOLDER = re.compile(
    r"""example|sample|dummy|placeholder|changeme|change[-_]me|redacted|your[-_. ]?|my[-_]?(?:secret|token|key|password)
      | insert[-_]|replace[-_]?(?:me|with)|xxx|\*{3}|\.{3}|…|<[^<>]+>|\$\{|\{\{|%\(|\$\(|(?-i:\$[A-Z][A-Z_]{2,})
      | \bfake | \btodo\b | foobar|deadbeef|0123456|123456789|abcdef|abc123|qwerty|lorem | 示例|你的|您的|替换|占位
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WORD = re.compile(
    r"pass(?:word|wd|phrase)?|pwd|secret|token|key|user(?:name)?|admin|root|postgres|mysql|guest|test|hunter2|pw|p",
    re.IGNORECASE,
)
_RESERVED_DOMAIN = re.compile(
    r"(?:.*\.)?(?:example(?:\.(?:com|org|net|edu|co\.\w\w))?|test|invalid|localhost|localdomain)", re.IGNORECASE
)
_SAMPLE_DOMAIN = re.compile(
    r"(?:your|my|some|the)?-?(?:domain|company|host|email|mail|site|server|org|provider)\.(?:com|org|net|tld|xyz|io)",
    re.IGNORECASE,
)


def sample_secret(value: str, context: str = "") -> str:
    """Why a value is no secret, in words; empty when it may be one."""
    for known, reason in _DOCUMENTED.items():
        if value.startswith(known) or known.startswith(value):
            return reason
    if _PLACEHOLDER.search(value) or _WORD.fullmatch(value):
        return "a placeholder"
    if re.search(r"\b(?:example|sample|dummy|fake|示例)\b", context, re.IGNORECASE) and looks_made_up(value):
        return "marked as an example, and made up"
    return "a made-up value" if looks_made_up(value) else ""


def sample_domain(domain: str) -> str:
    """Why a domain belongs to nobody, in words; empty when it may belong to somebody."""
    if _RESERVED_DOMAIN.fullmatch(domain):
        return "a domain that is reserved for documentation (RFC 2606)"
    return "a placeholder domain" if _SAMPLE_DOMAIN.fullmatch(domain) else ""


def looks_made_up(value: str) -> bool:
    """Whether a value is a repeated letter or a run along the keyboard, as nobody's key is."""
    letters = re.sub(r"[^A-Za-z0-9]", "", value)[-24:]
    return len(letters) >= 6 and (len(set(letters.lower())) <= 3 or _runs(letters) >= 0.6)


def entropy_bits(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values()) if value else 0.0


def _runs(letters: str) -> float:
    """The share of neighbours that follow each other, as in `abcd` or `1234`."""
    steps = [ord(right) - ord(left) for left, right in pairwise(letters)]
    return sum(step in (0, 1, -1) for step in steps) / len(steps)
