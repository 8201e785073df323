"""Progress that is remembered instead of shown."""

from __future__ import annotations


class RecordedProgress:
    """A `Progress` that keeps what it was told; also the silent one, where nobody looks at it."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, int, int | None]] = []
        self.messages: list[str] = []

    def step(self, label: str, done: int, total: int | None = None) -> None:
        self.steps.append((label, done, total))

    def message(self, text: str) -> None:
        self.messages.append(text)
