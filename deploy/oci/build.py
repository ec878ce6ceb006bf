"""Makes an OCI image without a daemon: an image layout that umoci, skopeo, podman and registries take.

usage: build.py PROGRAM FOLDER   writes FOLDER/oci (the layout, tag `heddle:VERSION`) and FOLDER/heddle-VERSION-oci.tar

The image has the program, the libraries that it needs, certificates of authorities and time zones, and nothing else: no
shell, no package manager. The same program and the same versions of Debian's packages give the same digest.
"""

import hashlib
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile

DEPLOY = pathlib.Path(__file__).resolve().parent.parent
USER, NAME = 7420, "heddle"
# Of each package only these: no documentation, no scripts. The copyright notices are kept.
KEPT = ("lib/", "lib64", "usr/lib/x86_64-linux-gnu/", "usr/lib/aarch64-linux-gnu/", "usr/share/ca-certificates/",
        "usr/share/zoneinfo/", "usr/share/doc/")
PACKAGES = ["ca-certificates", "tzdata"]


def run(*command, **more) -> str:
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE, **more).stdout


def needed(program: pathlib.Path) -> list[str]:
    """The Debian packages of the libraries that the program loads."""
    packages = {"libc6"}
    for line in run("ldd", program).splitlines():
        path = line.split("=>")[-1].split("(")[0].strip()
        if not path.startswith("/"):
            continue
        # dpkg knows a file by the name it was installed with, before /lib became a link.
        names = {path, os.path.realpath(path), path.removeprefix("/usr"), os.path.realpath(path).removeprefix("/usr")}
        for name in sorted(names):
            owner = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
            if owner.returncode == 0:
                packages.add(owner.stdout.split(":")[0])
                break
        else:
            sys.exit(f"{path}: a library of no Debian package; link the program with --static-swift-stdlib")
    return sorted(packages) + PACKAGES


def unpack(packages: list[str], root: pathlib.Path, work: pathlib.Path) -> dict[str, str]:
    """Puts the packages' files under `root`; their versions."""
    # The folder is this program's own, which apt's user may not enter.
    run("apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", *packages, cwd=work)
    versions = {}
    for archive in sorted(work.glob("*.deb")):
        name, version = run("dpkg-deb", "-f", archive, "Package", "Version").split("\n")[:2]
        versions[name.split(": ")[1]] = version.split(": ")[1]
        whole = work / archive.stem
        run("dpkg-deb", "-x", archive, whole)
        for path in sorted(whole.rglob("*")):
            place = path.relative_to(whole)
            text = str(place)
            if path.is_dir() and not path.is_symlink() or not text.startswith(KEPT):
                continue
            if text.startswith("usr/share/doc/") and path.name != "copyright" or "/gconv/" in text:
                continue
            # One folder for libraries, as Debian has it: /lib is a link to /usr/lib.
            target = root / ("usr" / place if text.startswith("lib") else place)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target, follow_symlinks=False)
    return versions


def fill(root: pathlib.Path, program: pathlib.Path, work: pathlib.Path) -> dict[str, str]:
    root.mkdir()
    versions = unpack(needed(program), root, work)
    for name in ("lib", "lib64"):
        (root / "usr" / name).mkdir(exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    (root / "usr/bin").mkdir(exist_ok=True)
    run("strip", "--strip-unneeded", "-o", root / "usr/bin/heddle", program)
    authorities = sorted((root / "usr/share/ca-certificates/mozilla").glob("*.crt"))
    bundle = root / "etc/ssl/certs/ca-certificates.crt"
    bundle.parent.mkdir(parents=True)
    bundle.write_bytes(b"".join(file.read_bytes() for file in authorities))
    shutil.rmtree(root / "usr/share/ca-certificates")
    (root / "etc/passwd").write_text(f"root:x:0:0:root:/:/\n{NAME}:x:{USER}:{USER}:Heddle:/var/lib/heddle:/\n")
    (root / "etc/group").write_text(f"root:x:0:\n{NAME}:x:{USER}:\n")
    (root / "etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files dns\n")
    (root / "etc/heddle").mkdir()
    for folder in ("var/lib/heddle", "tmp", "run", "proc", "sys", "dev"):
        (root / folder).mkdir(parents=True)
    written = "".join(f"{name} {version}\n" for name, version in sorted(versions.items()))
    (root / "usr/share/heddle").mkdir(parents=True)
    (root / "usr/share/heddle/packages").write_text(written)
    return versions


def layer(root: pathlib.Path, file: pathlib.Path, seconds: int):
    """Everything is root's, of one time, in the order of names; only the data folder is the user's."""
    with tarfile.open(file, "w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(root.rglob("*")):
            entry = tar.gettarinfo(path, str(path.relative_to(root)))
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = seconds
            executable = entry.mode & stat.S_IXUSR or entry.isdir()
            entry.mode = 0o777 if entry.issym() else 0o755 if executable else 0o644
            if entry.name == "var/lib/heddle":
                entry.uid = entry.gid = USER
                entry.mode = 0o700
            if entry.name == "tmp":
                entry.mode = 0o1777
            # Hard links would depend on the order in which files were made.
            if entry.islnk():
                entry.type = tarfile.REGTYPE
                entry.size = path.stat().st_size
            if entry.isreg():
                with open(path, "rb") as content:
                    tar.addfile(entry, content)
            else:
                tar.addfile(entry)


def image(layout: pathlib.Path, file: pathlib.Path, version: str, seconds: int):
    tag = f"{layout}:{version}"
    created = run("date", "-u", "-d", f"@{seconds}", "+%Y-%m-%dT%H:%M:%SZ").strip()
    shutil.rmtree(layout, ignore_errors=True)
    run("umoci", "init", "--layout", layout)
    run("umoci", "new", "--image", tag)
    run("umoci", "raw", "add-layer", "--image", tag, "--history.created", created, "--history.created_by", "deploy/oci/build.py",
        "--history.author", "Heddle", file)
    settings = ["--created", created, "--author", "The Heddle authors", "--config.user", f"{USER}:{USER}",
                "--config.workingdir", "/var/lib/heddle", "--config.stopsignal", "SIGTERM",
                "--config.volume", "/var/lib/heddle", "--config.entrypoint", "/usr/bin/heddle", "--config.cmd", "serve"]
    for value in ("PATH=/usr/bin", "HEDDLE_DATA=/var/lib/heddle", "HEDDLE_LOG_FORMAT=json"):
        settings += ["--config.env", value]
    for port in (7420, 7421, 7422):
        settings += ["--config.exposedports", f"{port}/tcp"]
    for name, value in {"title": "heddle", "version": version, "licenses": "Apache-2.0",
                        "description": "Session server for AI agents"}.items():
        settings += ["--config.label", f"org.opencontainers.image.{name}={value}"]
    run("umoci", "config", "--image", tag, "--no-history", *settings)
    run("umoci", "gc", "--layout", layout)


def archive(layout: pathlib.Path, file: pathlib.Path, seconds: int):
    with tarfile.open(file, "w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(layout.rglob("*")):
            entry = tar.gettarinfo(path, str(path.relative_to(layout)))
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime, entry.mode = seconds, 0o755 if entry.isdir() else 0o644
            with open(path, "rb") if entry.isreg() else open(os.devnull, "rb") as content:
                tar.addfile(entry, content)


def main(program: str, folder: str):
    program, folder = pathlib.Path(program).resolve(), pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or run(
        "dpkg-parsechangelog", "-l", DEPLOY / "debian" / "changelog", "-S", "Timestamp"))
    version = run(program, "--version").strip()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "debs").mkdir()
        fill(work / "root", program, work / "debs")
        layer(work / "root", work / "layer.tar", seconds)
        image(folder / "oci", work / "layer.tar", version, seconds)
    archive(folder / "oci", folder / f"heddle-{version}-oci.tar", seconds)
    print(json.dumps({"image": str(folder / "oci"), "tag": version, "digest": digest(folder / "oci")}))


def digest(layout: pathlib.Path) -> str:
    """The manifest's, which names everything in the image."""
    (manifest,) = json.loads((layout / "index.json").read_text())["manifests"]
    found = layout / "blobs" / manifest["digest"].replace(":", "/")
    assert hashlib.sha256(found.read_bytes()).hexdigest() == manifest["digest"].split(":")[1]
    return manifest["digest"]


if __name__ == "__main__":
    main(*sys.argv[1:])
