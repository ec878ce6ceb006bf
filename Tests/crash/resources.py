"""Resources that run out, and a second server (durability.md): a full disk and space back (D9), descriptors (D12), two
servers (D13)."""

import contextlib
import pathlib
import socket
import subprocess
import threading
import time

from faults import BINARY, Server, checked, work_folder
from harness.messages import words
from harness.wire import Closed, HeddleError
from ledger import REFUSED_BY_DISK, Client, Comparison, run_clients
from report import Options, Result

DISK_MEGABYTES, MORE_MEGABYTES = 26, 96
RUNS, RUNS_FULL = 3, 25
REQUESTS_IN_A_FLOOD = 150


def compare(server: Server, clients: list[Client], where: str, result: Result):
    """All that the clients know, after a kill and a restart."""
    server.restart()
    with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
        requests = [request for client in clients for request in client.requests]
        result.take(Comparison(connection, requests).run(), where)
    server.kill()
    result.wrong += [f"{where}heddle check: {problem}" for problem in checked(server.data)]


# D9


@contextlib.contextmanager
def small_disk(folder: pathlib.Path):
    """A real one, of 26 MiB, 16 of which the server holds back; None where mounting is not allowed."""
    folder.mkdir()
    size = ["-o", f"size={DISK_MEGABYTES}m"]
    if subprocess.run(["mount", "-t", "tmpfs", *size, "tmpfs", folder], capture_output=True).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def disk_full(options: Options) -> list[Result]:
    result = Result("disk-full")
    for number in range(RUNS_FULL if options.full else RUNS):
        with work_folder() as place, small_disk(pathlib.Path(place) / "disk") as disk:
            if disk is None:
                result.skipped = "it needs the right to mount a small disk"
                return [result]
            # Every second time the server is killed while the disk is full, and starts on a full disk.
            fill_and_free(disk, number % 2 == 1, options, result)
    return [result]


class Filler(Client):
    """Writes much; stops where the disk is full, and notes that the refusal is one."""

    WEIGHTS = {"Thread.Start": 4, "Thread.SetName": 20, "Settings.Update": 60, "Turn.Start": 16}

    def work(self, server, limit=None):
        try:
            with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
                while True:
                    request = self.next_request()
                    self.requests.append(request)
                    self.ask(connection, request)
        except HeddleError as refused:
            if refused.reason != REFUSED_BY_DISK:
                self.failure = refused
        except Exception as failure:  # raised where the thread is joined
            self.failure = failure


def fill_and_free(disk: pathlib.Path, is_killed: bool, options: Options, result: Result):
    data, where = disk / "data", f"killed={is_killed}: "
    server = Server(data).start()
    server.log = disk.parent / "log"
    clients = [Filler(number, options.random.randrange(1 << 32), large=120_000) for number in range(3)]
    stalled = Client(9, 9)
    try:
        with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
            thread = stalling_turn(connection, stalled)
            run_clients(server, clients)
            result.runs += 1
            result.faults += sum(client.requests[-1].state == "refused" for client in clients)
            result.wrong += [f"{where}{text}" for text in while_full(connection, thread)]
            if is_killed:
                server.kill()
                # A full disk is no reason not to serve what is stored.
                server.start()
        if is_killed:
            with server.connect(timeout=60) as connection:
                # A client whose first change was refused has no thread.
                for thread in [thread for client in clients for thread in client.threads[:1]]:
                    connection.call("Thread.Read", thread=thread)
        subprocess.run(["mount", "-o", f"remount,size={MORE_MEGABYTES}m", disk], check=True)
        with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
            space_is_back(connection, clients, where, result)
        compare(server, [*clients, stalled], where, result)
    finally:
        server.kill()


def stalling_turn(connection, client: Client) -> bytes:
    """A turn that runs until a client ends it."""
    request = client.next_request()
    client.requests.append(request)
    client.ask(connection, request)
    connection.call("Turn.Start", thread=client.threads[0], input=words("!stall"))
    return client.threads[0]


def while_full(connection, thread: bytes) -> list[str]:
    """D9, on a disk that is full: read-only and not dead; what ran has ended."""
    deadline = time.monotonic() + 60
    while connection.call("Thread.Read", thread=thread).thread.HasField("running_turn"):
        if time.monotonic() > deadline:
            return ["a running turn was not ended"]
        time.sleep(0.05)  # its end is written into the reserve by a loop of the server's own
    wrong = []
    if connection.call("Server.Status").serving != 2:
        wrong.append("Status does not say READ_ONLY")
    refused = connection.refusal("Thread.SetName", thread=thread, name="no")
    if refused.reason != REFUSED_BY_DISK:
        wrong.append(f"a change is refused with {refused.reason}")
    if not connection.history(thread):
        wrong.append("history is not served")
    return wrong


def space_is_back(connection, clients: list[Client], where: str, result: Result):
    """Writes resume without a restart; what was refused is asked again with its key."""
    deadline = time.monotonic() + 60
    while connection.call("Server.Status").serving != 1:
        if time.monotonic() > deadline:
            result.wrong.append(f"{where}space is back and changes are not served")
            return
        time.sleep(0.05)  # space is looked for once a second; nothing announces it
    for client in clients:
        request = client.requests[-1]
        request.state = "open"
        client.ask(connection, request)


# D12


def descriptors(options: Options) -> list[Result]:
    result = Result("descriptors")
    for number in range(RUNS_FULL if options.full else RUNS):
        with work_folder() as place:
            limit = options.random.randrange(150, 260)
            server = Server(pathlib.Path(place) / "data", under=("prlimit", f"--nofile={limit}:{limit}")).start()
            clients = [Client(client, options.random.randrange(1 << 32)) for client in range(3)]
            try:
                flood(server, clients, limit, result)
                result.runs += 1
                server.under = ()
                compare(server, clients, f"limit {limit}: ", result)
            finally:
                server.kill()
    return [result]


def flood(server: Server, clients: list[Client], limit: int, result: Result):
    """Newcomers without end, while three clients continue; then the newcomers go and a new one is served."""
    stop, refused = threading.Event(), []

    def come():
        held, rounds = [], 0
        while not (stop.is_set() or all(client.count for client in clients)):
            time.sleep(0.005)  # the clients that stay have to be there first
        # At least one round, however soon the clients are done.
        while not stop.is_set() or rounds == 0:
            try:
                held.append(socket.create_connection(server.address.rsplit(":", 1), timeout=2))
            except OSError:
                refused.append(1)
            if len(held) > limit:
                # Sockets of refused newcomers are closed as soon as the server has come to them.
                patience = time.monotonic() + 10
                while not (closed := sum(map(is_closed, held))) and time.monotonic() < patience:
                    time.sleep(0.05)
                refused.extend([1] * closed)
                rounds += 1
                for one in held:
                    one.close()
                held = []
        refused.extend(1 for one in held if is_closed(one))
        for one in held:
            one.close()

    newcomers = threading.Thread(target=come, daemon=True)
    newcomers.start()
    try:
        for client in clients:
            client.tolerant = True
        run_clients(server, clients, limit=REQUESTS_IN_A_FLOOD)
    finally:
        stop.set()
        newcomers.join(30)
    result.faults += len(refused)
    if not server.alive:
        result.wrong.append(f"limit {limit}: the server ended with {server.process.poll()}")
        return
    if any(client.count < REQUESTS_IN_A_FLOOD for client in clients):
        result.wrong.append(f"limit {limit}: a client that was there lost its connection")
    deadline = time.monotonic() + 60
    while True:
        try:
            with server.connect() as newcomer:
                newcomer.call("Server.Status")
                return
        except (Closed, OSError, HeddleError):
            if time.monotonic() > deadline:
                result.wrong.append(f"limit {limit}: nobody new is served though descriptors are free")
                return
            time.sleep(0.05)  # the server notices the closed connections in its own time


def is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        while data := connection.recv(4096):
            del data
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


# D13


def two_servers(options: Options) -> list[Result]:
    result = Result("two-servers")
    for number in range(RUNS_FULL if options.full else 6):
        with work_folder() as place:
            data = pathlib.Path(place) / "data"
            clients = [Client(client, options.random.randrange(1 << 32)) for client in range(3)]
            server = Server(data).start()
            try:
                run_clients(server, clients, limit=25, until=lambda: intrude(server, result))
                if not server.alive:
                    result.wrong.append("the owner ended")
                result.runs += 1
                heirs(server, result)
                compare(server, clients, "", result)
            finally:
                server.kill()
    return [result]


def second(data: pathlib.Path) -> subprocess.Popen:
    return subprocess.Popen([BINARY, "serve", "--data", data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def intrude(server: Server, result: Result):
    """A second server, and `heddle check`, beside a busy owner."""
    began = time.monotonic()
    process = second(server.data)
    try:
        _, text = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        result.wrong.append("a second server starts on the folder")
        return
    if process.returncode != 75 or f"process {server.pid}" not in text.decode():
        result.wrong.append(f"the second server ended with {process.returncode}: {text.decode()[-200:]}")
    result.more["slowest_refusal_ms"] = max(result.more["slowest_refusal_ms"], int((time.monotonic() - began) * 1000))
    asked = subprocess.run([BINARY, "check", server.data], capture_output=True, text=True, timeout=60)
    if asked.returncode != 75:
        result.wrong.append(f"heddle check beside a server ended with {asked.returncode}")
    result.faults += 2


def heirs(server: Server, result: Result):
    """The owner is killed and three want the folder at once: exactly one gets it."""
    server.kill()
    wanting = [second(server.data) for _ in range(3)]
    try:
        lines = [process.stdout.readline() for process in wanting]
        owners = [process for process, line in zip(wanting, lines) if line]
        codes = [process.wait(60) for process, line in zip(wanting, lines) if not line]
        if len(owners) != 1 or codes != [75, 75]:
            result.wrong.append(f"{len(owners)} servers own one folder, the others ended with {codes}")
        result.faults += len(codes)
    finally:
        for process in wanting:
            process.kill()
            process.communicate()
