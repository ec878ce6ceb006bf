"""`heddle chat`: the lines that a person entered, in later chats."""

import os
import stat

import pytest

from harness.server import BINARY
from terminal import Terminal

HISTORY = "chat-history"


def chat(server, *arguments, **fields) -> Terminal:
    return Terminal(BINARY, "chat", "--server", server.address, *arguments, **fields)


def environment_of(folder, **variables) -> dict:
    return {"HOME": str(folder), "XDG_STATE_HOME": None, "HEDDLE_CHAT_HISTORY": None, **variables}


def entered(server, *lines: str, environment: dict, arguments=()) -> str:
    """A chat in which these lines are entered. Gives its screen."""
    with chat(server, *arguments, environment=environment) as terminal:
        terminal.wait("── idle")
        for number, line in enumerate(lines, 1):
            terminal.enter(line)
            terminal.wait("— done", number)
        terminal.type("\x04")
        assert terminal.end() == 0
        return terminal.text


def recalled(server, environment: dict, presses: int = 1) -> str:
    """The line that so many presses of the upper arrow bring into a new chat."""
    with chat(server, environment=environment) as terminal:
        terminal.wait("── idle")
        terminal.type("\x1b[A" * presses + "!")
        terminal.wait(lambda text: text.endswith("!"))
        lines = terminal.screen.lines
        start = max(index for index, line in enumerate(lines) if line.startswith("› "))
        return "\n".join(line[2:] for line in lines[start:])[:-1]


def test_lines_are_there_in_the_next_chat_and_only_for_their_user(server, tmp_path):
    before = os.umask(0)
    try:
        entered(server, "one", "two\nlines \\ n", "two\nlines \\ n", " secret", environment=environment_of(tmp_path))
    finally:
        os.umask(before)
    file = tmp_path / ".local" / "state" / "heddle" / HISTORY
    assert file.read_text() == "one\ntwo\\nlines \\\\ n\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert recalled(server, environment_of(tmp_path)) == "two\nlines \\ n"
    file.write_text("one\n")
    file.chmod(0o644)
    assert recalled(server, environment_of(tmp_path)) == "one"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_place_of_the_history_is_the_users_choice(server, tmp_path):
    state, other = tmp_path / "state", tmp_path / "other"
    entered(server, "here", environment=environment_of(tmp_path, XDG_STATE_HOME=str(state)))
    assert (state / "heddle" / HISTORY).read_text() == "here\n"
    entered(server, "there", environment=environment_of(tmp_path, HEDDLE_CHAT_HISTORY=str(other)))
    assert other.read_text() == "there\n"
    home = tmp_path / "home"
    home.mkdir()
    entered(server, "off", environment=environment_of(home, HEDDLE_CHAT_HISTORY=""))
    entered(server, "off", environment=environment_of(home), arguments=["--no-history"])
    assert not list(home.iterdir())


def test_the_newest_thousand_lines_are_kept_and_two_chats_lose_none(server, tmp_path):
    file = tmp_path / "file"
    file.write_text("".join(f"line {number}\n" for number in range(1_500)))
    environment = environment_of(tmp_path, HEDDLE_CHAT_HISTORY=str(file))
    with chat(server, environment=environment) as first, chat(server, environment=environment) as second:
        for number, terminal in enumerate((first, second, first), 1):
            terminal.wait("── idle")
            terminal.enter(f"new {number}")
            terminal.wait(f"You said: new {number}")
    lines = file.read_text().splitlines()
    assert len(lines) == 1_000
    assert lines[0] == "line 503" and lines[-3:] == ["new 1", "new 2", "new 3"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("file")] == ["file"]


@pytest.mark.parametrize("kind", ["folder", "below-a-file", "device"])
def test_a_history_that_cannot_be_kept_is_told_of_once_and_the_chat_goes_on(server, tmp_path, kind):
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("")
    path = {"folder": tmp_path / "folder", "below-a-file": tmp_path / "plain" / "x", "device": "/dev/null"}[kind]
    text = entered(server, "one", "two", environment=environment_of(tmp_path, HEDDLE_CHAT_HISTORY=str(path)))
    assert "You said: two" in text
    assert " ".join(text.split()).count("— no history is kept: ") == 1
