"""What the tests of the service share: one deployment for all, with what two creators published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.e2e.lambda_service import Deployed, Owner, aws_services, deployed, page

HARBOUR = {
    "tides.md": page("Tides", "The harbour floods at spring tide, twice a day. See [locks](locks.md)."),
    "locks.md": page("Locks", "The lock keeper opens the sluice at dawn."),
}
ORCHARD = {"apples.md": page("Apples", "The orchard grows russet apples on the southern slope.")}


@dataclass(frozen=True, slots=True)
class Published:
    """A service with `ada.harbour` and `bob.orchard`, and tokens: for all, for each creator, and to read only."""

    service: Deployed
    ada: Owner
    bob: Owner
    everything: str
    of_ada: str
    of_bob: str
    reading: str
    archives: dict[str, bytes]


@pytest.fixture(scope="session")
def aws_endpoint() -> Iterator[str]:
    pytest.importorskip("moto")
    pytest.importorskip("awslambdaric")
    with aws_services() as url:
        yield url


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory, s3_endpoint: str, aws_endpoint: str) -> Iterator[Published]:
    folder = tmp_path_factory.mktemp("service")
    with deployed(folder, s3_endpoint, aws_endpoint, api=2, search=2, ingest=2) as service:
        ada, bob = service.creator("ada"), service.creator("bob")
        both = ("--scope", "read", "--scope", "publish")
        made = Published(
            service, ada, bob, service.token("all", *both), service.token("ada", *both, "--only", "ada"),
            service.token("bob", *both, "--only", "bob"), service.token("reader", "--scope", "read"),
            {"ada": ada.archive("ada.harbour", "1.0.0", HARBOUR), "bob": bob.archive("bob.orchard", "1.0.0", ORCHARD)},
        )  # fmt: skip
        service.publish(ada, made.archives["ada"], made.of_ada)
        service.publish(bob, made.archives["bob"], made.of_bob)
        yield made
