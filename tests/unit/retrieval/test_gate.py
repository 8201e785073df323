from okf_edge.retrieval.calibration import LEXICAL, MODELS, calibration_of
from okf_edge.retrieval.gate import Reading, confidence, conflicts, judge, reading_of
from okf_edge.retrieval.lexical import Term, Vocabulary
from tests.unit.retrieval.values import a_hit, a_plan, a_ranked, a_vocabulary

VOCABULARY = a_vocabulary(pump=2.0, leak=2.0)
SAME_SCRIPT, OTHER_SCRIPT = Reading(0.0), Reading(1.0)


def test_more_words_more_coverage_and_a_nearer_meaning_never_lower_the_confidence() -> None:
    for gate in (LEXICAL.gate, *(model.gate for model in MODELS.values())):
        weak = a_hit(lexical=0.1, coverage=0.2, cosine=0.3)
        for better in (
            a_hit(lexical=0.4, coverage=0.2, cosine=0.3),
            a_hit(lexical=0.1, coverage=0.9, cosine=0.3),
            a_hit(lexical=0.1, coverage=0.2, cosine=0.9),
        ):
            assert confidence(better, gate, SAME_SCRIPT) >= confidence(weak, gate, SAME_SCRIPT)
            assert 0 <= confidence(weak, gate, OTHER_SCRIPT) <= 1


def test_words_count_for_nothing_where_no_script_is_shared() -> None:
    gate = MODELS["e5-small-cjk"].gate
    worded = a_hit(lexical=0.9, coverage=1, cosine=0.9, meaning=0.4)
    assert confidence(worded, gate, OTHER_SCRIPT) == confidence(a_hit(cosine=0.9, meaning=0.4), gate, OTHER_SCRIPT)
    assert confidence(worded, gate, OTHER_SCRIPT) > confidence(a_hit(cosine=0.9, meaning=0.1), gate, OTHER_SCRIPT)


def test_a_text_without_what_is_asked_for_is_less_likely_to_answer() -> None:
    hit = a_hit(lexical=0.5, coverage=0.9, cosine=0.8)
    for gate in (LEXICAL.gate, *(model.gate for model in MODELS.values())):
        assert confidence(hit, gate, Reading(lacking="speed")) < confidence(hit, gate, SAME_SCRIPT)


def test_a_candidate_that_does_not_name_the_identifier_is_less_likely_to_answer() -> None:
    terms = (
        Term("e-415", "E-415", 0, 3.0, {}),
        Term("415", "E-415", 0, 3.0, {}),
        Term("pump", "pump", 1, 1.0, {0: (1,)}),
    )
    vocabulary, plan = Vocabulary(terms, 7.0), a_plan("pump E-415")
    other = reading_of(a_hit(weights={"pump": 9, "415": 9}), plan, vocabulary, "The pump of boat 415.")
    named = reading_of(a_hit(weights={"pump": 9, "e-415": 9}), plan, vocabulary, "Pump E-415.")
    assert (other.unnamed, named.unnamed) == (1.0, 0.0)
    for model in MODELS.values():
        assert confidence(a_hit(cosine=0.5), model.gate, other) < confidence(a_hit(cosine=0.5), model.gate, named)


def test_a_refusal_says_what_is_asked_for_and_stands_nowhere() -> None:
    ranked = [a_ranked("a.md", 0.2), a_ranked("b.md", 0.1)]
    assert "no speed stands" in judge(ranked, [0.1, 0.1], [Reading(lacking="speed")] * 2, VOCABULARY).reason
    assert "speed" not in judge(ranked, [0.1, 0.1], [Reading(lacking="speed"), Reading()], VOCABULARY).reason


def test_the_cosine_decides_between_a_chinese_question_and_english_text() -> None:
    plan, hit = a_plan("采样策略"), a_hit(cosine=0.9, model="e5-small-cjk")
    assert reading_of(hit, plan, VOCABULARY, "How samples are kept.").foreign == 1.0
    assert reading_of(hit, plan, VOCABULARY, "采样的做法。").foreign == 0.0


def test_words_decide_where_there_is_no_vector_whatever_the_script() -> None:
    assert reading_of(a_hit(), a_plan("采样策略"), VOCABULARY, "How samples are kept.").foreign == 0.0


def test_a_stuffed_page_on_top_can_not_cause_a_refusal() -> None:
    ranked = [a_ranked("stuffed.md", 0.9), a_ranked("answer.md", 0.8)]
    assert judge(ranked, [0.1, 0.9], [Reading()] * 2, VOCABULARY).verdict == "ok"


def test_a_candidate_far_down_can_not_carry_the_verdict() -> None:
    ranked = [a_ranked(f"{n}.md", 0.5) for n in range(20)]
    assert judge(ranked, [0.1] * 19 + [0.99], [Reading()] * 20, VOCABULARY).verdict == "no-confident-match"


def test_a_refusal_says_which_words_nothing_holds() -> None:
    hit = a_hit("a.md", weights={"pump": 9}, coverage=0.5)
    judgement = judge([a_ranked("a.md", 0.2, hit)], [0.1], [Reading()], VOCABULARY)
    assert judgement.verdict == "no-confident-match"
    assert "a.md" in judgement.reason
    assert "leak" in judgement.reason
    assert "pump" not in judgement.reason


def test_nothing_found_is_a_refusal_with_a_reason() -> None:
    assert judge([], [], [], VOCABULARY).verdict == "no-confident-match"
    assert judge([], [], [], VOCABULARY).reason


def test_an_outdated_page_that_speaks_of_the_same_is_named_as_a_conflict() -> None:
    ranked = [
        a_ranked("new.md", 0.5),
        a_ranked("old.md", 0.3, a_hit("old.md", lexical=0.5), deprecated=True, stale=True),
    ]
    reason = judge(ranked, [0.9, 0.8], [Reading()] * 2, VOCABULARY).reason
    assert "old.md" in reason
    assert "deprecated and stale" in reason


def test_an_outdated_page_on_another_matter_is_no_conflict() -> None:
    assert conflicts([a_ranked("new.md", 0.5), a_ranked("old.md", 0.1, deprecated=True)]) == []


def test_an_answer_from_outdated_pages_alone_says_so() -> None:
    assert "stale" in judge([a_ranked("old.md", 0.5, stale=True)], [0.9], [Reading()], VOCABULARY).reason


def test_a_model_that_was_never_measured_is_judged_by_words_alone() -> None:
    assert calibration_of("someone-elses").gate == LEXICAL.gate
