"""Tokens and keys from Parameter Store or, with the prefix `secret:`, from Secrets Manager; never on disk."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache

from aws_lambda_powertools.utilities.parameters import SecretsProvider, SSMProvider
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from okf_edge.errors import InputError, UnavailableError
from okf_edge.policy.authenticate import Token
from okf_edge.ports import Signer
from okf_edge_lambda import clients
from okf_edge_lambda.settings import settings
from okf_edge_native.keyring import FileSigner, signer_from
from okf_edge_native.tokens import tokens_from

_SECRET = "secret:"
_HEX = re.compile(r"[0-9a-fA-F]{64,}")


async def tokens() -> Sequence[Token]:
    """The tokens that are accepted. Raises StateFileError: they can't be read."""
    return tokens_from(_text(settings().tokens_parameter))


def audit_key() -> bytes:
    """Raises UnavailableError: it can't be read, or is no key."""
    name = settings().audit_key_parameter
    text = _text(name).strip()
    if not _HEX.fullmatch(text):
        raise UnavailableError(f"expected 64 hex digits in the parameter {name}, found something else", code="bad-key")
    return bytes.fromhex(text)


class OnlineKeyring:
    """The `Keyring` of the service: the keys for snapshot and timestamp, and no others."""

    async def create(self, *, offline: bool = False) -> Signer:
        raise InputError("the service makes no keys", code="key-absent", hint="Make them where the feed was made.")

    async def signers(self, public_keys: Sequence[bytes]) -> Sequence[Signer]:
        """Raises UnavailableError: they can't be read, or are no keys: nothing that a publisher could mend."""
        name = settings().keys_parameter
        try:
            found = {signer.public_key: signer for signer in _signers(_text(name))}
        except InputError as error:
            raise UnavailableError(f"the parameter {name} holds no keys: {error.message}", code="bad-key") from error
        return [found[key] for key in public_keys if key in found]


def forget() -> None:
    _parameters.cache_clear()
    _secrets.cache_clear()
    _signers.cache_clear()


@cache
def _parameters() -> SSMProvider:
    return SSMProvider(boto3_client=clients.parameters())


@cache
def _secrets() -> SecretsProvider:
    return SecretsProvider(boto3_client=clients.secrets())


@cache
def _signers(text: str) -> tuple[FileSigner, ...]:
    """The keys in PEM, one behind the other."""
    end = "-----END PRIVATE KEY-----"
    return tuple(signer_from(f"{part}{end}\n".strip().encode()) for part in text.split(end)[:-1])


def _text(name: str) -> str:
    """The value of a parameter or secret. Raises UnavailableError: it can't be read."""
    try:
        if name.startswith(_SECRET):
            value = _secrets().get(name.removeprefix(_SECRET), max_age=settings().reread_seconds)
        else:
            value = _parameters().get(name, max_age=settings().reread_seconds, decrypt=True)
    except GetParameterError as error:
        raise UnavailableError(
            f"the parameter {name} can't be read", code="no-parameter", hint="Check its name and the function's role."
        ) from error
    return value if isinstance(value, str) else json.dumps(value)
