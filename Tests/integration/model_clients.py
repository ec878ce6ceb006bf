"""The requests of clients in the model-based test: one rule of the state machine for each request, with the model's
answer. Restarts, kills and lost connections are in test_model.py.
"""

from harness.messages import mode_name, turn_pb2, turn_status, words
from harness.wire import HeddleError
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from model_world import Watched, equal, folder_of, wire
from thread_model import DIRECTIVE, FAIL, SAY, STALL, UNCHANGED, Refused, Thread, Turn

THREADS = 8
BUSY = {name: turn_pb2.WhenBusy.Value(f"WHEN_BUSY_{name}") for name in ("QUEUE", "REFUSE", "STEER")}
UNKNOWN = b"0123456789abcdef"

index = st.integers(0, 7)
folders = st.sampled_from([UNCHANGED, UNCHANGED, "/a", "/b", ""])
modes = st.sampled_from([UNCHANGED, UNCHANGED, None, "PROACTIVE", "EXPLICIT_REQUEST_ONLY"])
hows = st.sampled_from([SAY, SAY, STALL, FAIL])


class Clients(Watched):
    """All that goes well, and all that is refused."""

    # Threads

    @initialize(folder=folders)
    def first(self, folder):
        self.start(1, folder, UNCHANGED)

    @precondition(lambda self: len(self.threads) < THREADS)
    @rule(peer=index, folder=folders, mode=modes)
    def start(self, peer, folder, mode):
        name = self.unique("thread")
        answer = self.mutate(self.peer(peer), None, "Thread.Start", None, name=name, settings=wire(folder, mode),
                             subscribe=False)
        thread = Thread(answer.thread.id, name)
        thread.change(folder, mode)
        thread.revision = 1
        self.sent[-1].thread = thread
        self.add(thread, answer.sequence)

    @precondition(lambda self: self.alive and len(self.threads) < THREADS)
    @rule(peer=index, number=index, last=st.none() | index)
    def fork(self, peer, number, last):
        source = self.pick(number)
        turn = source.turns[last % len(source.turns)] if last is not None and source.turns else None
        name, fields = self.unique("fork"), {} if turn is None else {"last_turn": turn.id}
        # History up to the end of a turn: one that runs has none yet.
        refused = Refused("turn") if turn and turn is source.running else None
        answer = self.mutate(self.peer(peer), None, "Thread.Fork", refused, thread=source.id, name=name,
                             subscribe=False, **fields)
        if not answer:
            return
        fork = source.fork(answer.thread.id, turn, name)
        equal("lineage", answer.thread.lineage.forked_from, source.id)
        self.sent[-1].thread = fork
        self.add(fork, answer.sequence)

    @precondition(lambda self: self.alive)
    @rule(peer=index, number=index, same=st.booleans())
    def rename(self, peer, number, same):
        thread = self.pick(number)
        name = thread.name if same else self.unique("name")
        changed, refused = self.said(thread.rename, name)
        self.mutate(self.peer(peer), thread, "Thread.SetName", refused, events=int(changed or 0), thread=thread.id,
                    name=name)

    @precondition(lambda self: self.alive)
    @rule(peer=index, number=index, archived=st.booleans())
    def archive(self, peer, number, archived):
        thread = self.pick(number)
        changed, refused = self.said(thread.archive, archived)
        self.mutate(self.peer(peer), thread, "Thread.Archive" if archived else "Thread.Unarchive", refused,
                    events=int(changed or 0), thread=thread.id)

    @precondition(lambda self: len(self.alive) > 2 and any(not thread.running for thread in self.alive))
    @rule(peer=index, number=index)
    def delete(self, peer, number):
        idle = [thread for thread in self.alive if not thread.running]
        thread = idle[number % len(idle)]
        answer = self.peer(peer).connection.call("Thread.Delete", key=self.key(), thread=thread.id)
        equal("deleted", answer.deleted, 1)
        thread.deleted = True
        for peer in (self.home, self.other):
            peer.forget(thread.id)
            for name in ("Thread.Read", "Thread.Resume", "Thread.Subscribe", "Settings.Read"):
                equal(name, peer.connection.refusal(name, thread=thread.id).reason, "thread")

    # Settings

    @precondition(lambda self: self.alive)
    @rule(peer=index, number=index, folder=folders, mode=modes,
          expect=st.sampled_from(["any", "now", "stale", "ahead"]))
    def update(self, peer, number, folder, mode, expect):
        thread = self.pick(number)
        expected = {"any": None, "now": thread.revision, "stale": thread.revision - 1,
                    "ahead": thread.revision + 1}[expect]
        changed, refused = self.said(thread.update, expected, folder, mode)
        fields = {} if expected is None else {"expected_revision": expected}
        answer = self.mutate(self.peer(peer), thread, "Settings.Update", refused, events=int(changed or 0),
                             thread=thread.id, change=wire(folder, mode), **fields)
        if answer:
            found = answer.changed, answer.revision, folder_of(answer.settings), mode_name(answer.settings)
            equal("an update", found, (changed, thread.revision, thread.folder, thread.mode))

    # Turns

    @precondition(lambda self: self.alive)
    @rule(peer=index, number=index, how=hows, folder=folders,
          busy=st.sampled_from(["QUEUE", "QUEUE", "QUEUE", "REFUSE"]))
    def turn(self, peer, number, how, folder, busy):
        thread = self.pick(number)
        _, refused = self.said(thread.check_start, busy)
        text = DIRECTIVE[how] + self.unique("input")
        answer = self.mutate(self.peer(peer), thread, "Turn.Start", refused, thread=thread.id, input=words(text),
                             settings=wire(folder), when_busy=BUSY[busy])
        if answer:
            place = len(thread.queue) + 1 if thread.running else 0
            equal("a turn's place", (answer.place, turn_status(answer.status) == "QUEUED"), (place, place > 0))
            thread.start(Turn(answer.turn, text, how, folder))

    @precondition(lambda self: any(thread.running for thread in self.alive))
    @rule(peer=index, number=index, by_start=st.booleans(), wrong=st.booleans())
    def steer(self, peer, number, by_start, wrong):
        running = [thread for thread in self.alive if thread.running]
        thread = running[number % len(running)]
        self.touched.add(thread.id)
        text = self.unique("steered")
        if by_start:
            answer = self.mutate(self.peer(peer), thread, "Turn.Start", None, thread=thread.id, input=words(text),
                                 when_busy=BUSY["STEER"])
            equal("steered", (answer.turn, answer.steered), (thread.running.id, True))
        else:
            turn = UNKNOWN if wrong else thread.running.id
            _, refused = self.said(thread.check_steer, turn)
            if not self.mutate(self.peer(peer), thread, "Turn.Steer", refused, thread=thread.id, turn=turn,
                               input=words(text)):
                return
        thread.steered.append(text)

    @precondition(lambda self: any(thread.turns for thread in self.alive))
    @rule(peer=index, number=index, which=index)
    def interrupt(self, peer, number, which):
        """The running turn mostly; else one that ended, or that waits."""
        found = [thread for thread in self.alive if thread.turns]
        thread = found[number % len(found)]
        self.touched.add(thread.id)
        ids = [turn.id for turn in thread.turns + thread.queue]
        turn = thread.running.id if thread.running and which < 5 else ids[which % len(ids)]
        already, refused = self.said(thread.check_interrupt, turn)
        answer = self.mutate(self.peer(peer), thread, "Turn.Interrupt", refused, thread=thread.id, turn=turn)
        if answer:
            equal("already ended", answer.already, already)
            if not already:
                thread.interrupt()

    @precondition(lambda self: any(thread.queue or thread.cancelled for thread in self.alive))
    @rule(peer=index, number=index, which=index)
    def cancel(self, peer, number, which):
        found = [thread for thread in self.alive if thread.queue or thread.cancelled]
        thread = found[number % len(found)]
        self.touched.add(thread.id)
        ids = [turn.id for turn in thread.queue] + sorted(thread.cancelled)
        turn = ids[which % len(ids)]
        already, refused = self.said(thread.cancel, turn)
        if answer := self.mutate(self.peer(peer), thread, "Turn.CancelQueued", refused, thread=thread.id, turn=turn):
            equal("already cancelled", answer.already, already)

    @precondition(lambda self: any(thread.turns for thread in self.alive))
    @rule(peer=index, number=index, count=st.integers(1, 3))
    def rollback(self, peer, number, count):
        found = [thread for thread in self.alive if thread.turns]
        thread = found[number % len(found)]
        self.touched.add(thread.id)
        gone, refused = self.said(thread.rollback, count)
        answer = self.mutate(self.peer(peer), thread, "Thread.Rollback", refused, thread=thread.id, turns=count)
        if answer:
            equal("rolled back", answer.rolled_back, gone)

    # Once more (E2, D15)

    @precondition(lambda self: self.sent)
    @rule(peer=index, number=st.integers(0, 30), other_body=st.booleans())
    def again(self, peer, number, other_body):
        """The same key finds the first answer, through reconnects and restarts; with another request it is refused."""
        sent = self.sent[-1 - number % len(self.sent)]
        if other_body and sent.thread.deleted:
            return  # the key went with its thread
        connection = self.peer(peer).connection
        name, fields = sent.name, sent.fields
        if other_body:
            name, fields = "Thread.SetName", {"thread": self.pick(number).id, "name": self.unique("never")}
        try:
            answer = connection.call(name, key=sent.key, **fields)
        except HeddleError as error:
            allowed = {"idempotency_mismatch"} if other_body else set()
            assert error.reason in allowed | ({"thread"} if sent.thread.deleted else set()), error
            return
        assert not other_body, f"a key served two requests: {sent.name} and then {name}"
        expected = type(answer)()
        expected.CopyFrom(sent.answer)
        expected.replayed = True
        equal("a retry", answer, expected)

    # Reading

    @rule(peer=index, size=st.integers(1, 4), oldest_first=st.booleans(), archived=st.booleans(),
          disturbed=st.booleans())
    def walk(self, peer, size, oldest_first, archived, disturbed):
        """T8: pages over a stable snapshot: no thread twice, none missed, whatever happens between two pages."""
        connection, cursor, found = self.peer(peer).connection, "", []
        expected = [thread.id for thread in self.alive if thread.archived is archived]
        while True:
            page = connection.call("Thread.List", cursor=cursor, page_size=size, archived=archived,
                                   order=2 if oldest_first else 1)
            assert len(page.threads) <= size
            found += [row.id for row in page.threads]
            cursor = page.next_cursor
            if not cursor:
                break
            if disturbed and len(self.threads) < THREADS:
                self.start(peer, UNCHANGED, UNCHANGED)
                disturbed = False
        assert len(found) == len(set(found)), "a thread stands twice in a list"
        new = [thread.id for thread in self.alive if thread.id in found and thread.id not in expected]
        found = [id for id in found if id not in new]
        equal("a list", found, expected if oldest_first else expected[::-1])

    @precondition(lambda self: any(thread.turns for thread in self.alive))
    @rule(peer=index, number=index, size=st.integers(1, 3), oldest_first=st.booleans())
    def walk_turns(self, peer, number, size, oldest_first):
        thread, cursor, found = self.pick(number), "", []
        while True:
            page = self.peer(peer).connection.call("Thread.ListTurns", thread=thread.id, cursor=cursor, page_size=size,
                                                   order=2 if oldest_first else 1)
            found += [turn.id for turn in page.turns]
            cursor = page.next_cursor
            if not cursor:
                break
        expected = [turn.id for turn in thread.turns]
        equal("a list of turns", found, expected if oldest_first else expected[::-1])

    @precondition(lambda self: self.alive)
    @rule(number=index, name=st.sampled_from(["Thread.Read", "Thread.Resume", "Thread.Fork", "Thread.SetName",
                                              "Thread.Archive", "Thread.Delete", "Thread.ListTurns", "Settings.Update",
                                              "Thread.Subscribe", "Turn.Start"]))
    def stranger(self, number, name):
        """M2: to bob, a thread of alice does not exist, and his lists have nothing of hers."""
        fields = {"thread": self.alive[number % len(self.alive)].id}
        if name == "Turn.Start":
            fields["input"] = words("x")
        equal(name, self.bob.connection.refusal(name, **fields).reason, "thread")
        assert not self.bob.connection.call("Thread.List", page_size=200).threads
        equal("Thread.Search", self.bob.connection.refusal("Thread.Search", text="thread").reason, "not_implemented")

    # Subscriptions (E1)

    @precondition(lambda self: self.alive)
    @rule(number=index, back=st.integers(0, 12))
    def follow(self, number, back):
        """Alice's other client follows from some event on; what it has of it it lets go first."""
        log = self.logs[self.pick(number).id]
        if self.other.feeds.pop(log.thread.id, None):
            self.other.connection.call("Thread.Unsubscribe", thread=log.thread.id)
        after = max(0, self.home.feeds[log.thread.id].last - back)
        feed = self.other.follow(log, after)
        while not feed.live:
            feed.next(10)
        feed.reach(log.told)
        equal("a second subscription", self.other.connection.refusal(
            "Thread.Subscribe", thread=log.thread.id, after=0).reason, "subscribed")

    @precondition(lambda self: self.alive)
    @rule(number=index, beyond=st.integers(1, 3))
    def follow_nowhere(self, number, beyond):
        """Honest limits: never a silent jump."""
        log = self.logs[self.pick(number).id]
        connection = self.world.server.connect(self.home.token)
        head = connection.call("Thread.Read", thread=log.thread.id).thread.sequence
        wrong = [("future_seq", {"after": head + beyond}),
                 ("epoch_mismatch", {"after": 0, "epoch": log.epoch ^ beyond})]
        for reason, fields in wrong:
            equal("Subscribe", connection.refusal("Thread.Subscribe", thread=log.thread.id, **fields).reason, reason)
        connection.close()
