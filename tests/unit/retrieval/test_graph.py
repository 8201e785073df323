from okf_edge.retrieval.graph import Edge, credits_of, neighbours
from tests.unit.retrieval.values import a_hit


def lent(*edges: Edge, **relevance: float) -> dict[str, tuple[float, str]]:
    concepts = {f"{name}.md": a_hit(f"{name}.md", lexical=value) for name, value in relevance.items()}
    best = sorted(concepts.values(), key=lambda hit: -hit.relevance)
    return credits_of(best[:1], edges, concepts)


def test_a_link_lends_in_both_directions() -> None:
    credits = lent(Edge("seed.md", "out.md", False), Edge("in.md", "seed.md", False), seed=0.8, out=0.3, **{"in": 0.3})
    assert credits["out.md"][0] == credits["in.md"][0] > 0
    assert credits["out.md"][1] == "seed.md"


def test_a_page_that_cites_the_match_earns_more_than_one_that_links_to_it() -> None:
    credits = lent(Edge("page.md", "seed.md", True), Edge("other.md", "seed.md", False), seed=0.8, page=0.5, other=0.5)
    assert credits["page.md"][0] > credits["other.md"][0]


def test_a_cited_source_earns_no_more_than_a_linked_page() -> None:
    assert neighbours("page.md", [Edge("page.md", "source.md", True)]) == neighbours(
        "page.md", [Edge("page.md", "source.md", False)]
    )


def test_credit_is_never_more_than_the_evidence_of_its_own() -> None:
    credits = lent(Edge("seed.md", "weak.md", False), seed=0.9, weak=0.01)
    assert credits["weak.md"][0] == 0.01


def test_a_page_without_evidence_earns_nothing() -> None:
    assert lent(Edge("seed.md", "none.md", False), seed=0.9) == {}


def test_a_hub_lends_each_neighbour_less() -> None:
    few = lent(Edge("seed.md", "a.md", False), seed=0.8, a=0.5)
    many = lent(*(Edge("seed.md", f"{name}.md", False) for name in "abcdefghi"), seed=0.8, a=0.5)
    assert many["a.md"][0] < few["a.md"][0]


def test_a_page_lends_nothing_to_itself() -> None:
    assert lent(Edge("seed.md", "seed.md", False), seed=0.8) == {}
