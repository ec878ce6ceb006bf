"""rules.md M4 to M7, U2 to U4, A4, A5, T3, T7: what a model receives for a given history, word for word. One file of
golden/ for each rule that changes a model's input, to be read beside the rule; ids are names there, and the server's
own texts are short ones of this file's configuration, but for one file that has those that Heddle comes with.

HEDDLE_GOLDEN=write writes the files anew: read the difference before it is committed."""

import contextlib
import difflib
import json
import os
import pathlib
import re

import pytest

from agents import STALL, V1, V2, Team, agents_server, held, spawn, spawn_v1, tool
from harness.messages import words
from recorded import features, quiet

GOLDEN = pathlib.Path(__file__).with_name("golden")
WRITES = os.environ.get("HEDDLE_GOLDEN") == "write"
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NICKNAME = re.compile(r'"nickname":"[^"]+"')
TEXTS = {f"HEDDLE_TEXTS_{name.upper()}": text for name, text in {
    "explicit_mode": "Delegate only when asked to.", "proactive_mode": "Delegate as you see fit.",
    "root_hint": "(hint for a root)", "agent_hint": "(hint for an agent)", "interruption": "It was interrupted.",
    "compaction": "Sum it up.", "summary_introduction": "What was, in short:"}.items()}
PROACTIVE, EXPLICIT = {"mode": {"set": 2}}, {"mode": {"set": 1}}
DISABLED = "scripted-disabled"


def later(*steps) -> str:
    """An agent whose messages come after the turn that started it: within the turn, their place would be chance."""
    return held(*steps, tool_name="lookup")


# How a request is written down


class Page:
    """The input of models, in the order of the story."""

    def __init__(self):
        self.lines: list[str] = []
        self.ids: dict[str, str] = {}

    def add(self, title: str, requests: list):
        for number, request in enumerate(requests, 1):
            mode = f", mode {request.effective_mode}" if request.effective_mode else ""
            kind = " (to sum up)" if request.compaction else ""
            self.lines += [f"=== {title}, request {number}{kind}: {request.version}{mode}",
                           f"tools: {', '.join(request.tools) or 'none'}", ""]
            for item in request.items:
                self.lines += self.item(item)
            self.lines.append("")

    def item(self, item: dict) -> list[str]:
        match item["kind"]:
            case "message":
                head, text = item["role"].lower(), item["text"]
            case "marker":
                head, text = f"{item['role'].lower()}, marker", item["text"]
            case "tool_call":
                head, text = "call", f"{item['name']} {item['arguments']}"
            case "tool_output":
                head, text = "output" + (f", {item['reason']}" if item["reason"] else ""), item["text"]
            case "agent_message":
                head = f"{item['message']} from {item['author']} to {item['recipient']}"
                text = item["text"]
            case other:
                head, text = other, item["text"]
        return [f"[{head}]", *(f"  {line}".rstrip() for line in self.named(text).split("\n"))]

    def named(self, text: str) -> str:
        """Ids are numbered as they come; names for people are chance."""
        text = NICKNAME.sub('"nickname":"NICKNAME"', text)
        return UUID.sub(lambda found: self.ids.setdefault(found.group(), f"<id {len(self.ids) + 1}>"), text)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).rstrip("\n") + "\n"


# Stories, one for each file


def m6_the_mode_is_told_when_it_changes(story) -> Page:
    """M4, M5, M6: unset, proactive, the same again, an update to explicit."""
    page, team = Page(), story.start()
    for number, change in enumerate(({}, PROACTIVE, {}, EXPLICIT), 1):
        story.turn(page, f"turn {number}", team, f"words {number}", settings=change)
    return page


def m6_a_root_of_v1_and_one_without_agents_are_told_nothing(story) -> Page:
    """M3, M4, V10: no hint, no fragment, whatever was selected."""
    page = Page()
    for model in (V1, DISABLED):
        story.turn(page, model, story.start(model, settings=PROACTIVE), "words")
    return page


def m6_a_proactive_thread_whose_hints_go_and_come(story) -> Page:
    """M6 (b), (c): hints off: the explicit text, once; hints on again: what was selected."""
    page, team = Page(), story.start(settings=PROACTIVE)
    team.run("words 1")
    for number, hints in ((2, "false"), (3, "true")):
        story.restart(HEDDLE_TEXTS_USAGE_HINTS=hints)
        team = Team.resume(story.server, story.connection, team.id)
        story.turn(page, f"hints {'on' if hints == 'true' else 'off'}", team, f"words {number}")
    return page


def m6_instructions_come_first(story) -> Page:
    """M6, S1: instructions of the client, the hint, the mode, the user; instructions that change are told again."""
    page, team = Page(), story.start(settings={"developer_instructions": "Be brief."})
    story.turn(page, "turn 1", team, "words 1")
    story.turn(page, "turn 2", team, "words 2", settings={"developer_instructions": "Be long.", **PROACTIVE})
    return page


def m7_all_turns_rolled_back(story) -> Page:
    """M7: a rollback of all turns does not duplicate the fragment; one of some continues from what stayed."""
    page, team = Page(), story.start()
    team.run("words 1")
    team.run("words 2", settings=PROACTIVE)
    team.connection.call("Thread.Rollback", thread=team.id, turns=1)
    story.turn(page, "behind a rollback of one turn", team, "words 3")
    team.connection.call("Thread.Rollback", thread=team.id, turns=2)
    story.turn(page, "behind a rollback of all", team, "words 4")
    return page


def u2_steered_input_follows_at_the_next_step(story) -> Page:
    """U2: behind what was said until then, in order."""
    page, team = Page(), story.start()
    turn = team.begin("!chunks 3\n!delay 1500\n!say the answer")
    team.follower.until_text()
    streams = [team.connection.open("Turn.Steer", thread=team.id, turn=turn, input=words(text))
               for text in ("and this", "and that")]
    for stream in streams:
        team.connection.answer(stream, "Turn.Steer")
    team.follower.until_ended(turn)
    page.add("steered", team.requests())
    return page


def u3_the_marker_of_an_interruption(story) -> Page:
    """U3: role developer for V2, user for V1 and DISABLED; steered text is not lost."""
    page = Page()
    for model in (V2, V1, DISABLED):
        team = story.start(model)
        turn = team.begin(STALL)
        team.follower.until_event("turn_started", turn=turn)
        team.connection.call("Turn.Steer", thread=team.id, turn=turn, input=words("steered"))
        team.connection.call("Turn.Interrupt", thread=team.id, turn=turn)
        team.follower.until_ended(turn)
        story.turn(page, model, team, "and on")
    return page


def u4_the_marker_behind_a_crash(story) -> Page:
    """U4: a turn found running after a crash is told like any interruption; its open call has an output."""
    page = Page()
    threads = []
    for model in (V2, V1):
        team = story.start(model)
        turn = team.begin([tool("lookup", word="x"), tool("no_such_tool")], "!say never said")
        team.follower.until_event("turn_started", turn=turn)
        team.follower.until(lambda message: message.status.status.waiting_on_tool)
        threads.append(team.id)
    story.restart()
    for model, thread in zip((V2, V1), threads):
        story.turn(page, model, Team.resume(story.server, story.connection, thread), "and on")
    return page


def t3_a_fork_in_the_middle_of_a_turn(story) -> Page:
    """T3: a fork of a running turn ends in an interruption; the source does not notice."""
    page, team = Page(), story.start(settings=PROACTIVE)
    team.run("words 1")
    turn = team.begin(STALL)
    team.follower.until_event("turn_started", turn=turn)
    fork = team.connection.call("Thread.Fork", thread=team.id, subscribe=False).thread
    story.turn(page, "the fork", Team.resume(story.server, team.connection, fork.id), "words of the fork")
    return page


def conversation(team: Team):
    """Two turns with a thought, calls, an answer on the way, another agent's message."""
    team.run("!think a thought\n" + tool("list_agents") + "\n!say first answer\nfirst words", settings=PROACTIVE)
    team.run(spawn("helper", later("!say help")) + "\n!say second answer")
    team.let_go("/root/helper")
    team.until_mail(1)


def a4_what_an_agent_of_v2_is_given(story) -> Page:
    """A4: fork_turns none, 1, 2, all: the hint is the agent's, the context is fresh unless the history is whole, and
    only what was said is copied; the effective mode comes along (M9)."""
    page = Page()
    for turns in ("none", "1", "2", "all"):
        team = story.start()
        conversation(team)
        team.run("third words\n" + spawn("child", "the task", fork_turns=turns))
        team.until_turns("/root/child", 1)
        page.add(f"fork_turns {turns}", team.requests("/root/child"))
    return page


def a4_an_agent_of_an_agent(story) -> Page:
    """A4: with the whole history of an agent: its hint is taken out and given anew, its task is not copied."""
    page, team = Page(), story.start()
    team.run(spawn("a", "first task\n" + spawn("b", "second task", fork_turns="all"), fork_turns="all"))
    team.until_turns(team.until_spawned("/root/a"), 1)
    team.until_turns(team.until_spawned("/root/a/b"), 1)
    page.add("/root/a/b", team.requests("/root/a/b"))
    return page


def wait_v1() -> str:
    return tool("wait_agent", targets=["{agent:1}"], timeout_ms=60_000)


def a4_what_an_agent_of_v1_is_given(story) -> Page:
    """A4, A2: a task as a user's message; with fork_context what was said in front of it; no tools for agents."""
    page = Page()
    for copied in (False, True):
        team = story.start(V1, settings=PROACTIVE)
        team.run("!think a thought\n!tool no_such_tool\n!say first answer\nfirst words")
        team.run("second words\n" + spawn_v1("the task", fork_context=copied), wait_v1())
        page.add(f"fork_context {str(copied).lower()}", team.requests(team.agents()[0].thread))
    return page


def a5_how_answers_reach_a_parent_of_v2(story) -> Page:
    """A5: final answers of completed and failed turns, between the outputs of the step and the next one; mail of an
    idle parent in front of the user's words; messages and tasks at the agent."""
    page, team = Page(), story.start()
    turn = team.begin(spawn("a", later("!say answer of a")), tool("wait_agent", timeout_ms=60_000), "!say read")
    team.follower.until(lambda message: message.event.item_completed.item.tool_call.name == "wait_agent")
    team.let_go("/root/a")
    team.follower.until_ended(turn)
    team.run(spawn("b", later("!fail")))
    team.let_go("/root/b")
    team.until_mail(2)
    story.turn(page, "the root", team, "and on")
    team.run([tool("send_message", target="a", message="a word"), tool("followup_task", target="a", message="more")])
    team.until_mail(3)
    page.add("/root/a", team.requests("/root/a"))
    return page


def a5_how_notices_reach_a_parent_of_v1(story) -> Page:
    """A5: a note in the name of the user, once for each end of an agent, for a closing by a client too."""
    page, team = Page(), story.start(V1)
    team.run(spawn_v1(later("!say answer of a")))
    team.let_go(team.agents()[0].thread)
    team.until_mail(1)
    team.run(wait_v1())
    team.run(spawn_v1(later("!fail")))
    team.let_go(team.agents()[1].thread)
    team.until_mail(2)
    team.run(spawn_v1(STALL))
    team.connection.call("Agent.Close", thread=team.agents()[2].thread)
    team.until_mail(3)
    story.turn(page, "the root", team, "and on")
    return page


def t7_a_context_that_was_summed_up(story) -> Page:
    """T7, M7: what the model is given to sum up, and what it is given behind it, with the initial context anew."""
    page, team = Page(), story.start(settings=PROACTIVE)
    team.run("!tool no_such_tool\n!say first answer\nfirst words")
    asked = len(team.requests())
    turn = team.connection.call("Thread.Compact", thread=team.id).turn
    team.follower.until_ended(turn)
    page.add("summing up", team.requests()[asked:])
    story.turn(page, "the next turn", team, "second words")
    return page


def t7_a_context_that_is_summed_up_in_a_turn(story) -> Page:
    """T7, M7: before the window is full: a summary in the turn that would not fit, whose model then begins anew."""
    page = Page()
    with story.narrow(200) as team:
        for number in range(20):
            asked = len(team.requests())
            team.run(f"!repeat 5\n!say yyyyyyyyyyyyyyyyyyyy\nwords {number}")
            if len(team.requests()) > asked + 1:
                break
        page.add("the turn that sums up", team.requests()[asked:])
    return page


STORIES = [
    m6_the_mode_is_told_when_it_changes, m6_a_root_of_v1_and_one_without_agents_are_told_nothing,
    m6_a_proactive_thread_whose_hints_go_and_come, m6_instructions_come_first, m7_all_turns_rolled_back,
    u2_steered_input_follows_at_the_next_step,
    u3_the_marker_of_an_interruption, u4_the_marker_behind_a_crash, t3_a_fork_in_the_middle_of_a_turn,
    a4_what_an_agent_of_v2_is_given, a4_an_agent_of_an_agent, a4_what_an_agent_of_v1_is_given,
    a5_how_answers_reach_a_parent_of_v2, a5_how_notices_reach_a_parent_of_v1, t7_a_context_that_was_summed_up,
    t7_a_context_that_is_summed_up_in_a_turn,
]


class Story:
    """The surroundings of a story: a server with this file's texts, and a connection."""

    def __init__(self, folder, server, connection):
        self.folder, self.server, self.connection = folder, server, connection

    def start(self, model: str = V2, **fields) -> Team:
        tools = [{"name": "lookup", "description": "Looks up.", "schema": "{}"}] if model != DISABLED else []
        return Team.start(self.server, self.connection, model, tools=tools, **fields)

    def turn(self, page: Page, title: str, team: Team, text: str, **fields):
        """One whole turn, written down."""
        asked = len(team.requests())
        team.run(text, **fields)
        page.add(title, team.requests()[asked:])

    def restart(self, **variables: str):
        self.server.restart(**variables)
        self.connection.close()
        self.connection = quiet(self.server)

    def narrow(self, window: int):
        """A root on a server of its own, whose model has a small window."""
        catalog = self.folder / "catalog.json"
        catalog.write_text(json.dumps({"models": [
            {"id": V2, "provider": "scripted", "version": "V2", "context_window": window}]}))

        @contextlib.contextmanager
        def running():
            with agents_server(self.folder / "narrow", "--catalog", str(catalog), **variables()) as pair:
                yield Team.start(*pair)
        (self.folder / "narrow").mkdir()
        return running()


def variables() -> dict:
    return {**TEXTS, **features(multi_agent_mode=True)}


def check(name: str, page: Page):
    file = GOLDEN / f"{name}.txt"
    if WRITES:
        file.parent.mkdir(exist_ok=True)
        file.write_text(page.text)
        return
    assert file.exists(), f"{file.name} is missing: write it with HEDDLE_GOLDEN=write, and read it"
    golden = file.read_text()
    difference = difflib.unified_diff(golden.splitlines(), page.text.splitlines(), "golden", "now", lineterm="")
    assert page.text == golden, "\n".join(difference)


@pytest.mark.parametrize("story", STORIES, ids=[story.__name__ for story in STORIES])
def test_m6_u2_u3_u4_a4_a5_t3_t7_what_a_model_is_given(tmp_path, story):
    """M6, M7, U2, U3, U4, A4, A5, T3, T7: the model's input is what golden/ has, word for word."""
    with agents_server(tmp_path, **variables()) as (server, connection):
        teller = Story(tmp_path, server, connection)
        page = story(teller)
        teller.connection.close()
    check(story.__name__.replace("_", "-"), page)


def test_m5_a4_the_texts_that_heddle_comes_with(tmp_path):
    """M5, A4: hints, fragments and markers in Heddle's own words, as a root and its agent are given them."""
    page = Page()
    with agents_server(tmp_path, **features(multi_agent_mode=True)) as (server, connection):
        lookup = {"name": "lookup", "description": "Looks up.", "schema": "{}"}
        team = Team.start(server, connection, tools=[lookup])
        turn = team.begin(STALL)
        connection.call("Turn.Interrupt", thread=team.id, turn=turn)
        team.follower.until_ended(turn)
        team.run(spawn("a", later("!say done")), settings=PROACTIVE)
        team.let_go("/root/a")
        team.until_mail(1)
        page.add("the root", team.requests()[-1:])
        page.add("/root/a", team.requests("/root/a"))
        turn = connection.call("Thread.Compact", thread=team.id).turn
        team.follower.until_ended(turn)
        team.run("and on")
        page.add("behind a summary", team.requests()[-1:])
    check("texts", page)


def test_every_golden_file_is_written_by_a_story():
    """A file that no story writes would be read by nobody."""
    wanted = {f"{story.__name__.replace('_', '-')}.txt" for story in STORIES} | {"texts.txt"}
    assert {file.name for file in GOLDEN.iterdir()} == wanted
