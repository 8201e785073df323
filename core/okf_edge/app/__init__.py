"""The use cases of okf-edge, each a short method; every shell calls these and nothing below them."""

from okf_edge.app.okf import Okf
from okf_edge.app.ports import Config, Ports

__all__ = ["Config", "Okf", "Ports"]
