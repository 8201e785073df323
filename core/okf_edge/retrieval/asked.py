"""What kind of thing a question asks for, and whether a text holds anything of that kind.

A question for a price is not answered by a text without any amount of money, however near the text is. Words and
cosines can't tell: such a text names all that the question is about. Questions in English and Chinese are understood;
the kinds are sought in both languages, whatever the question's.

Rules:
1. Only kinds that have a form of their own are told: who and why may be answered by any words.
2. A text that holds the kind need not answer; one that lacks it hardly does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = (
    r"(?:\d[\d.,]*|\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|quarter|several|few)\b"
    r"|[一二三四五六七八九十百千万两半几]+)"
)
_TIME = (
    r"(?:ms|s|min|h|d)\b|seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)"
    r"|秒|分钟?|小时|天|日|夜|周|星期|个月|月|年|世纪"
)
_LENGTH = (
    r"(?:nm|mm|cm|dm|m|km|ft)\b|(?:kilo|centi|milli)?met(?:er|re)s?|miles?|feet|foot|inch(?:es)?|yards?"
    r"|毫米|厘米|分米|公里|千米|海里|米|里|英尺|英寸"
)
_MASS = r"(?:mg|g|kg|t|lb|oz)\b|(?:kilo)?grams?|kilos?|tonnes?|tons?|pounds?|毫克|公斤|千克|克|吨|磅"
_SPEED = (
    r"(?:kn|kt|km/?h|m/s|mph)\b|knots?|(?:kilomet(?:er|re)s?|miles|met(?:er|re)s) (?:per|an|a) (?:hour|second)"
    r"|节|公里每小时|公里/小时|米每秒|米/秒"
)
_TEMPERATURE = r"°|℃|degrees?|度|[KCF]\b"
_MONEY = (
    r"[€$£¥￥]|\b(?:euros?|dollars?|pounds?|crowns?|kronor|yuan|francs?|cents?|eur|usd|sek|gbp|cny|kr)\b"
    r"|\b(?:free|for nothing|no charge|no cost)\b|欧元|美元|克朗|人民币|英镑|[\d百千万]\s*[元块]|免费|不收"
)
_DATE = (
    r"\b(?:1\d|20)\d\d\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|[\d一二三四五六七八九十〇]\s*[年月日]|周[一二三四五六日]|星期"
)
_CLOCK = r"\d{1,2}[:.]\d\d|\b\d{1,2} ?(?:am|pm|o'clock)|[\d一二三四五六七八九十]点|\b(?:noon|midnight)\b|中午|午夜"
_SHARE = r"%|‰|per ?cent|百分之|分之|\b(?:half|third|quarter)\b"
_COLOUR = (
    r"\b(?:red|blue|green|yellow|white|black|orange|gr[ae]y|brown|pink|purple|violet|gold|silver)\b"
    r"|[红蓝绿黄白黑橙灰棕粉紫褐]"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of answer: its name, how it is asked for, and what is of that kind."""

    name: str
    asked: re.Pattern[str]
    given: re.Pattern[str]


def _kind(name: str, asked: str, given: str) -> Kind:
    return Kind(name, re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE))


def _noun(names: str) -> str:
    """A noun where it is what is asked for: the top speed of a boat, but not a high speed boat."""
    after = r"(?=\s+(?:of|at|for|in|on|between|to|from|is|was|does|do|did)\b|\s*\??\s*$)"
    return rf"(?:^|\b(?:what|which)\b)(?:\W*[\w-]+){{0,4}}?\W*\b(?:{names}){after}|\b(?:{names})\s*\??\s*$"


def _han(names: str) -> str:
    """The same in Chinese: the noun stands before what asks for it, after it, or last."""
    return rf"(?:{names})(?:[是为有约达在]{{0,2}}(?:多少|几|多|什么|怎)|\s*[?？]?\s*$)|多少(?:{names})"


def _measured(units: str) -> str:
    """A number with one of these units, as in 3 to 5 days, 39-year-old or two million years."""
    return rf"{_NUMBER}[\s-]*(?:(?:to|[-–~至到])\s*{_NUMBER}[\s-]*)?(?:(?:hundred|thousand|[mb]illion)\s+)?(?:{units})"


KINDS = (
    _kind(
        "amount of money",
        rf"{_noun('(?:price|cost|fare|fee|wage)s?|salary')}|\bhow much\b.*\bcosts?\b|多少钱|几块钱"
        rf"|{_han('票价|价格|售价|单价|造价|费用|工资')}",
        _MONEY,
    ),
    _kind("speed", rf"\bhow fast\b|{_noun('speed|velocity')}|多快|{_han('时速|速度|航速')}", _measured(_SPEED)),
    _kind(
        "temperature",
        rf"\bhow (?:cold|hot|warm)\b|{_noun('temperature')}|几度|多少度|{_han('温度|气温|水温')}",
        _measured(_TEMPERATURE),
    ),
    _kind("weight", rf"\bhow heavy\b|{_noun('weight|tonnage')}|多重|{_han('重量|吨位|体重')}", _measured(_MASS)),
    _kind(
        "length",
        rf"\bhow (?:far|deep|high|tall|wide|thick)\b|{_noun('distance|length|depth|height|width|diameter')}"
        rf"|多[远高深宽厚]|{_han('距离|长度|深度|高度|宽度|直径')}",
        _measured(_LENGTH),
    ),
    _kind(
        "share",
        rf"{_noun('percentage|per ?cent|proportion')}|百分之几|{_han('百分比|含量|比例')}",
        _SHARE,
    ),
    _kind("time of day", rf"\bwhat time\b|{_noun('departure time')}|几点", _CLOCK),
    _kind(
        "date",
        rf"\b(?:which|what) (?:year|date|month|day)\b|{_noun('dates?')}|哪一?年|哪天|几月|何年|{_han('日期')}",
        _DATE,
    ),
    _kind(
        "duration",
        rf"\bhow (?:long|old)\b|多久|多长时间|几年|几天|多大年纪|{_han('年龄')}",
        rf"{_measured(_TIME)}|{_measured(_LENGTH)}|\b(?:1\d|20)\d\d\b|\b(?:age|since|until|as long as)\b|直到|以来",
    ),
    _kind("colour", rf"\b(?:what|which) colou?r\b|{_noun('colou?r')}|什么颜色|{_han('颜色')}", _COLOUR),
    _kind(
        "number",
        r"\bhow (?:many|much|often|big|large)\b|\bnumber of\b|多少|几[个条艘人位次种名台只座间张块项页]|多大",
        rf"{_NUMBER}|\b(?:no|none|every)\b|每|无|没有",
    ),
)
"""The first that is asked for is meant: a distance is also a number."""


def lacking(question: str, text: str) -> str:
    """The name of the kind of thing that the question asks for and the text lacks; empty when it lacks none."""
    kind = next((kind for kind in KINDS if kind.asked.search(question)), None)
    return kind.name if kind and not kind.given.search(text) else ""
