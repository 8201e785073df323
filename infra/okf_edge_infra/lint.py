"""`make lint` of the template: what the linters of AWS say, and what a scanner of risks says beside what we decided."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from okf_edge_infra.contents import ROOT

TEMPLATE = ROOT / "infra/template.yaml"
SAM = ROOT / ".build/sam/bin"
CHECKOV = ROOT / ".build/checkov/bin"

SKIPPED: Final[Mapping[str, str]] = {
    "CKV_AWS_18": "access logs of the bucket: CloudTrail data events tell the same, where somebody wants to pay for it",
    "CKV_AWS_26": "a key of one's own for alarms: CloudWatch can't use the one that AWS manages; they hold names only",
    "CKV_AWS_27": "a key of one's own for the queue: it is encrypted by SQS, which this check does not know",
    "CKV_AWS_116": "dead letters: functions that events start have a destination of failures, which replaced them",
    "CKV_AWS_117": "a network of one's own: nothing in one is reached, and a gateway to it costs 30 dollars a month",
    "CKV_AWS_158": "a key of one's own for logs: they hold no content of notes; a key costs a dollar a month",
    "CKV_AWS_173": "a key of one's own for settings: they are names; secrets lie in Parameter Store",
}
"""Checks that are not made, each with its reason."""


def commands() -> Sequence[Sequence[str]]:
    template = str(TEMPLATE)
    return (
        (str(SAM / "cfn-lint"), template),
        (str(SAM / "sam"), "validate", "--lint", "--template", template, "--region", "eu-central-1"),
        (
            str(CHECKOV / "checkov"), "--file", template, "--framework", "cloudformation", "--compact", "--quiet",
            "--skip-download", "--skip-check", ",".join(SKIPPED),
        ),
    )  # fmt: skip


def main() -> int:
    environment = {**os.environ, "SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": "eu-central-1"}
    for command in commands():
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if done.returncode:
            print(f"{command[0]} found something:\n{done.stdout}{done.stderr}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
