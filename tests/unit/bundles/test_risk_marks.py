"""The marks by which the scan decides that a pattern is idle lose none of what the pattern finds."""

from __future__ import annotations

import pytest

from okf_edge.bundles.risks import addresses, contacts, credentials
from okf_edge.bundles.risks.views import has_any

FOUND = [
    (credentials._PRIVATE_KEY, credentials._KEY_MARKS, False, "-----BEGIN OPENSSH PRIVATE KEY-----"),
    (credentials._PRIVATE_KEY, credentials._KEY_MARKS, False, "PuTTY-User-Key-File-3: ssh-ed25519"),
    (credentials._PRIVATE_KEY, credentials._KEY_MARKS, False, "BEGIN SSH2 ENCRYPTED PRIVATE KEY"),
    (credentials._PRIVATE_KEY, credentials._KEY_MARKS, False, "PrivateKey = " + "A" * 43 + "="),
    (credentials._HEADER, credentials._HEADER_MARKS, True, "AUTHORIZATION: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ"),
    (credentials._HEADER, credentials._HEADER_MARKS, True, "Bearer abcdefghijklmnop1234"),
    *(
        (credentials._ASSIGNED, credentials._NAMED_MARKS, True, f"{name}: x9$kQ2!vvvvvvv")
        for name in (
            "PASSWORD", "pwd", "Secret", "auth_token", "API-KEY", "credentials", "Connection-String", "Kennwort",
            "contraseña", "contrasena", "mot de passe",
            "SENHA", "Пароль", "密码", "密鑰密钥", "口令", "パスワード", "비밀번호",
        )
    ),
    *(
        (contacts._AT, contacts._AT_MARKS, True, f"ada{at}quay")
        for at in (
            "@", " [AT] ", "(at)", "{at}", "<at>", "[@]", "_AT_", "[arroba]", "(ARROBA)", "[ÄT]", "(a)",
            " at quay [dot] ", " at quay dot ", " at quay {dot} ",
        )
    ),
    *(
        (addresses._PRIVATE_IP, addresses._FORMS[0][1], True, text)
        for text in ("10.0.0.1", "192.168.1.1", "172.31.0.9", "169.254.1.1", "100.64.0.1", 
            "FD12:3456:789a::1", "fc00:1::2")
    ),
    (addresses._SENSITIVE_HOST, addresses._FORMS[1][1], True, r"\\server1\share$"),
    (addresses._SENSITIVE_HOST, addresses._FORMS[1][1], True, "HTTPS://quay.atlassian.net/x"),
    (addresses._TOKEN_IN_URL, addresses._FORMS[2][1], True, "https://x.org/?token=abcdefghijklmnop"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "marks", "folds", "text"), FOUND, ids=[each[3] for each in FOUND])
def test_what_a_pattern_finds_has_one_of_its_marks(pattern, marks, folds, text):
    assert pattern.search(text)
    assert has_any(text.casefold() if folds else text, marks)
