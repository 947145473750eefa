"""The promises of memtool.core.lint.secrets; every credential is put together at run time, and none was ever live."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memtool.core.lint.secrets import secrets

ROOT = str(Path(__file__).resolve().parents[1])
DATA = Path(ROOT, "../shared/data/lint")
MIX = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"  # 32 letters and digits, none of them secret
HEX = "0a1b2c3d4e5f6978" * 4

FOUND = [
    ("private key", "-----BEGIN " + "EC PRIVATE KEY-----"),
    ("private key", "-----BEGIN " + "PRIVATE KEY-----"),
    ("private key", "AGE-SECRET-" + "KEY-1" + (MIX * 2)[:58].upper()),
    ("AWS access key id", "AK" + "IA" + MIX[:16].upper()),
    ("AWS access key id", "AS" + "IA" + MIX[:16].upper()),
    ("AWS secret access key", "AWS_SECRET_" + "ACCESS_KEY=" + MIX + "Ab1/Cd2+"),
    *(("GitHub token", f"gh{kind}_" + MIX + "bC4d") for kind in "pousr"),
    ("GitHub token", "github_" + "pat_" + MIX + MIX),
    ("GitLab token", "glp" + "at-" + MIX[:20]),
    ("Slack token", "xo" + "xp-" + "123456789012-" + MIX),
    ("Slack token", "xa" + "pp-" + "1-A0123-" + MIX),
    ("Slack webhook", "https://hooks.slack" + ".com/services/" + "T0123ABCD/B0123ABCD/" + MIX[:24]),
    ("Discord webhook", "https://discord" + ".com/api/webhooks/" + "123456789012345678/" + MIX + MIX),
    ("Stripe key", "sk_" + "live_" + MIX[:24]),
    ("Stripe key", "rk_" + "live_" + MIX[:24]),
    ("Stripe webhook secret", "whs" + "ec_" + MIX),
    ("Google API key", "AI" + "za" + MIX + "a-9"),
    ("Google client secret", "GOC" + "SPX-" + MIX[:28]),
    ("AI service key", "s" + "k-" + MIX + MIX[:16]),
    ("AI service key", "s" + "k-proj-" + MIX + MIX),
    ("AI service key", "s" + "k-ant-" + "api03-" + MIX + MIX),
    ("AI service key", "s" + "k-or-v1-" + HEX),
    ("Groq key", "gs" + "k_" + MIX + MIX[:20]),
    ("npm token", "np" + "m_" + MIX + "bC4d"),
    ("PyPI token", "pyp" + "i-AgE" + MIX + MIX),
    ("Hugging Face token", "h" + "f_" + MIX + "bC"),
    ("SendGrid key", "S" + "G." + MIX[:22] + "." + MIX + MIX[:11]),
    ("secret", "TWILIO_AUTH_" + "TOKEN=" + HEX[:32]),
    ("Telegram bot token", "12345678:" + "AA" + MIX + "b"),
    ("DigitalOcean token", "dop" + "_v1_" + HEX),
    ("Azure storage key", "Account" + "Key=" + MIX + MIX + MIX[:22] + "=="),
    ("Shopify token", "shp" + "at_" + HEX[:32]),
    ("Linear key", "lin" + "_api_" + MIX + "bC4dE6fG"),
    ("JSON web token", "ey" + "J" + MIX + ".ey" + "J" + MIX + "." + MIX),
    ("password in a URL", "postgres://app:" + "blue-horse-4711" + "@db.internal/app"),
    ("password in a URL", "redis://:" + "s3cr3tPw99" + "@cache:6379"),
    ("password", "- **Password:** " + "Kw9!pelican"),
    ("password", "| password | " + "Kw9!pelican |"),
    ("password", "the password for the guest wifi is " + "k1tt3n-house"),
    ("password", "数据库密码是 " + "mao2026Guo!"),
    ("secret", "API key: " + MIX),
    ("secret", "client_secret: " + HEX[:40]),
    ("secret", "密钥：" + MIX),
]  # fmt: skip

NOT_FOUND = [
    *(token[:-20] + "x" * 20 for token in ("ghp_" + "x" * 36, "npm_" + "x" * 36, "sk-proj-" + "x" * 48)),
    "sk-your-api-key-here-your-api-key-here-your-api-key",
    "ghp_<token>",
    "GITHUB_TOKEN=${GITHUB_TOKEN}",
    "xoxb-...",
    "AKIA" + "X" * 16,
    "task-" + MIX + MIX[:16],
    "https://user:password@example.org/x",
    "https://user:pass@example.org/x",
    "postgres://postgres:postgres@localhost/db",
    "postgres://app:$DB_PASSWORD@db/app",
    "postgres://app:<password>@db/app",
    "[mail](http://example.org):me@example.org",
    "ssh://git@github.com:22/x",
    "password: changeme",
    "password: see 1Password",
    "password: config.db1.password",
    "password = get_password2()",
    "the password is SHA256-hashed",
    "Passwords have at least 12 characters and 2 digits.",
    "密码长度至少 12 位",
    "口令：见密码管理器",
    "api_key: my-service-api-key-goes-here",
    "secret_key = derive_key_from_passphrase_v2(",
    "the key is in -----BEGIN CERTIFICATE-----",
    "commit " + HEX[:40],
]


@pytest.mark.parametrize(
    ("kind", "text"), FOUND, ids=[f"{kind}-{number}" for number, (kind, _text) in enumerate(FOUND)]
)
def test_finds(kind: str, text: str) -> None:
    """Each documented shape is found, alone and in a list, on the line where it stands."""
    assert secrets(text.encode()) == [(1, kind)]
    assert secrets(f"# Title\n\n- {text}\n".encode()) == [(3, kind)]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_ignores(text: str) -> None:
    """A placeholder, a template, a name or a rule about secrets is no secret."""
    assert secrets(text.encode()) == []


def test_counts_lines_as_markdown_does() -> None:
    """A line ends at LF, at CRLF and at a lone CR."""
    token = ("gh" + "p_" + MIX + "bC4d").encode()
    assert [line for line, _kind in secrets(b"a\nb\r\nc\rd\n" + token + b"\r\n\r\n" + token)] == [5, 7]


def test_tells_a_token_once_and_never_its_value() -> None:
    """A token behind a label is one finding, by the name of the token; two on a line are two."""
    hub, amazon = "gh" + "p_" + MIX + "bC4d", "AK" + "IA" + MIX[:16].upper()
    assert secrets(f"api_key: {hub} and {amazon}".encode()) == [(1, "AWS access key id"), (1, "GitHub token")]


def test_reads_any_bytes() -> None:
    """A file that is no text at all is no reason to fail."""
    assert secrets(bytes(range(256)) * 3) == []
    assert secrets(b"") == []


def rows(name: str) -> list[dict[str, str]]:
    if not (DATA / name).exists():
        pytest.skip(f"the shared data is not here: {DATA / name}")
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def test_judges_the_labelled_lines_rightly() -> None:
    """Of the shared lines all 19 secrets are found and none of the 14 others; measured and guarded: no mistake."""
    found = {row["id"] for row in rows("secrets.jsonl") if secrets("".join(row["parts"]).encode())}
    assert found == {row["id"] for row in rows("secrets.jsonl") if row["expect"] == "flag"}


def test_flags_no_real_line_about_secrets() -> None:
    """72 real lines that speak of passwords and tokens hold none; measured and guarded: none flagged."""
    assert [row["id"] for row in rows("secrets-real-negatives.jsonl") if secrets(row["text"].encode())] == []


@pytest.mark.parametrize(
    "piece",
    [
        b"sk-",
        b" sk-",
        b"eyJ",
        b" eyJaaaaaaaaaaa.",
        b"://a:b",
        b"password for ",
        b"api_key=",
        b"111111:A",
        b"-----BEGIN ",
    ],
)
def test_half_a_megabyte_of_beginnings_is_read_to_its_end(piece: bytes) -> None:
    """Nothing in the patterns runs away, and a secret on the last line is still found."""
    found = secrets(piece * (500_000 // len(piece)) + b"\n" + b"AKIA" + b"Z7QH2LXN4PWRT6VB" + b"\n")
    assert found[-1] == (2, "AWS access key id")


def test_a_megabyte_of_ordinary_text_holds_nothing() -> None:
    """Ordinary words are no secrets, however many there are."""
    text = b"Run the tests before you push, see https://example.org/docs for the rest.\n" * 14_000
    assert secrets(text) == []


@pytest.mark.parametrize("text", ["", "- task-1: rotate the tokens, see https://example.org"])
def test_ordinary_text_never_imports_re(text: str) -> None:
    """A file without the beginning of any credential costs a git hook no import of re, typing or dataclasses."""
    code = (
        f"import sys; sys.path.insert(0, {ROOT!r})\n"
        f"from memtool.core.lint.secrets import secrets\nsecrets({text.encode()!r})\n"
        "sys.exit(bool({'re', 'typing', 'dataclasses'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-I", "-S", "-c", code], check=False).returncode == 0
