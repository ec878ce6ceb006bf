"""`make package`: the Debian package and the OCI image, made anew, looked at, installed and run. Needs root, and Debian's
mirror for a root file system to install into; HEDDLE_PACKAGED names the program that the packages were made of, and
HEDDLE_PACKAGES their folder.
"""

import json
import os
import pathlib
import re
import shutil
import stat
import subprocess

import pytest

from harness.connection import PATIENCE_SECONDS
from harness.ends import expect_kept
from harness.messages import ROOT
from harness.server import Server

PACKAGES = pathlib.Path(os.environ.get("HEDDLE_PACKAGES", ""))
PROGRAM = pathlib.Path(os.environ.get("HEDDLE_PACKAGED", ""))
pytestmark = pytest.mark.skipif("HEDDLE_PACKAGES" not in os.environ or os.geteuid() != 0,
                                reason="make test-packages runs these, as root")
SUITE = "bookworm"


def run(*command, **more) -> str:
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    assert ended.returncode == 0, f"{command}: {ended.stdout[-3000:]}"
    return ended.stdout


def inside(root: pathlib.Path, *command, check: bool = True) -> str:
    """In the root file system, with /proc and devices."""
    ended = subprocess.run(
        ["unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" "$@"',
         root, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    assert not check or ended.returncode == 0, f"{command}: {ended.stdout[-3000:]}"
    return ended.stdout


class Inside(Server):
    """A server in a root file system, as one of its users."""

    def __init__(self, root: pathlib.Path, user: str, *arguments):
        super().__init__(root / "var" / "lib" / "heddle", *arguments)
        self.root, self.data = root, pathlib.Path("/var/lib/heddle")
        self.log = root.with_name(root.name + ".log")
        self.binary = "/usr/bin/heddle"
        self.under = ("unshare", "--mount", "sh", "-c",
                      f'mount -t proc proc "$0/proc"; exec chroot --userspec={user} "$0" "$@"', str(root))


# The Debian package


@pytest.fixture(scope="module")
def package() -> pathlib.Path:
    (found,) = PACKAGES.glob("heddle_*.deb")
    return found


def test_lintian_has_nothing_to_say(package):
    assert run("lintian", "--allow-root", "--fail-on", "error,warning", package).strip() == ""


def test_the_same_program_gives_the_same_package(package, tmp_path):
    run(ROOT / "deploy" / "package" / "debian", PROGRAM, tmp_path)
    assert (tmp_path / package.name).read_bytes() == package.read_bytes()


def test_the_package_has_what_it_should(package):
    files = {line.split()[5].removeprefix("."): line.split()[:2] for line in run(
        "dpkg-deb", "-c", package).splitlines()}
    for path in ("/usr/bin/heddle", "/lib/systemd/system/heddle.service", "/lib/systemd/system/heddle.socket",
                 "/etc/heddle/config.json", "/usr/share/man/man1/heddle.1.gz", "/usr/share/man/man1/heddle-serve.1.gz",
                 "/usr/share/bash-completion/completions/heddle", "/usr/share/zsh/vendor-completions/_heddle",
                 "/usr/share/fish/vendor_completions.d/heddle.fish"):
        assert files[path][1] == "root/root", path
    assert not any("s" in mode[0] for mode in files.values()), "a file with the rights of another user"
    depends = run("dpkg-deb", "-f", package, "Depends")
    assert {"libprotobuf-c1", "libsqlite3-0", "libnghttp2-14"} <= set(re.findall(r"[\w.+-]+", depends))
    assert "swift" not in depends
    assert run("dpkg-deb", "-I", package, "conffiles").split() == ["/etc/heddle/config.json"]


@pytest.fixture(scope="module")
def system(tmp_path_factory, package):
    """A minimal Debian with the package in it."""
    root = tmp_path_factory.mktemp("debian") / "root"
    run("debootstrap", "--variant=minbase", SUITE, root)
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    shutil.copy(package, root / "tmp" / package.name)
    inside(root, "apt-get", "install", "-y", "--no-install-recommends", f"/tmp/{package.name}")
    yield root
    shutil.rmtree(root)


def owner(root: pathlib.Path, path: str) -> tuple[str, str, int]:
    user, group, mode = inside(root, "stat", "-c", "%U %G %a", path).split()
    return user, group, int(mode, 8)


def test_the_package_installs_runs_and_leaves_the_data(system, package):
    """In one story, because each step needs the one before: install, serve as the service's user, upgrade with a changed
    configuration, remove, purge, install again."""
    assert owner(system, "/var/lib/heddle") == ("heddle", "heddle", 0o700)
    assert owner(system, "/etc/heddle") == ("root", "heddle", 0o750)
    assert owner(system, "/etc/heddle/config.json")[0] == "root"
    assert inside(system, "heddle", "--version").strip() in package.name
    assert inside(system, "bash", "-n", "/usr/share/bash-completion/completions/heddle") == ""
    with Inside(system, "heddle:heddle", "--config", "/etc/heddle/config.json") as server:
        with server.connect() as connection:
            expect_kept(connection)
            thread = connection.new_thread(name="kept").id
        assert server.ready["data"] == "/var/lib/heddle"
        server.terminate()
        assert server.wait() == 0

    config = system / "etc" / "heddle" / "config.json"
    config.write_text(config.read_text().replace("}", ', "logFormat": "json"}'))
    inside(system, "dpkg", "-i", "--force-confold", f"/tmp/{package.name}")
    assert "logFormat" in config.read_text()

    inside(system, "apt-get", "remove", "-y", "heddle")
    assert config.exists() and (system / "var/lib/heddle/heddle.db").exists()
    said = inside(system, "dpkg", "--purge", "heddle")
    assert not config.exists() and (system / "var/lib/heddle/heddle.db").exists()
    assert "the data in /var/lib/heddle and the user heddle stay" in said
    assert owner(system, "/var/lib/heddle") == ("heddle", "heddle", 0o700)

    inside(system, "apt-get", "install", "-y", "--no-install-recommends", f"/tmp/{package.name}")
    with Inside(system, "heddle:heddle") as server, server.connect() as connection:
        assert connection.call("Thread.Read", thread=thread).thread.name == "kept"


def test_each_manual_page_is_read_without_a_warning(system, package, tmp_path):
    run("dpkg-deb", "-x", package, tmp_path)
    pages = sorted((tmp_path / "usr/share/man/man1").iterdir())
    assert len(pages) > 10
    for page in pages:
        told = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANROFFSEQ": ""})
        assert told.returncode == 0 and told.stderr == "", (page, told.stderr)


@pytest.mark.skipif(not shutil.which("systemd-nspawn"), reason="needs systemd-nspawn")
def test_a_real_systemd_starts_reloads_watches_and_restarts_the_service(system, package, tmp_path):
    """Debian boots with the package in it, and the story of guest/story.py runs there."""
    root, guest = tmp_path / "machine", ROOT / "Tests" / "deploy" / "guest"
    run("cp", "-a", system, root)
    inside(root, "sh", "-c", "dpkg --purge heddle && rm -rf /var/lib/heddle")
    inside(root, "apt-get", "install", "-y", "--no-install-recommends", "systemd-sysv", "dbus", "python3-minimal",
           "libpython3-stdlib", f"/tmp/{package.name}")
    shutil.copy(guest / "story.py", root / "root")
    shutil.copy(guest / "story.service", root / "etc" / "systemd" / "system")
    drop_in = root / "etc/systemd/system/heddle.service.d/test.conf"
    drop_in.parent.mkdir()
    drop_in.write_text("[Service]\nWatchdogSec=2\n")
    inside(root, "systemctl", "enable", "story.service")
    subprocess.run(["systemd-nspawn", "--quiet", "--keep-unit", "--register=no", "--private-network", "-D", root, "--boot"],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, timeout=10 * PATIENCE_SECONDS)
    told = json.loads((root / "story.json").read_text())
    shutil.rmtree(root)
    assert "failed" not in told, told["failed"]
    assert told["status"] == {"StatusText": "serves on 127.0.0.1:7420", "Type": "notify", "NRestarts": "0"}
    assert told["pong"] == "fa0800000000000001000000000000021001"
    assert told["protection"] == {"uid": told["protection"]["uid"], "no_new_privileges": "1", "seccomp": "2",
                                  "capabilities": "0000000000000000", "descriptors": ["16384", "16384"]}
    assert told["protection"]["uid"] != "0" and told["data"].endswith("700")
    assert (told["reload"], told["same_after_reload"]) == ("", True)
    assert told["restarts_after_kill"] == "1" and told["watchdog"]
    load = told["load"]
    assert (load["before"], load["first"], load["faults"]) == ("inactive", told["pong"], []), load
    assert load["processes"] == 4 and load["answered"] > 200
    assert told["stopped"] == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"}
    # 78 is not tried again.
    assert told["wrong"] == {"ActiveState": "failed", "ExecMainStatus": "78", "NRestarts": told["wrong"]["NRestarts"]}


# The OCI image


def test_the_same_program_gives_the_same_digest(tmp_path):
    made = json.loads(run("python3", ROOT / "deploy" / "oci" / "build.py", PROGRAM, tmp_path))
    shipped = json.loads((PACKAGES / "oci" / "index.json").read_text())["manifests"]
    assert [manifest["digest"] for manifest in shipped] == [made["digest"]]
    assert (tmp_path / f"heddle-{made['tag']}-oci.tar").read_bytes() == (
        PACKAGES / f"heddle-{made['tag']}-oci.tar").read_bytes()


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """The image, unpacked by umoci."""
    folder = tmp_path_factory.mktemp("image") / "bundle"
    (tag,) = [manifest["annotations"]["org.opencontainers.image.ref.name"]
              for manifest in json.loads((PACKAGES / "oci" / "index.json").read_text())["manifests"]]
    run("umoci", "unpack", "--image", f"{PACKAGES / 'oci'}:{tag}", folder)
    yield folder
    shutil.rmtree(folder)


def test_the_image_is_not_roots_and_has_no_shell(bundle):
    config, root = json.loads((bundle / "config.json").read_text()), bundle / "rootfs"
    process = config["process"]
    assert (process["user"]["uid"], process["user"]["gid"]) == (7420, 7420)
    assert process["args"] == ["/usr/bin/heddle", "serve"] and process["cwd"] == "/var/lib/heddle"
    assert [path.name for path in (root / "usr/bin").iterdir()] == ["heddle"]
    for path in root.rglob("*"):
        mode = path.lstat()
        assert not mode.st_mode & (stat.S_ISUID | stat.S_ISGID), path
        assert mode.st_uid in (0, 7420) and (mode.st_uid == 0 or path == root / "var/lib/heddle"), path
        assert path.is_symlink() or not mode.st_mode & stat.S_IWOTH or path.name == "tmp", path
    assert (root / "etc/ssl/certs/ca-certificates.crt").stat().st_size > 100_000
    assert (root / "usr/share/zoneinfo/Europe/Berlin").exists()


def test_the_unpacked_image_serves(bundle):
    with Inside(bundle / "rootfs", "7420:7420") as server:
        with server.connect() as connection:
            expect_kept(connection)
            thread, follower = connection.start_followed()
            follower.run("hello", thread=thread.id)
        status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
        assert re.search(r"^Uid:\t7420\t7420", status, re.M)
        server.terminate()
        assert server.wait(PATIENCE_SECONDS) == 0
