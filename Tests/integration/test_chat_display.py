"""`heddle chat` in a terminal: the clock, Markdown, notices inside a text, and another width."""

import re
import uuid

import pytest

from harness.model_server import Hold, ModelServer, Reply, Text, event, stream
from provided import ProvidedServer, quick
from harness.server import BINARY
from terminal import Terminal


def chat(server, *arguments, **fields) -> Terminal:
    return Terminal(BINARY, "chat", "--server", server.address, *arguments, **fields)


@pytest.fixture
def provided(tmp_path):
    """A server whose model is behind HTTP, where a test holds its answers."""
    with ModelServer() as model, ProvidedServer(tmp_path, {"chat": quick(model, "chat")}) as server:
        yield model, server


def in_parts(*parts: str) -> tuple[Reply, list[Hold]]:
    """An answer in these pieces, with a hold in front of each but the first."""
    whole = stream("chat", [Text("".join(parts), 1)])
    holds = [Hold() for _ in parts[1:]]
    steps = [whole[0]]
    for number, part in enumerate(parts):
        steps += [holds[number - 1]] if number else []
        steps.append(event({"choices": [{"index": 0, "delta": {"content": part}}]}))
    return Reply([*steps, *whole[-3:]]), holds


def asked(model, terminal: Terminal, *parts: str) -> list[Hold]:
    """The chat asks, and shows the first piece of the answer."""
    reply, holds = in_parts(*parts)
    model.answers.append(reply)
    terminal.wait("idle · chat")
    terminal.enter("go")
    terminal.wait(parts[0].split("\n")[-1])
    return holds


def transcript(terminal: Terminal) -> list[str]:
    lines = terminal.screen.lines
    return lines[:max(index for index, line in enumerate(lines) if line.startswith("── "))]


def answer(terminal: Terminal) -> list[str]:
    """The rows between the question and the end of its turn."""
    terminal.wait(lambda text: "— done" in text and "── idle" in text.rpartition("— done")[2])
    lines = transcript(terminal)
    start = max(index for index, line in enumerate(lines) if line.startswith("› "))
    end = max(index for index, line in enumerate(lines) if line.startswith("— done"))
    return lines[start + 1:end]


def status(terminal: Terminal) -> str:
    """Nothing while the block is being painted."""
    return next((line for line in reversed(terminal.screen.lines) if line.startswith("── ")), "")


def thread_of(terminal: Terminal) -> bytes:
    return uuid.UUID(re.search(r"— thread ([0-9a-f-]{36})", terminal.text)[1]).bytes


def test_a_clock_runs_while_a_turn_does_and_disturbs_no_typing(server):
    with chat(server, "--model", "scripted-v2") as terminal:
        terminal.wait("idle · scripted-v2")
        terminal.enter("!stall")
        terminal.wait("── working · 0 s ·")
        terminal.type("half a li")
        terminal.wait("── working · 1 s ·")
        terminal.wait("› half a li")
        mark = len(terminal.raw)
        terminal.wait("── working · 3 s ·")
        # A second that goes by writes the status alone: nothing is cleared, and the line is not written again.
        assert b"\x1b[J" not in terminal.raw[mark:] and b"half" not in terminal.raw[mark:]
        terminal.type("ne")
        terminal.wait("› half a line")
        terminal.type("\x15\x03")
        terminal.wait("— interrupted")
        terminal.wait("── idle · scripted-v2 ──")
        assert status(terminal) == "── idle · scripted-v2 ──"


def test_the_clock_runs_while_a_tool_is_waited_for(server):
    with chat(server, "--model", "scripted-v2") as terminal:
        terminal.wait("idle · scripted-v2")
        terminal.enter('!tool request_user_input {"question": "Which?"}')
        terminal.wait(lambda _: re.search(r"working · [1-9] s · .*waits for your answer", status(terminal)))
        terminal.enter("this")
        terminal.wait("The tool said: this")
        terminal.wait("── idle · scripted-v2 ──")


MARKDOWN = """# Title

Some **bold**, *italic* and `code`, \\*no\\*, a [link](https://example.org) and 2 * 3.

- one of the items, which is so long that it goes on below its own first word
2. two
> quoted

```python
if  x:  # **not bold**, and wider than the terminal is, because code is never wrapped by words
```
end **unclosed"""


@pytest.mark.parametrize("pieces", [1, 7, 200])
def test_markdown_is_rendered_as_it_comes(provided, pieces):
    model, server = provided
    with chat(server, "--model", "chat", width=60) as terminal:
        model.answers.append(Reply(stream("chat", [Text(MARKDOWN, pieces)])))
        terminal.wait("idle · chat")
        terminal.enter("go")
        assert answer(terminal) == [
            "Title", "", "Some bold, italic and code, *no*, a link",
            "(https://example.org) and 2 * 3.", "",
            "• one of the items, which is so long that it goes on below", "  its own first word", "2. two", "│ quoted",
            "", "python", "if  x:  # **not bold**, and wider than the terminal is, beca",
            "use code is never wrapped by words", "end **unclosed"]
        for style in (rb"\x1b\[1mbold", rb"\x1b\[3mitalic", rb"\x1b\[36mcode", rb"\x1b\[1;4mTitle", rb"\x1b\[4mlink"):
            # A word in pieces is styled piece by piece.
            assert pieces > 7 or re.search(style, terminal.raw), style


@pytest.mark.parametrize("environment, arguments", [({"NO_COLOR": "1"}, []), ({}, ["--plain"])], ids=["no-color", "plain"])
def test_markdown_is_left_as_it_is_where_it_is_not_wanted(provided, environment, arguments):
    model, server = provided
    with chat(server, "--model", "chat", *arguments, environment=environment) as terminal:
        model.answers.append(Reply(stream("chat", [Text("# T\n- **b** `c`\n```py\nx\n```\nend", 5)])))
        terminal.wait("idle · chat")
        terminal.enter("go")
        assert answer(terminal) == ["# T", "- **b** `c`", "```py", "x", "```", "end"]
        assert not environment or not re.search(rb"\x1b\[[0-9;]*m", terminal.raw)


def test_a_notice_waits_for_the_line_or_stands_between_words(provided):
    model, server = provided
    with chat(server, "--model", "chat") as terminal, server.connect() as connection:
        first, second, third = asked(model, terminal, "An extra", "ordi", "nary line\nand an ex", "cellent one")
        thread = thread_of(terminal)
        # A model that is silent in the middle of a word: the word goes on below the notice.
        connection.call("Thread.SetName", thread=thread, name="renamed")
        terminal.wait("— the thread is named renamed\nextra")
        assert "An extra\n" not in terminal.text
        first.let_go()
        terminal.wait("extraordi")
        second.let_go()
        terminal.wait("and an ex")
        connection.call("Thread.SetName", thread=thread, name="again")
        terminal.wait("— the thread is named again\nex")
        third.let_go()
        assert answer(terminal) == [
            "An", "— the thread is named renamed", "extraordinary line", "and an", "— the thread is named again",
            "excellent one"]


def test_a_notice_that_comes_shortly_before_the_end_of_a_line_stands_below_it(provided):
    model, server = provided
    with chat(server, "--model", "chat") as terminal, server.connect() as connection:
        (rest,) = asked(model, terminal, "Extra", "ordinary\nthings happen")
        connection.call("Thread.SetName", thread=thread_of(terminal), name="renamed")
        rest.let_go()
        lines = answer(terminal)
        assert "— the thread is named renamed" in lines
        assert [line for line in lines if not line.startswith("—")] == ["Extraordinary", "things happen"]


@pytest.mark.parametrize("width", [60, 30, 20, 100])
def test_a_resize_in_the_middle_of_a_word_goes_on_with_the_word(provided, width):
    model, server = provided
    with chat(server, "--model", "chat", width=80) as terminal:
        middle, last = asked(
            model, terminal, "The quick brown fox jumps over the la", "zy dog and runs away", " into the dark wood")
        mark = len(terminal.raw)
        terminal.resize(width)
        terminal.wait(lambda _: len(terminal.raw) > mark and terminal.screen.lines[-1] == "›")
        middle.let_go()
        terminal.wait("away")
        last.let_go()
        lines = answer(terminal)
        assert all(len(line) < width for line in lines)
        assert " ".join(lines) == "The quick brown fox jumps over the lazy dog and runs away into the dark wood"
