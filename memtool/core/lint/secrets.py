"""Credentials in a file: where they are and of what kind, never what they are."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# kind, the literals of which one begins it, what must follow from there on. Lengths are the documented ones, a little
# loosened where the issuer reserves the right to change them. Upper bounds keep the work linear on hostile input.
_TOKENS = (
    ("private key", ("-----BEGIN ",), r"(?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"),
    ("private key", ("AGE-SECRET-KEY-1",), r"[0-9A-Z]{58}"),
    ("AWS access key id", ("AKIA", "ASIA"), r"[A-Z0-9]{16}(?!\w)"),
    ("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[A-Za-z0-9]{36,255}"),
    ("GitHub token", ("github_pat_",), r"\w{60,255}"),
    ("GitLab token", ("glpat-", "glrt-"), r"[\w-]{20,255}"),
    ("Slack token", ("xox", "xapp-"), r"(?:(?<=p-)|[abeoprs]-)[0-9A-Za-z-]{20,255}"),
    ("Slack webhook", ("hooks.slack.com/services/",), r"T\w{6,12}/B\w{6,12}/\w{20,30}"),
    ("Discord webhook", (".com/api/webhooks/",), r"\d{17,20}/[\w-]{60,80}"),
    ("Stripe key", ("sk_live_", "rk_live_", "sk_test_"), r"[A-Za-z0-9]{20,255}"),
    ("Stripe webhook secret", ("whsec_",), r"[A-Za-z0-9+/]{32,64}"),
    ("Google API key", ("AIza",), r"[\w-]{35}(?![\w-])"),
    ("Google client secret", ("GOCSPX-",), r"[\w-]{28}(?![\w-])"),
    # OpenAI; Anthropic; OpenRouter; the many that copied the first of them
    (
        "AI service key",
        ("sk-",),
        r"(?:(?:proj|svcacct|admin|ant-[a-z]{3,8}\d\d)-[\w-]{40,255}|or-v1-[0-9a-f]{64}|[A-Za-z0-9]{32,255}(?![\w-]))",
    ),
    ("Groq key", ("gsk_",), r"[A-Za-z0-9]{48,64}"),
    ("xAI key", ("xai-",), r"[A-Za-z0-9]{70,90}"),
    ("npm token", ("npm_",), r"[A-Za-z0-9]{36}(?!\w)"),
    ("PyPI token", ("pypi-AgE",), r"[\w-]{50,255}"),
    ("Hugging Face token", ("hf_",), r"[A-Za-z0-9]{34}(?!\w)"),
    ("SendGrid key", ("SG.",), r"[\w-]{22}\.[\w-]{43}"),
    ("Telegram bot token", (":A",), r"(?<=\d{6}:A)[\w-]{33,34}(?![\w-])"),
    ("DigitalOcean token", ("dop_v1_",), r"[0-9a-f]{64}"),
    ("Azure storage key", ("AccountKey=",), r"[A-Za-z0-9+/]{86}=="),
    ("Shopify token", ("shpat_",), r"[0-9a-fA-F]{32}"),
    ("Linear key", ("lin_api_",), r"[A-Za-z0-9]{40}"),
    ("Atlassian token", ("ATATT3",), r"[\w=-]{60,255}"),
    ("JSON web token", ("eyJ",), r"[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{20,2000}"),
)
_NAME = r"(?: (?:for|of|on|at|to)(?: [\w.-]{1,30}){1,4}| ?\([^)\n]{1,30}\))?"
_IS = r"[\"'`*]{0,3}(?: ?(?:[:=|]|：)| (?:is|was) | ?(?:是|为))[\"'`* ]{0,6}"
# The same, but the literal is found in any case and only names the value behind it.
_LABELLED = (
    ("AWS secret access key", ("secret_access_key", "secretaccesskey", "secret access key"), r"[A-Za-z0-9/+]{40}"),
    ("password", ("password", "passwd", "passphrase", "pwd", "密码", "口令"), r"[^\s\"'`<>|\x80-\xff]{8,128}"),
    ("secret", ("api_key", "apikey", "api-key", "api key", "密钥", "令牌"), r"[\w=+-]{20,255}+(?![./(\[])"),
    (
        "secret",
        ("secret_key", "client_secret", "access_token", "auth_token", "auth token"),
        r"[\w=+-]{20,255}+(?![./(\[])",
    ),
)
# The published examples of these are told like live ones: a scanner on the server stops them too.
_PUBLISHED = ("AWS access key id", "AWS secret access key", "Slack webhook")
_PLACEHOLDER = (
    "your",
    "example",
    "placeholder",
    "redacted",
    "dummy",
    "change",
    "insert",
    "replace",
    "xxxxxxxx",
    "*****",
)
_TEMPLATE = ("${", "{{", "%s", "1password")
_TELLING = ("pass", "pwd", "secret", "token", "key")  # letters around one of these name a password and are not one
_TECHNICAL = ("hash", "sha2", "sha5", "argon", "crypt", "base64", "utf", "oauth")  # "the password is SHA256-hashed"


def secrets(data: bytes) -> list[tuple[int, str]]:
    """Give the line, counted from 1, and the kind of each credential in *data*."""
    places = [*_tokens(data), *_addresses(data)]
    labelled = list(_labels(data))
    lines = _lines(data, [place for place, _kind in places + labelled])
    found = {(lines[place], kind) for place, kind in places}
    known = {line for line, _kind in found}  # a token behind "api key:" is told once, by its own name
    found |= {(lines[place], kind) for place, kind in labelled if lines[place] not in known}
    return sorted(found)


def _tokens(data: bytes) -> Iterator[tuple[int, str]]:
    for kind, literals, follows in _TOKENS:
        for literal in map(str.encode, literals):
            for place in _occurrences(data, literal):
                body = None if _in_word(data, place, literal) else _match(follows, data, place + len(literal))
                if body and not _filler(body, kind):
                    yield place, kind


def _labels(data: bytes) -> Iterator[tuple[int, str]]:
    folded = data.lower()
    for kind, literals, value in _LABELLED:
        for literal in map(str.encode, literals):
            for place in _occurrences(folded, literal):
                body = _match(f"(?:{_NAME}{_IS})({value})", data, place + len(literal))
                if body and not _filler(body, kind) and _strong(body, kind):
                    yield place, kind


def _addresses(data: bytes) -> Iterator[tuple[int, str]]:
    """Find scheme://user:password@host without a pattern, for almost every file has a link."""
    for place in _occurrences(data, b"://"):
        authority = data[place + 3 : place + 259].split(None, 1)[:1]
        user, at, _host = (authority[0] if authority else b"").partition(b"/")[0].rpartition(b"@")
        name, colon, word = user.partition(b":")
        written = at and colon and len(word) > 3 and not set(user) & set(b"$<>{}[]()%?#|\\\"'`,")
        if written and word.lower() != name.lower() and not _filler(word, "password in a URL"):
            yield place, "password in a URL"


def _occurrences(data: bytes, literal: bytes) -> Iterator[int]:
    place = data.find(literal)
    while place >= 0:
        yield place
        place = data.find(literal, place + 1)


def _match(pattern: str, data: bytes, place: int) -> bytes | None:
    import re  # 6 ms, and git starts this at every commit: only for a file that holds one of the literals

    match = re.compile(pattern.encode()).match(data, place)
    return match[match.lastindex or 0] if match else None


def _in_word(data: bytes, place: int, literal: bytes) -> bool:
    before = data[place - 1 : place]
    return literal[:1].isalnum() and (before.isalnum() or before in (b"_", b"-"))


def _filler(body: bytes, kind: str) -> bool:
    """Tell a stand-in, such as xxxx or YOUR_KEY, from a credential."""
    text = body.decode("utf-8", "replace").lower()
    words: tuple[str, ...] = () if kind in _PUBLISHED else _PLACEHOLDER + _TEMPLATE
    if kind.startswith("password") and not any(map(str.isdigit, text.rstrip("0123456789!"))):
        words += _TELLING
    return len(set(text)) <= 3 or any(word in text for word in words)


def _strong(body: bytes, kind: str) -> bool:
    """Tell what a machine or a careful person chose from a word that happens to follow "password is"."""
    text = body.decode("utf-8", "replace").rstrip(".,;:!?)]}*")
    digits = sum(map(str.isdigit, text))
    mixed = text.lower() != text != text.upper()
    if kind == "secret":
        return digits >= 3 and (mixed or (len(text) >= 32 and not set(text) - set("0123456789abcdef")))
    if kind != "password":
        return True
    if not digits or text[0] in "$%([{/~.@#&" or any(word in text for word in ("(", "://", "@")):
        return False
    inside = sum(b.isdigit() and a.isalpha() and c.isalpha() for a, b, c in zip(text, text[1:], text[2:], strict=False))
    technical = any(word in text.lower() for word in _TECHNICAL)
    return not technical and any(map(str.isalpha, text)) and (mixed or inside > 1 or bool(set(text) & set("!&#$%^*+?")))


def _lines(data: bytes, places: list[int]) -> dict[int, int]:
    """Count the line of each place; lines end at LF, CRLF and a lone CR."""
    lines = {}
    line, last = 1, 0
    for place in sorted(set(places)):
        line += data.count(b"\n", last, place) + data.count(b"\r", last, place) - data.count(b"\r\n", last, place)
        lines[place], last = line, place
    return lines
