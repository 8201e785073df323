"""What each tool takes. Unknown fields are refused; all problems are reported at once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from okf_edge.limits import LIMITS

Kb = Annotated[str, Field(max_length=64, description="name from list_kbs")]
Texts = Annotated[list[Annotated[str, Field(max_length=512)]], Field(max_length=32)]
Tokens = Annotated[int, Field(ge=200, le=LIMITS.result_tokens)]
Cursor = Annotated[str, Field(max_length=200)]
Key = Annotated[str, Field(max_length=128, description="same key: runs once")]


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Nothing(Input):
    pass


class OfBase(Input):
    kb: Kb = ""


class Asked(Input):
    question: Annotated[str, Field(min_length=1, max_length=LIMITS.question_chars)]
    kb: Annotated[str, Field(max_length=64, description="name, or * for all")] = ""
    k: Annotated[int, Field(ge=1, le=LIMITS.answer_candidates_count)] = 8
    types: Texts = Field(default_factory=list)
    tags: Texts = Field(default_factory=list)
    paths: Annotated[Texts, Field(description="pages or folders")] = Field(default_factory=list)
    means: Literal["hybrid", "lexical", "dense"] = "hybrid"


class Query(Asked):
    max_tokens: Tokens = 4000
    cursor: Cursor = ""


class Read(OfBase):
    page: Annotated[str, Field(min_length=1, max_length=2000, description="path, name or okf:// address, #heading")]
    max_tokens: Tokens = 6000
    cursor: Cursor = ""


class Neighbours(OfBase):
    page: Annotated[str, Field(min_length=1, max_length=2000)]


class Capture(OfBase):
    content: Annotated[str, Field(min_length=1, max_length=LIMITS.capture_chars)]
    title: Annotated[str, Field(max_length=300)] = ""
    idempotency_key: Key = ""


class Sync(OfBase):
    idempotency_key: Key = ""


class Named(Input):
    name: Annotated[str, Field(min_length=1, max_length=64)]
    path: Annotated[str, Field(min_length=1, max_length=4096, description="absolute")]
    idempotency_key: Key = ""


class Init(Named):
    agent: Literal["claude-code", "codex", "opencode", "none"] = "none"


class Install(OfBase):
    source: Annotated[str, Field(min_length=1, max_length=4096, description="file, folder or https URL")]
    sha256: Annotated[str, Field(max_length=71)] = ""
    confirm: Annotated[str, Field(max_length=64)] = ""
    idempotency_key: Key = ""


class SearchFeed(OfBase):
    words: Annotated[str, Field(max_length=500)] = ""
    feed: Annotated[str, Field(max_length=64)] = ""


class Update(OfBase):
    bundle: Annotated[str, Field(min_length=1, max_length=200, description="its id")]
    confirm: Annotated[str, Field(max_length=64)] = ""
    idempotency_key: Key = ""
