"""`heddle chat` in a terminal: what a person sees and does, over turns, agents, questions and restarts.

The rules that it shows to a person are those of docs/rules.md.
"""

import itertools
import re
import select
import signal
import socket
import subprocess
import threading
import uuid

import pytest

from harness.messages import METHODS, client_pb2, settings_pb2, thread_pb2, turn_pb2
from harness.model_server import Brain, Hold, ModelServer, Reply, Text, stream
from harness.server import BINARY, Server
from harness.wire import REQUEST, RESPONSE, Frame
from provided import ProvidedServer, quick
from terminal import Screen, Terminal

SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT]
NUMBERS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"


def chat(server: Server, *arguments, **fields) -> Terminal:
    return Terminal(BINARY, "chat", "--server", server.address, *arguments, **fields)


@pytest.fixture
def terminal(server):
    """A chat in a new thread of a model that has agents."""
    with chat(server, "--model", "scripted-v2") as running:
        running.wait("idle · scripted-v2")
        yield running


def thread_of(terminal: Terminal) -> bytes:
    return bytes.fromhex(re.search(r"— thread ([0-9a-f-]{36})", terminal.text)[1].replace("-", ""))


def transcript(terminal: Terminal) -> list[str]:
    """The lines of the conversation, without the block at the bottom."""
    lines = terminal.screen.lines
    status = max(index for index, line in enumerate(lines) if line.startswith("── "))
    return lines[:status]


def test_the_screen_of_these_tests_breaks_and_joins_lines_as_terminals_do():
    screen = Screen(10, 5)
    screen.write("abcdefghi日x\r\n\x1b[1A\x1b[4Cy")
    assert screen.lines == ["abcdefghi", "日x y", ""]
    screen.write("\r\x1b[J")
    assert screen.lines == ["abcdefghi", ""]


@pytest.fixture
def held(tmp_path):
    """A chat whose model is behind HTTP, where a test holds its answers."""
    with ModelServer() as model, ProvidedServer(tmp_path, {"chat": quick(model, "chat")}) as server, \
            chat(server, "--model", "chat") as terminal:
        terminal.wait("idle · chat")
        yield model, server, terminal


def in_pieces(pieces: int) -> tuple[Reply, list[Hold]]:
    """NUMBERS, with a hold behind each piece."""
    events, holds = stream("chat", [Text(NUMBERS, pieces)]), [Hold() for _ in range(pieces)]
    steps = [events[0], *itertools.chain(*zip(events[1:], holds)), *events[1 + pieces:]]
    return Reply(steps), holds


def test_text_streams_above_the_line_that_is_being_written(held):
    model, _, terminal = held
    reply, holds = in_pieces(4)
    model.answers.append(reply)
    terminal.enter("tell me")
    terminal.type("a half")
    for hold, word in zip(holds, ("four", "seven", "eleven", "sixteen")):
        terminal.wait(lambda text: word in text and "› a half" in text)
        # The answer has only begun: it comes in pieces.
        assert ("sixteen" in terminal.text) == (word == "sixteen") and "— done" not in terminal.text
        hold.let_go()
    # A screen is painted piece by piece: its last line is there when all of it is.
    terminal.wait(lambda text: "— done" in text and "› a half" in text.rpartition("── idle")[2])
    assert transcript(terminal)[-2] == NUMBERS
    assert terminal.screen.lines[-1] == "› a half"
    terminal.type("\x15hello\x1b[D\x1b[D\x1b[D\x1b[DH\x1b[3~\x05!\r")
    terminal.wait("You said: hHllo!")


def test_control_c_interrupts_and_twice_leaves(terminal):
    terminal.enter("!stall")
    terminal.wait("── working")
    assert terminal.is_raw
    terminal.type("\x03")
    terminal.wait("— interrupted")
    terminal.type("\x03")
    terminal.wait("Ctrl-C again")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert terminal.is_restored


def test_control_d_leaves_and_the_thread_can_be_gone_on_with(server, terminal):
    terminal.enter("remember me")
    terminal.wait("You said: remember me")
    terminal.wait("── idle")
    terminal.type("\x04")
    assert terminal.end() == 0
    assert terminal.is_restored
    thread = re.search(r"heddle chat --thread ([0-9a-f-]{36})", terminal.text)[1]
    with chat(server, "--thread", thread) as again:
        again.wait("── idle")
        again.wait("You said: remember me")
        assert again.text.count("› remember me") == 1
        again.enter("more")
        again.wait("You said: more")


def test_enter_steers_and_queue_queues(held):
    """U1 a turn that finds another one running waits; U2 steered input reaches the running one."""
    model, server, terminal = held
    reply, holds = in_pieces(2)
    model.answers.append(reply)
    terminal.enter("tell me")
    terminal.wait("one two")
    terminal.enter("/queue for later")
    terminal.wait("— queued (1): for later")
    terminal.enter("and this")
    terminal.wait("› and this (added to the running turn)")
    for hold in holds:
        hold.let_go()
    terminal.wait("You said: for later")
    terminal.wait("— done", 2)
    # All of the first answer, then the steered one, in one turn; the queued one in another.
    said = " ".join(" ".join(transcript(terminal)).split())
    assert said.index("You said: and this") < said.index("— done") < said.index("› for later")
    with server.connect() as connection:
        assert len(connection.call("Thread.ListTurns", thread=thread_of(terminal)).turns) == 2


def test_the_mode_is_switched_while_a_turn_runs(server, terminal):
    terminal.enter("!stall")
    terminal.wait("── working")
    terminal.enter("/mode proactive")
    terminal.wait("— from the next turn on: mode proactive")
    with server.connect() as connection:
        mode = connection.call("Settings.Read", thread=thread_of(terminal)).settings.mode
        assert mode == settings_pb2.MULTI_AGENT_MODE_PROACTIVE
        terminal.enter("/mode unset")
        terminal.wait("— from the next turn on: mode unset")
        assert not connection.call("Settings.Read", thread=thread_of(terminal)).settings.HasField("mode")
    terminal.enter("/interrupt")
    terminal.wait("— interrupted")


def test_a_question_is_shown_and_answered(terminal):
    terminal.enter('!tool request_user_input {"question": "Which colour?", "choices": ["Red", "Blue"]}')
    terminal.wait("answer ›")
    assert [line for line in terminal.screen.lines if line.startswith(("? ", "  1", "  2"))] == [
        "? Which colour?", "  1  Red", "  2  Blue"]
    terminal.enter("7")
    terminal.wait("Choose 1 to 2")
    terminal.enter("2")
    terminal.wait("✓ request_user_input: Blue")
    terminal.wait("The tool said: Blue")
    terminal.enter('!tool request_user_input {"question": "And why?"}')
    terminal.wait("? And why?")
    terminal.enter("/decline")
    terminal.wait("✗ request_user_input (tool_failed): The user declined to answer.")


def test_another_clients_answer_is_told(server, terminal):
    """A9 the first answer counts, and the client that was asked too learns of it."""
    other = server.connect(features=["request_user_input"])
    with other:
        other.follow(thread_of(terminal))
        terminal.enter('!tool request_user_input {"question": "Who is there?"}')
        terminal.wait("? Who is there?")
        asked = other.wait_for(lambda frame: frame.kind == REQUEST)
        request = client_pb2.RequestUserInputRequest.FromString(asked.body)
        answer = client_pb2.RequestUserInputResponse(answer="somebody else", action_hash=request.action_hash)
        other.send_frame(
            Frame(RESPONSE, METHODS["Client.RequestUserInput"].number, asked.stream, answer.SerializeToString()))
        terminal.wait("✓ request_user_input: somebody else")
        terminal.wait("— another client has answered")
        terminal.wait("── idle")
        assert terminal.screen.lines[-1] == "›"


@pytest.fixture
def ada(tmp_path):
    """A chat with a model that has agents; the one named ada is held."""
    hold, brain = Hold(), Brain()

    def answer(request):
        if any(receiver == "/root/ada" for _, _, receiver, _ in request.of("mail")):
            return Reply([hold, *stream("chat", [Text("four and two is six")])])
        return brain(request)
    with ModelServer(answer) as model, \
            ProvidedServer(tmp_path, {"chat": quick(model, "chat")}, models={"chat": {"version": "V2"}}) as server, \
            chat(server, "--model", "chat") as terminal:
        terminal.wait("idle · chat")
        yield hold, terminal


def test_the_tree_of_agents_grows_before_ones_eyes(ada):
    hold, terminal = ada
    terminal.enter("\n".join([
        '!tool spawn_agent {"task_name": "ada", "message": "add four and two"}',
        '!tool spawn_agent {"task_name": "bob", "message": "!fail"}',
        "!then", "!say They are at work."]))
    terminal.wait("[/root/ada] works")
    terminal.wait("They are at work.")
    text = terminal.wait(lambda text: re.search(r"─ ada  working .*\n(.*\n)?── .*1 agent at work", text))
    assert "• spawn_agent task_name=ada message=add four and two" in text
    terminal.wait("[/root/bob] failed: model_failed")
    hold.let_go()
    terminal.wait("[/root/ada] answered: four and two is six")
    terminal.wait(lambda text: "at work ──" not in text)
    assert terminal.text.count("answered: four and two is six") == 1
    terminal.enter("/agents")
    terminal.wait(lambda text: re.search(r"─ ada  done", text) and re.search(r"─ bob  failed", text))


def test_a_chat_goes_on_after_kill_9_in_the_middle_of_a_turn(tmp_path):
    """U4 the turn that was running is ended by one interruption, and what is entered meanwhile becomes a turn, once."""
    with Server(tmp_path / "data") as server:
        server.listen = server.address
        with chat(server) as terminal:
            terminal.wait("── idle")
            thread = thread_of(terminal)
            terminal.enter(f"!delay 1000\n!say {NUMBERS}")
            terminal.wait("\none two")
            server.kill()
            terminal.wait("— the connection was lost; connecting again")
            terminal.wait("not connected")
            terminal.enter("sent meanwhile")
            terminal.wait("Not connected; it will be sent.")
            server.start()
            terminal.wait("— connected again")
            terminal.wait("— interrupted")
            terminal.wait("You said: sent meanwhile")
            terminal.wait("— done")
            terminal.enter("and on")
            terminal.wait("You said: and on")
            lines = transcript(terminal)
            said = [line for line in lines if line.startswith("one")]
            assert len(said) == 1 and NUMBERS.startswith(said[0]), said
            assert [line for line in lines if line.startswith("› ")] == [
                "› !delay 1000", "› sent meanwhile", "› and on"]
            with server.connect() as connection:
                turns = connection.call(
                    "Thread.ListTurns", thread=thread, order=thread_pb2.LIST_ORDER_OLDEST_FIRST).turns
                assert [turn.status for turn in turns] == [
                    turn_pb2.TURN_STATUS_INTERRUPTED, turn_pb2.TURN_STATUS_COMPLETED, turn_pb2.TURN_STATUS_COMPLETED]


class Cutter:
    """A proxy in front of a server. Once, when it is told to, it lets a request through and swallows the answer."""

    def __init__(self, address: str):
        host, port = address.rsplit(":", 1)
        self.target = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.armed, self.cuts = False, 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            with near, socket.create_connection(self.target) as far:
                self._relay(near, far)

    def _relay(self, near: socket.socket, far: socket.socket):
        sent = False
        while True:
            for source in select.select([near, far], [], [])[0]:
                data = source.recv(1 << 16)
                if not data:
                    return
                if source is near:
                    sent = sent or self.armed
                    far.sendall(data)
                elif sent:
                    self.armed, self.cuts = False, self.cuts + 1
                    return
                else:
                    near.sendall(data)

    def close(self):
        self.listener.close()


def test_a_request_whose_answer_was_lost_is_not_done_twice(server):
    """E2 the retry with the same key finds the first result."""
    cutter = Cutter(server.address)
    with Terminal(BINARY, "chat", "--server", cutter.address) as terminal:
        terminal.wait("── idle")
        cutter.armed = True
        terminal.enter("just once")
        terminal.wait("— connected again")
        terminal.wait("— done")
        terminal.enter("and then")
        terminal.wait("You said: and then")
        assert cutter.cuts == 1
        assert terminal.text.count("You said: just once") == 1
        with server.connect() as connection:
            assert len(connection.call("Thread.ListTurns", thread=thread_of(terminal)).turns) == 2
    cutter.close()


def test_another_thread_and_back(server, terminal):
    terminal.enter("in the first")
    terminal.wait("You said: in the first")
    first = thread_of(terminal).hex()
    terminal.enter("/new")
    terminal.wait("— a new thread")
    terminal.wait("— thread", 2)
    terminal.wait("── idle")
    terminal.enter("in the second")
    terminal.wait("You said: in the second")
    terminal.enter(f"/open {first}")
    terminal.wait("You said: in the first", 2)
    # The same again: what followed it before is out of the way.
    terminal.enter(f"/open {first}")
    terminal.wait("You said: in the first", 3)
    terminal.enter("more")
    terminal.wait("You said: more")


def test_what_a_model_says_does_not_steer_the_terminal(server, terminal):
    with server.connect() as connection:
        # Not typed: what another client sends is shown too. The screen fails on any sequence that it does not know.
        evil = "!say a\x1b]0;title\x07b\x1b[2Jc\x9b1Ad\u202ee\rf"
        connection.start_turn(thread_of(terminal), evil)
    terminal.wait("\na␛]0;title␇b␛[2Jc�1Ad�e␍f")
    terminal.enter("日本語 e\u0301 😀")
    terminal.wait("You said: 日本語 e\u0301 😀")


def test_no_color_means_none(server):
    with chat(server, environment={"NO_COLOR": "1"}) as terminal:
        terminal.wait("── idle")
        terminal.enter("hi")
        terminal.wait("You said: hi")
        assert not re.search(rb"\x1b\[[0-9;]*m", terminal.raw)
    with chat(server, environment={"NO_COLOR": ""}) as terminal:
        terminal.wait("── idle")
        assert re.search(rb"\x1b\[[0-9;]+m", terminal.raw)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_the_terminal_is_given_back_whatever_ends_the_program(server, number):
    # The runtime's own report of a crash is not what this is about, and takes its time.
    with chat(server, environment={"SWIFT_BACKTRACE": "enable=no"}) as terminal:
        terminal.wait("── idle")
        assert terminal.is_raw
        terminal.signal(number)
        crashed = number in (signal.SIGSEGV, signal.SIGABRT)
        assert terminal.end() == (-number if crashed else 128 + number)
        assert terminal.is_restored


def test_control_z_gives_the_terminal_to_the_shell_and_takes_it_back(server):
    """A shell with job control is between: it is what stops and wakes the program."""
    with Terminal("bash", "--norc", "-i", environment={"PS1": "shell> "}) as terminal:
        terminal.wait("shell>")
        terminal.enter(f"{BINARY} chat --server {server.address}")
        terminal.wait("── idle")
        terminal.type("kept")
        terminal.wait("› kept")
        terminal.type("\x1a")
        terminal.wait("Stopped")
        terminal.wait(lambda text: text.endswith("shell>"))
        terminal.enter("fg")
        terminal.wait(lambda text: text.endswith("› kept"))
        terminal.type(" on\r")
        terminal.wait("You said: kept on")
        terminal.type("\x04")
        terminal.wait(lambda text: text.endswith("shell>"))


def piped(server: Server, text: str, *arguments) -> subprocess.CompletedProcess:
    return subprocess.run([BINARY, "chat", "--server", server.address, *arguments], input=text, capture_output=True,
                          text=True, timeout=60)


def test_lines_of_a_pipe_are_turns_and_answers_its_output(server):
    done = piped(server, "hi\ntwo \\\nlines\n!tool nothing {}\nlast")
    assert done.stdout.splitlines() == [
        "You said: hi", "You said: two ", "lines",
        "The tool said: There is no tool named `nothing` in this thread. Go on without it.", "You said: last"]
    assert done.returncode == 0
    assert "• nothing" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_many_lines_of_a_pipe_are_one_turn_each(server):
    """More than a thread may queue: each waits for the turn before it."""
    done = piped(server, "".join(f"line {number}\n" for number in range(40)))
    assert done.stdout.splitlines() == [f"You said: line {number}" for number in range(40)]


def test_a_failed_turn_of_a_pipe_is_a_failure(server):
    done = piped(server, "!fail\nafter\n")
    assert done.returncode == 1
    assert "✗ the turn failed: model_failed" in done.stderr
    assert done.stdout == "You said: after\n"


def settled_thread(server, *inputs: str) -> str:
    """A thread with these turns behind it, by name."""
    with server.connect() as connection:
        thread, follower = connection.start_followed()
        for text in inputs:
            follower.until_ended(connection.start_turn(thread.id, text).turn)
        return str(uuid.UUID(bytes=thread.id))


def test_h4_a_pipe_into_a_thread_prints_the_new_answer_alone(server):
    """Old answers of the thread are on neither output."""
    name = settled_thread(server, "!say the old answer", "!say another old one")
    done = piped(server, "hi\nand on\n", "--thread", name)
    assert (done.returncode, done.stdout) == (0, "You said: hi\nYou said: and on\n")
    assert "old" not in done.stderr


def test_h4_the_status_of_a_pipe_is_that_of_its_own_turn(server):
    """An old turn that failed is no failure of a new one; a new one that fails is, whatever went before."""
    failed, good = settled_thread(server, "!fail"), settled_thread(server, "fine")
    done = piped(server, "hi\n", "--thread", failed)
    assert (done.returncode, done.stdout) == (0, "You said: hi\n") and "failed" not in done.stderr
    done = piped(server, "!fail\n", "--thread", good)
    assert (done.returncode, done.stdout) == (1, "") and "model_failed" in done.stderr


def test_h4_a_pipe_waits_for_the_turn_of_another_and_does_not_print_it(server):
    """The turn runs when the pipe comes, and is let go when the line has been queued behind it."""
    with server.connect() as connection:
        thread, follower = connection.start_followed()
        running = connection.start_turn(thread.id, "!stall").turn
        with subprocess.Popen([BINARY, "chat", "--server", server.address, "--thread",
                               str(uuid.UUID(bytes=thread.id))], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            process.stdin.write("hi\n")
            process.stdin.close()
            follower.until_event("turn_queued")
            connection.call("Turn.Interrupt", thread=thread.id, turn=running)
            assert process.wait(60) == 0
            assert process.stdout.read() == "You said: hi\n"
            assert "interrupted" not in process.stderr.read()


def test_control_c_in_a_pipe_interrupts_and_ends(server):
    with subprocess.Popen([BINARY, "chat", "--server", server.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        process.stdin.write("!chunks 2\n!stall\nnever\n")
        process.stdin.flush()
        while "› !stall" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "— interrupted" in rest and "never" not in rest


def test_a_thread_that_is_deleted_meanwhile_is_said_to_be(server, terminal):
    with server.connect() as connection:
        connection.call("Thread.Delete", thread=thread_of(terminal))
    terminal.wait("✗ this thread can be followed no more")
    terminal.enter("/new")
    terminal.wait("— thread", 2)
    terminal.enter("hi again")
    terminal.wait("You said: hi again")


def test_a_thread_that_is_not_there_and_a_server_that_is_not_there_are_said_to_be(server):
    missing = piped(server, "hi\n", "--thread", "01a20114-1b49-713a-9b05-edae57955be7")
    assert missing.returncode == 1
    assert "(thread)" in missing.stderr
    nobody = subprocess.run([BINARY, "chat", "--server", "127.0.0.1:1"], input="hi\n", capture_output=True, text=True,
                            timeout=60)
    assert nobody.returncode == 1
    assert "cannot reach a server" in nobody.stderr
