import pytest

from okf_edge.retrieval.asked import KINDS, lacking

ANSWERED = (
    ("what is the top speed of Alca", "She makes 14 knots."),
    ("how fast does it turn", "Twelve metres per second at most."),
    ("7号线几点发车", "首班 6:40,末班二十三点。"),
    ("1号线的船票多少钱", "成人票 45 克朗。"),
    ("how much does the season ticket cost", "Children travel with it for nothing."),
    ("C 号冷库的温度", "零下十八度。"),
    ("how long are notes kept", "Until somebody empties the folder."),
    ("how long is Alca", "She is 14 m over all."),
    ("谷子的蛋白质含量", "约百分之十一。"),
    ("HelmOS 5.0 release date", "It came out in March."),
    ("how many racks has she", "The yard put two racks in."),
    ("救生筏用什么颜色", "顶篷是橙色。"),
)
LACKING = (
    ("what is the top speed of Alca", "She carries 96 passengers and 410 kWh.", "speed"),
    ("小卖部的肉桂卷多少钱", "面点下午三点以后半价。", "amount of money"),
    ("C 号冷库的温度", "冷库有 40 个货架。", "temperature"),
    ("how long does it keep deleted notes", "Deleted notes go to the trash.", "duration"),
    ("蒸汽船的吨位", "蒸汽船 1920 年下水。", "weight"),
)


@pytest.mark.parametrize(("question", "text"), ANSWERED)
def test_a_text_that_holds_what_is_asked_for_lacks_nothing(question: str, text: str) -> None:
    assert lacking(question, text) == ""
    assert any(kind.asked.search(question) for kind in KINDS)


@pytest.mark.parametrize(("question", "text", "kind"), LACKING)
def test_a_text_without_what_is_asked_for_lacks_it(question: str, text: str, kind: str) -> None:
    assert lacking(question, text) == kind


def test_the_kind_is_sought_in_either_language() -> None:
    assert lacking("票价是多少", "A ticket is 45 crowns.") == ""
    assert lacking("what is the fare", "成人票 45 克朗。") == ""


@pytest.mark.parametrize(
    "question",
    (
        "laws of heated high speed aircraft",
        "Thigh-length stockings did not help",
        "why are file dates not believed",
        "千年气温重建的别称是什么",
        "日期标题要写成什么格式",
    ),
)
def test_a_noun_that_is_not_what_is_asked_for_is_no_kind(question: str) -> None:
    assert lacking(question, "") == ""


def test_what_may_be_answered_by_any_words_lacks_nothing() -> None:
    assert lacking("who supplies the pumps", "Pumps are red.") == ""
    assert lacking("为什么", "") == ""
