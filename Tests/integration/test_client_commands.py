"""Commands that call a server, as a person at a prompt uses them (docs/configuration.md): where the server's address comes
from, how a request is given, and what is said of a mistake. No message shows a name of the program's own code."""

import json
import os
import re
import socket
import subprocess

import pytest

from harness.connection import PATIENCE_SECONDS
from harness.server import BINARY

# Words of Swift, NIO and Foundation.
OF_CODE = re.compile(r"\w+\(\w+:|Error Domain|SocketAddress|IOError|NIO\w|errno|CocoaError")


def run(*arguments: str, server: str | None = None, given: str | None = None, **environment: str):
    """The program with these variables and no others of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_")}
    if server is not None:
        environment["HEDDLE_SERVER"] = server
    done = subprocess.run([BINARY, *arguments], capture_output=True, text=True, input=given or "",
                          env={**clean, **environment}, timeout=4 * PATIENCE_SECONDS)
    assert not OF_CODE.search(done.stderr), done.stderr
    return done


def called(*arguments: str, **more) -> dict:
    done = run("call", *arguments, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def mistaken(*arguments: str, code: int = 64, **more) -> str:
    """The error, which is one line."""
    done = run(*arguments, **more)
    assert (done.returncode, done.stdout) == (code, ""), done
    [line] = done.stderr.splitlines()
    return line


def test_the_server_comes_from_the_option_or_the_environment(server):
    """The option wins over the variable, the variable over 127.0.0.1:7420; an empty variable is none."""
    nobody = "127.0.0.1:1"
    assert called("ServerService/Status", server=server.address)["serving"] == "SERVING"
    assert called("ServerService/Status", "--server", server.address, server=nobody)["serving"] == "SERVING"
    assert nobody in mistaken("call", "ServerService/Status", server=nobody, code=1)
    assert nobody in mistaken("subscribe", "01a20114-1b49-713a-9b05-edae57955be7", server=nobody, code=1)
    for wrong in ("nonsense", "127.0.0.1", "host:port", ":7420", "host:65536"):
        said = mistaken("call", "ServerService/Status", server=wrong, code=78)
        assert "HEDDLE_SERVER" in said and wrong in said
    assert called("ServerService/Status", "--server", server.address, server="nonsense")["serving"] == "SERVING"
    assert called("ServerService/Status", "--server", server.address, server="")["serving"] == "SERVING"


def test_load_takes_the_server_from_the_environment_too(server):
    """`load` and `replay` share the options."""
    done = run("load", "status", "--seconds", "0.2", "--json", server=server.address)
    assert done.returncode == 0 and json.loads(done.stdout), done.stderr


def test_a_server_starts_whatever_the_clients_variable_says(tmp_path):
    """HEDDLE_SERVER is for clients: a server does not take it for a setting."""
    with subprocess.Popen([BINARY, "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0"],
                          stdout=subprocess.PIPE, env={**os.environ, "HEDDLE_SERVER": "nonsense"}) as process:
        assert json.loads(process.stdout.readline())["ready"] is True
        process.terminate()


def test_a_request_comes_from_a_file_or_standard_input(server, tmp_path):
    """`-` and `@FILE`; the rest of the line is as ever."""
    (tmp_path / "request.json").write_text('{\n  "name": "of a file"\n}\n')
    for request, given, name in ((f"@{tmp_path}/request.json", None, "of a file"), ("-", '{"name": "piped"}', "piped")):
        answer = called("ThreadService/Start", request, given=given, server=server.address)
        assert answer["thread"]["name"] == name
    assert "/nowhere cannot be read: No such file" in mistaken(
        "call", "ThreadService/Start", "@/nowhere", server=server.address)


@pytest.mark.parametrize(("request_text", "place", "what"), [
    ('{"name": }', "line 1, column 10", "a value is needed"),
    ('{\n  "name": "x",\n}', "line 3, column 1", "not JSON"),
    ('{"settings": {\n "model": 7}}', "line 2, column 11", "model"),
    ('{"nam": "x"}', "line 1, column 9", 'no field "nam"'),
    ("", "line 1, column 1", "the text ends"),
])
def test_a_mistake_in_a_request_has_its_line_and_column(server, request_text, place, what):
    """One line, without a usage line, which would not help."""
    said = mistaken("call", "ThreadService/Start", request_text, server=server.address)
    assert place in said and what in said and "Usage" not in said


def test_a_misspelled_method_gets_the_three_nearest():
    """Without a list of all of them, and without asking a server."""
    for typed, meant in (("ThreadService/Strat", "ThreadService/Start"), ("turn/strt", "TurnService/Start"),
                         ("ListTreee", "AgentService/ListTree")):
        said = mistaken("call", typed, server="127.0.0.1:1")
        assert typed in said and meant in said and len(re.findall(r"\w+Service/\w+", said.partition("nearest")[2])) == 3


def test_a_methods_help_lists_its_fields_with_their_comments():
    """`heddle call METHOD --help`: names, types and the comments of the schema, those of nested messages too."""
    done = run("call", "TurnService/Start", "--help")
    assert done.returncode == 0
    for expected in ("TurnService/Start", "idempotency key", "  thread: UUID", "      Required.", "  input: TurnInput",
                     "ContentPart:", "WhenBusy, one of:"):
        assert expected in done.stdout, expected
    assert "has no fields" in run("call", "ServerService/Status", "--help").stdout
    assert "OVERVIEW" in run("call", "--help").stdout


def test_a_kind_that_no_frame_has_is_refused():
    """`heddle show --kind bogus`, before the file is opened."""
    done = run("show", "--kind", "bogus", "/dev/null")
    assert done.returncode == 64 and "no kind bogus" in done.stderr and "REQUEST" in done.stderr


def test_completion_knows_methods_kinds_and_levels():
    """The shell completes `call`, `show --kind` and `serve --log-level`."""
    script = run("--generate-completion-script", "bash").stdout
    for expected in ("ThreadService/Start", "GOAWAY", "critical"):
        assert expected in script, expected


def test_what_the_network_says_is_in_words(server, tmp_path):
    """A taken port, an unknown host and a page that cannot be written: in words, and the result is not lost."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run("serve", "--data", str(tmp_path / "data"), "--listen", address)
        assert done.returncode == 75 and f"cannot listen on {address}: Address already in use" in done.stderr
    done = run("load", "status", "--server", "nosuch.invalid:1")
    assert done.returncode == 1 and "the host nosuch.invalid is not known" in done.stderr
    done = run("load", "status", "--seconds", "0.2", "--html", "/nonexistent/x.html", "--json", server=server.address)
    assert done.returncode == 1 and json.loads(done.stdout)
    assert "/nonexistent/x.html cannot be written" in done.stderr
