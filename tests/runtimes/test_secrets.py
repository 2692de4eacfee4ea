"""What is taken for a credential, what is not, and that none is shown. Every one here is made up."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.runtimes.secrets import holds_token, is_secret, named_in, redact, redact_argv

HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
PUBLISHED = {
    "OpenAI": f"sk-proj-{MIXED[:24]}",
    "Anthropic": f"sk-ant-api03-{MIXED}",
    "GitHub": f"ghp_{MIXED[:36]}",
    "GitHub fine-grained": f"github_pat_{MIXED[:22]}_{MIXED}",
    "GitLab": f"glpat-{MIXED[:20]}",
    "Slack": f"xoxb-123456789012-{MIXED[:24]}",
    "Slack app": f"xapp-1-A0{MIXED[:20]}",
    "AWS": "AKIA" + "Z7Q2M9X4K1V8B3N6",
    "Google": f"AIza{MIXED[:35]}",
    "Google OAuth": f"ya29.{MIXED}",
    "JWT": f"eyJ{MIXED[:20]}.eyJ{MIXED[:30]}.{MIXED}",
    "Notion": f"ntn_{MIXED[:30]}",
    "Hugging Face": f"hf_{MIXED[:34]}",
    "Tavily": f"tvly-{MIXED[:24]}",
    "npm": f"npm_{MIXED[:36]}",
    "PyPI": f"pypi-AgEIcHlwaS5vcmc{MIXED}",
    "Stripe": f"sk_live_{MIXED[:24]}",
    "SendGrid": f"SG.{MIXED[:22]}.{MIXED}",
    "Shopify": f"shpat_{HEX}",
    "DigitalOcean": f"dop_v1_{HEX}{HEX}",
    "Linear": f"lin_api_{MIXED}",
    "Groq": f"gsk_{MIXED}",
    "a private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
}


def rows(table: str) -> list[tuple[str, str]]:
    """(name, value) of each line ``NAME = value``; {HEX} and {MIXED} stand for what is above."""
    lines = [line for line in table.splitlines() if line]
    pairs = [line.partition(" = ") for line in lines]
    return [(name, value.replace("{HEX}", HEX).replace("{MIXED}", MIXED)) for name, _, value in pairs]


@pytest.mark.parametrize("token", PUBLISHED.values(), ids=PUBLISHED.keys())
@pytest.mark.parametrize("name", ["", "args", "NAME", "--config"])
def test_a_token_of_a_published_shape_is_a_secret_under_any_name(token: str, name: str) -> None:
    assert is_secret(name, token) and holds_token(token)
    assert is_secret(name, f"--with={token}")
    assert token not in redact(f"run --with {token} now")


SECRET = r"""
API_KEY = {HEX}
api-key = {HEX}
apiKey = {HEX}
OPENAI_API_KEY = {MIXED}
MY_SECRET = tr0ub4dor-and-3
PGPASSWORD = hunter2hunter
DB_PASS = tr0ub4dor&3
DB_PWD = correct1horse
TOKEN = {HEX}
GITHUB_TOKEN = {HEX}
Authorization = Bearer {HEX}
Authorization = Basic dXNlcjpzM2NyM3Rwdw==
authorization = {HEX}
X-API-Key = AbCdEf0123456789
Cookie = session={HEX}
ENCRYPTION_KEY = {HEX}
--token = {HEX}
--api-key = {HEX}
--key = f00dfacecafebabe1234
GITHUB_PAT = {HEX}
X_AUTH = {HEX}
API_KEY = 123e4567-e89b-12d3-a456-426614174000
 = postgres://app:S3cr3tpw@db.internal/app
DATABASE_URL = mysql://root:r00tr00t@127.0.0.1/x
 = redis://:p4ssw0rd9@cache:6379/0
args = --db=postgres://app:S3cr3tpw@db/app
url = https://h.example/mcp?api_key=Zk93hdT72jKqL0p
url = https://h.example/sse?x=1&token=Zk93hdT72jKqL0p
--header = Authorization: Bearer {HEX}
-H = X-Api-Key: AbCdEf0123456789
PASSWORD = p4ss${SUFFIX}word9
CLIENT_SECRET = Q~8Lr.t3x_Zk2
"""


@pytest.mark.parametrize(("name", "value"), rows(SECRET))
def test_a_credential_under_a_name_that_says_so_is_a_secret(name: str, value: str) -> None:
    assert is_secret(name, value)


HARMLESS = r"""
MAX_TOKENS = 128000000
TOKEN_LIMIT = 1000000000
TOKEN_BUDGET = 1000000000
TOKENS = 4096000000
TOKENIZER = cl100k_base_v2
TOKENIZERS_PARALLELISM = not-at-all
TOKEN_URL = https://a.example/oauth/token
TOKEN_FILE = /run/secrets/token
SECRET_NAME = prod/db/main-1
SECRETS_DIR = /run/secrets/all
PASSWORD_FILE = /run/secrets/pw
GOOGLE_APPLICATION_CREDENTIALS = /home/u/keys/sa-1.json
AWS_SHARED_CREDENTIALS_FILE = ~/.aws/credentials
CLIENT_ID = 123e4567-e89b-12d3-a456-426614174000
TENANT_ID = 123e4567-e89b-12d3-a456-426614174000
API_KEY_ID = 0123456789abcdef
KEY_ID = 0123456789abcdef
PUBLIC_KEY = MCowBQYDK2VwAyEAabc123
PRIMARY_KEY = user_id_and_created_at
CACHE_KEY = my-cache-version-1
SORT_KEY = created_at_desc_nulls_last
KEYBOARD = us-international
COOKIE_DOMAIN = internal.example.com
AUTH_METHOD = oauth2-device-code
AUTH_MODE = client_credentials2
TOKEN_TTL = 86400000000
SECRET_BACKEND = hashicorp-vault-2
CREDENTIAL_HELPER = osxkeychain-2.1
OPENAI_MODEL = gpt-4o-mini-2024-07-18
MODEL = claude-sonnet-4-20250514
PORT = 8080
HOST = 127.0.0.1
URL = https://example.com/mcp
URL = https://user@example.com/mcp
url = https://x.example/a?sort_key=created&page=2
PATH = /usr/bin:/bin
url = http://[::1]:8080/mcp
args = @scope/server-filesystem@2025.1.14
args = sk-learn-tools-and-more-things
args = /srv/sk-data/0123456789abcdefgh
args = npm_config_registry
args = hf_hub_download
image = ghcr.io/github/github-mcp-server:v1.2.3
digest = sha256:{HEX}{HEX}
COMMIT = {HEX}
NAME = {HEX}
API_KEY = ${API_KEY}
API_KEY = $API_KEY
API_KEY = {env:API_KEY}
API_KEY = ${env:K}
API_KEY = {file:~/.key}
API_KEY = ${input:key}
API_KEY = ${K:-}
Authorization = Bearer ${TOKEN}
Authorization = Bearer $TOKEN
--header = Authorization: Bearer ${TOKEN}
API_KEY = %API_KEY%
API_KEY = your-api-key-here
API_KEY = YOUR_API_KEY
API_KEY = <your key>
API_KEY = <token>
API_KEY = [api key]
API_KEY = {{api_key}}
API_KEY = xxxxxxxxxxxx
API_KEY = sk-...
API_KEY = sk-xxx-yyy
API_KEY = ************
PASSWORD = changeme
PASSWORD = password
TOKEN = REPLACE_ME_NOW
TOKEN = insert-token-here
TOKEN = test-token-1
TOKEN = dummy_value_1
TOKEN = placeholder
GITHUB_TOKEN = ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
TOKEN = aaaaaaaaaaaaaaaa
TOKEN = short
PASSWORD = a phrase with blanks in it
 = postgres://user:password@localhost/db
 = postgres://u:${PW}@localhost/db
TOKEN = ./token.txt
TOKEN = C:\secrets\token.txt
Content-Type = application/json
--header = Content-Type: application/json
User-Agent = mail/1.2.3
api_key_env = OPENAI_API_KEY_2
bearer_token_env_var = LEDGER_TOKEN_2
auth_provider = google-oauth2-v2
token_endpoint = https://a.example/token
secret_version = projects/1/versions/12
PASSWORD_MIN_LENGTH = 12000000
"""


@pytest.mark.parametrize(("name", "value"), rows(HARMLESS))
def test_what_only_looks_like_one_is_none(name: str, value: str) -> None:
    assert not is_secret(name, value)


def test_an_empty_value_is_no_secret() -> None:
    assert not is_secret("API_KEY", "") and not is_secret("API_KEY", "   ")


def test_the_header_that_a_text_names_is_told_if_it_holds_a_secret() -> None:
    assert named_in(f"Authorization: Bearer {HEX}") == "Authorization"
    assert named_in("Content-Type: application/json") is None and named_in("no header") is None


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["npx", "mail", "--api-key", HEX], ["npx", "mail", "--api-key", "***"]),
        (["npx", f"--token={HEX}"], ["npx", "--token=***"]),
        (["docker", "-e", f"API_KEY={HEX}"], ["docker", "-e", "API_KEY=***"]),
        (["docker", "-e", "API_KEY"], ["docker", "-e", "API_KEY"]),
        (["env", f"my_token={HEX}", "mail"], ["env", "my_token=***", "mail"]),
        (
            ["mcp-remote", "--header", f"Authorization: Bearer {HEX}"],
            ["mcp-remote", "--header", "Authorization: Bearer ***"],
        ),
        (["mail", "postgres://u:s3cret@h/x"], ["mail", "postgres://u:***@h/x"]),
        (["mail", "https://h/?token=abc"], ["mail", "https://h/?token=***"]),
        (["mail", "--max-tokens", "4096"], ["mail", "--max-tokens", "4096"]),
        (["mail", "--token", "--verbose"], ["mail", "--token", "--verbose"]),
        (["mail", "--verbose", "x=y"], ["mail", "--verbose", "x=y"]),
        (["mr", "--header=Authorization: Bearer Kx7sec99"], ["mr", "--header=Authorization: Bearer ***"]),
        (["mr", "--header", "Authorization:Bearer Kx7sec99"], ["mr", "--header", "Authorization:Bearer ***"]),
        (["mr", "--api-key", "-Kx7dash12345"], ["mr", "--api-key", "***"]),
        (["sh", "-c", "API_KEY=hunter2; touch /x"], ["sh", "-c", "API_KEY=***; touch /x"]),
        (["sh", "-c", "API_KEY='hunter2' exec mail"], ["sh", "-c", "API_KEY='***' exec mail"]),
        (["python", "-c", "TOKEN='a'\nrun('x')"], ["python", "-c", "TOKEN='***'\nrun('x')"]),
        (["sh", "-c", "Authorization: x; touch /y"], ["sh", "-c", "Authorization: ***; touch /y"]),
        (["curl", "Cookie: sid=abc; touch /y"], ["curl", "Cookie: sid=***; touch /y"]),
        (["mail", "--token", "a; touch /y"], ["mail", "--token", "a; touch /y"]),
        (["sh", "-c", "x://a:b;touch${IFS}y@h"], ["sh", "-c", "x://a:b;touch${IFS}y@h"]),
        (["sh", "-c", "x?token=b;touch${IFS}y"], ["sh", "-c", "x?token=***;touch${IFS}y"]),
    ],
)
def test_a_command_line_is_shown_without_its_secrets(argv: list[str], shown: list[str]) -> None:
    assert redact_argv(argv) == shown


ACTED_ON = re.compile(r"[\s;|&$()<>`'\"\\{}\[\]]")


@given(
    st.lists(
        st.text(alphabet="aZ9_-=: ;|&$()<>`'\"\\{}/@?\n", max_size=40)
        | st.sampled_from(["API_KEY=", "--token", "Authorization: ", "Cookie: a=", "http://u:", "?token="]),
        max_size=6,
    )
)
@settings(max_examples=400)
def test_nothing_that_a_shell_acts_on_is_ever_hidden(parts: list[str]) -> None:
    """A configuration could otherwise hide what it does behind a secret's name."""
    for argv in (parts, ["".join(parts)]):
        for argument, shown in zip(argv, redact_argv(argv), strict=True):
            assert ACTED_ON.findall(argument) == ACTED_ON.findall(shown)


@given(st.text(max_size=60))
def test_any_text_can_be_asked_about_and_shown(text: str) -> None:
    is_secret(text, text)
    redact(text)
    assert len(redact_argv([text, text])) == 2


HOSTILE = [
    "sk-" * 700_000,
    "eyJ-" * 500_000,
    "eyJaaaaaaaa.eyJ" * 150_000,
    "http://" * 300_000,
    "a:" * 900_000,
    "?key=" * 400_000,
    "your" * 500_000,
    "${" * 900_000,
    "-----BEGIN " * 200_000,
    "a" * 2_000_000,
]


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: text[:8])
def test_a_long_text_is_looked_at_in_no_time(hostile: str) -> None:
    start = time.process_time()
    is_secret("API_KEY", hostile)
    redact(hostile)
    redact_argv([hostile])
    assert time.process_time() - start < 5  # a backtracking pattern would need minutes
