"""`okf model build|list|use|info`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from okf_edge.embedding.models import MODELS, Model, model_of
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bold, dim, good, line
from okf_edge_native import compose, preferences
from okf_edge_native.preferences import AUTOMATIC


def build(model_ids: Sequence[str], as_json: bool) -> int:
    from okf_edge_native.models.build import build_model

    models = [model_of(model_id) for model_id in model_ids] or list(MODELS)
    shelf = compose.shelf()
    for model in models:
        build_model(shelf, model.id, compose.progress(as_json))
    value = {"models": [_described(model) for model in models]}
    session.print_result(value, (_line(model) for model in models), as_json)
    return DONE


def list_models(as_json: bool) -> int:
    chosen = asyncio.run(preferences.read_preferences()).embedder
    value = {"use": chosen or AUTOMATIC, "models": [_described(model) for model in MODELS]}
    session.print_result(value, _list_lines(chosen), as_json)
    return DONE


def use(model_id: str, as_json: bool) -> int:
    chosen = asyncio.run(preferences.choose_embedder(model_id)).embedder
    word = f"new indexes use {chosen}" if chosen else "new indexes use the model that suits their content"
    session.print_result({"use": chosen or AUTOMATIC}, [line(word)], as_json)
    return DONE


def info(model_id: str, as_json: bool) -> int:
    described = _described(model_of(model_id))
    lines = (line(bold(f"{name:<12}"), _shown(value)) for name, value in described.items())
    session.print_result(described, lines, as_json)
    return DONE


def _list_lines(chosen: str) -> Iterator[Line]:
    yield from (_line(model) for model in MODELS)
    yield line(dim("in use: "), chosen or "by the content")


def _line(model: Model) -> Line:
    described = _described(model)
    state = good("at hand") if described["at_hand"] else dim(f"absent (okf model build {model.id})")
    return line(bold(f"{model.id:<14}"), f"{model.bytes / 1e6:>5.0f} MB  {_shown(described['scripts']):<24}  ", state)


def _described(model: Model) -> dict[str, Any]:
    shelf = compose.shelf()
    return {
        "id": model.id,
        "digest": model.spec.digest,
        "dims": model.spec.dims,
        "max_tokens": model.spec.max_tokens,
        "bytes": model.bytes,
        "scripts": list(model.spec.scripts),
        "at_hand": shelf.has(model),
        "place": str(shelf.place(model)),
    }


def _shown(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
