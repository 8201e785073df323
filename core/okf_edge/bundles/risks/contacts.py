"""E-mail addresses, phone numbers, and numbers by which a person or an account is known.

Source: RFC 5321 and 6531 for addresses; E.164 for phones; ISO 7812 (Luhn) and ISO 13616 (IBAN, modulus 97);
GB 11643 (Chinese identity number, modulus 11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from okf_edge.bundles.risks.finding import Hit, Severity
from okf_edge.bundles.risks.samples import sample_domain
from okf_edge.bundles.risks.views import View, has_any

_AT = re.compile(
    r"@|[ \t]{0,2}(?:\[at\]|\(at\)|\{at\}|<at>|\[@\]|\(@\)|_at_|\[arroba\]|\(arroba\)|\[ät\]|\(a\))[ \t]{0,2}"
    r"|(?<=[\w])[ \t]+(?:at|AT)[ \t]+(?=[\w-]{2,40}[ \t]{0,2}(?:\[dot\]|\(dot\)|\{dot\}"
    r"|[ \t](?:dot|DOT)[ \t]))",
    re.IGNORECASE,
)
_AT_MARKS = ("@", "[at]", "(at)", "{at}", "<at>", "_at_", "arroba", "[ät]", "(a)", "dot")
_DOT = r"(?:\.|[ \t]{0,2}(?:\[dot\]|\(dot\)|\{dot\}|\[\.\]|\(\.\)|_dot_)[ \t]{0,2}|[ \t]dot[ \t])"
_WRAP = r"(?:\r?\n[ \t>|]{0,8})?"
_LOCAL = re.compile(rf"(?:[\w!#$%&'*+/=?^{{}}~-]|\.(?!\.)|{_DOT}(?=\w)){{1,64}}\Z", re.IGNORECASE)
_DOMAIN = re.compile(
    rf"{_WRAP}(?P<domain>[^\W_](?:[\w-]{{0,61}}[^\W_])?(?:-{_WRAP}[^\W_][\w-]{{0,40}})?"
    rf"(?:{_WRAP}{_DOT}[^\W_](?:[\w-]{{0,61}}[^\W_])?)*{_WRAP}{_DOT}(?P<top>xn--[\w-]{{2,59}}"
    rf"|[^\W\d_]{{2,24}}))(?![\w-])",
    re.IGNORECASE,
)
_NO_TOP = frozenset({"png", "jpg", "jpeg", "gif", "webp", "svg", "service", "socket", "timer", "css", "js", "json"})
_ROLES = re.compile(
    r"(?:info|hello|contact|support|help|helpdesk|sales|press|media|office|team|admin"
    r"|webmaster|postmaster|hostmaster"
    r"|abuse|security|privacy|legal|billing|jobs|careers|news|newsletter|feedback|service"
    r"|enquiries|inquiries|mail"
    r"|no-?reply|do-?not-?reply|noreply|root|git|hg|svn|bot|notifications?|(?:\w+-)?conduct)(?:[+.-].*)?",
    re.IGNORECASE,
)
_NAMES_OF_NOBODY = re.compile(
    r"(?:user(?:name)?|you|your[._-]?(?:name|email)|name|email|someone|somebody|foo|bar|me)\d?", re.I
)

_INTERNATIONAL = re.compile(
    r"(?<![\w+.])(?:\+|00)[1-9]\d{0,2}[ \u00a0./-]?(?:\(?\d{1,5}\)?[ \u00a0./-]{0,2}){2,6}(?<=\d)(?![\w])"
)
_LABELLED = re.compile(
    r"(?:\b(?:tel(?:ephone|efon|éfono|éphone)?|phone|mobile?|cell|handy|fax|whatsapp|call"
    r"|ring|sms)\b|电话|手机|手機|電話|联系方式|携帯|전화|☎|📞|📱)"
    r"(?:\s*(?:no|nr|number|号码|番号)\b\.?)?[^\w\n+(]{0,6}(\(?\d(?:[\d ()./\u00a0-]{5,20})\d)(?!\w)",
    re.IGNORECASE,
)
_NATIONAL = re.compile(
    r"(?<![\w.+-])(?:\([2-9]\d{2}\) ?[2-9]\d{2}-\d{4}|[2-9]\d{2}-[2-9]\d{2}-\d{4}|1[3-9]\d[ -]?\d{4}[ -]?\d{4}"
    r"|0\d{1,4}-\d{1,4}-\d{4}|0[1-9](?:[ .]\d{2}){4}|0\d{2,4} \d{3,4} \d{3,4})(?![\w-]|\.\d)"
)
_NUMBER = re.compile(r"\d[\d ()./\u00a0-]{5,}\d")
"""What every phone, card and identity number has: seven characters of digits and what stands between them."""
_CARD = re.compile(r"(?<![\w.-])(?:3[47]\d{2}|[2456]\d{3})(?:[ -]?\d){9,15}(?![\w-]|\.\d)")
_TEST_CARDS = ("4111111111111111", "4242424242424242", "5555555555554444", "378282246310005", "4012888888881881")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_IBAN_START = re.compile(r"[A-Z]{2}\d\d")
_CHINESE_ID = re.compile(r"(?<!\w)[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?!\w)")
_US_SSN = re.compile(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")


def contacts(view: View) -> Iterator[Hit]:
    """Every address and number that one view of a text shows. Joining lines would make numbers that nobody wrote."""
    if view.name == "split":
        return
    if has_any(view.text.casefold(), _AT_MARKS):
        yield from addresses(view)
    if _NUMBER.search(view.text):
        yield from _phones(view)
        yield from _cards_and_identities(view)
    if _IBAN_START.search(view.text):
        yield from _bank_accounts(view)


def addresses(view: View) -> Iterator[Hit]:
    """E-mail addresses. Looked for around each `@`, so that a long line without one costs nothing."""
    text = view.text
    for at in _AT.finditer(text):
        local = _LOCAL.search(text, max(0, at.start() - 64), at.start())
        domain = _DOMAIN.match(text, at.end(), at.end() + 255)
        if not local or not domain or domain["top"].lower() in _NO_TOP:
            continue
        name = local[0].lstrip(".!#$%&'*+/=?^{}~-")
        if not name or (at[0].strip() != "@" and not re.search(r"\w", name)):
            continue
        start, end = view.span(at.start() - len(name), domain.end())
        host = re.sub(rf"(?i){_DOT}", ".", re.sub(r"\s*\n[\s>|]*", "", domain["domain"]))
        severity, reason = _judge_address(name, host)
        yield Hit("e-mail", start, end, f"{name}@{host}", severity, reason)


def _judge_address(name: str, host: str) -> tuple[Severity, str]:
    if reason := sample_domain(host):
        return "info", reason
    if _NAMES_OF_NOBODY.fullmatch(name):
        return "info", "a placeholder name"
    if _ROLES.fullmatch(name):
        return "warning", "an address of a role, not of a person"
    return "blocking", "an e-mail address of a person"


_PHONE_FORMS: tuple[tuple[re.Pattern[str], int, Severity, str], ...] = (
    (_INTERNATIONAL, 0, "blocking", "a phone number with country code"),
    (_LABELLED, 1, "blocking", "a number called a phone number"),
    (_NATIONAL, 0, "warning", "a number in the form of a phone number"),
)


def _phones(view: View) -> Iterator[Hit]:
    taken: list[tuple[int, int]] = []
    for pattern, group, severity, reason in _PHONE_FORMS:
        for match in pattern.finditer(view.text):
            span, digits = match.span(group), re.sub(r"\D", "", match[group])
            if 7 <= len(digits) <= 15 and not any(start < span[1] and span[0] < end for start, end in taken):
                taken.append(span)
                yield _number(view, span, digits, "phone", severity, reason)


def _number(view: View, span: tuple[int, int], digits: str, kind: str, severity: Severity, reason: str) -> Hit:
    start, end = view.span(*span)
    if re.fullmatch(r"1?\d{3}55501\d{2}", digits) or "123456" in digits or len(set(digits)) <= 2:
        return Hit(kind, start, end, digits, "info", "a number that is reserved for fiction, or made up")
    return Hit(kind, start, end, digits, severity, reason)


def _bank_accounts(view: View) -> Iterator[Hit]:
    for match in _IBAN.finditer(view.text):
        if _mod97(match[0].replace(" ", "")):
            yield Hit("bank account", *view.span(*match.span()), match[0], "blocking", "an IBAN whose digits check")


def _cards_and_identities(view: View) -> Iterator[Hit]:
    for match in _CARD.finditer(view.text):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) <= 16 and _luhn(digits):
            if digits in _TEST_CARDS:
                yield Hit("payment card", *view.span(*match.span()), digits, "info", "a documented test number")
            else:
                yield _number(
                    view, match.span(), digits, "payment card", "blocking", "a card number whose digits check"
                )
    for match in _CHINESE_ID.finditer(view.text):
        if _mod11(match[0]):
            yield Hit("identity number", *view.span(*match.span()), match[0], "blocking", "a Chinese identity number")
    for match in _US_SSN.finditer(view.text):
        yield Hit(
            "identity number",
            *view.span(*match.span()),
            match[0],
            "blocking",
            "the form of a US social security number",
        )


def _luhn(digits: str) -> bool:
    doubled = [int(digit) * (1 + number % 2) for number, digit in enumerate(reversed(digits))]
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0 and len(set(digits)) > 2


def _mod97(iban: str) -> bool:
    return 15 <= len(iban) <= 34 and int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1


def _mod11(number: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(weight * int(digit) for weight, digit in zip(weights, takewhile(str.isdigit, number), strict=False))
    return "10X98765432"[total % 11] == number[-1].upper()
