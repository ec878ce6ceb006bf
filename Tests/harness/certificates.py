"""Certificate authorities and certificates as the tests need them, made by the `openssl` program: right ones, and wrong in
every way. And a connection over TLS that is as raw as one without."""

import datetime
import hashlib
import pathlib
import socket
import ssl
import subprocess

from harness.connection import Connection


def openssl(*arguments) -> bytes:
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, check=True, timeout=60,
                          stdin=subprocess.DEVNULL).stdout


def _time(after_seconds: float) -> str:
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=after_seconds)
    return moment.strftime("%Y%m%d%H%M%SZ")


class Certificate:
    """A certificate and its key, in two files of PEM form."""

    def __init__(self, chain: pathlib.Path, key: pathlib.Path):
        self.chain, self.key = chain, key

    @property
    def settings(self) -> dict:
        return {"certificate": str(self.chain), "key": str(self.key)}

    def digest(self) -> bytes:
        """SHA-256, to which a token may be bound."""
        pem = self.chain.read_text()
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem[:pem.index("-----END") + 26])).digest()


class Authority(Certificate):
    """An authority in a folder of its own."""

    CONFIG = """
[ca]
default_ca = it
[it]
dir = {folder}
database = {folder}/index
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = optional
[req]
distinguished_name = none
[none]
[ca_extensions]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
"""

    def __init__(self, folder: pathlib.Path, name: str = "authority"):
        self.folder = folder / name
        self.folder.mkdir()
        (self.folder / "index").touch()
        self.config = self.folder / "config"
        self.config.write_text(self.CONFIG.format(folder=self.folder))
        super().__init__(self.folder / "ca.pem", self.folder / "ca.key")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                "-subj", f"/CN={name}", "-config", self.config, "-extensions", "ca_extensions", "-keyout", self.key,
                "-out", self.chain)

    def sign(self, name: str, *names: str, usage: str = "serverAuth, clientAuth", begins: float = -3600,
             lasts: float = 86_400) -> Certificate:
        """A certificate with these alternative names: `DNS:localhost`, `URI:spiffe://…`."""
        key, request, chain = (self.folder / f"{name}.{end}" for end in ("key", "csr", "pem"))
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"[leaf]\nbasicConstraints = CA:FALSE\nextendedKeyUsage = {usage}\n"
                              + (f"subjectAltName = {', '.join(names)}\n" if names else ""))
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                "-config", self.config, "-keyout", key, "-out", request)
        openssl("ca", "-batch", "-config", self.config, "-cert", self.chain, "-keyfile", self.key, "-notext", "-in",
                request, "-out", chain, "-startdate", _time(begins), "-enddate", _time(lasts), "-extfile", extensions,
                "-extensions", "leaf")
        return Certificate(chain, key)

    def server(self, name: str = "server", **more) -> Certificate:
        return self.sign(name, "DNS:localhost", "IP:127.0.0.1", **more)


def self_signed(folder: pathlib.Path, name: str, *names: str) -> Certificate:
    """A certificate that no authority has signed."""
    chain, key = folder / f"{name}.pem", folder / f"{name}.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
            f"/CN={name}", "-addext", f"subjectAltName={','.join(names)}", "-addext", "basicConstraints=CA:FALSE",
            "-keyout", key, "-out", chain)
    return Certificate(chain, key)


def client_context(authority: Authority, certificate: Certificate | None = None,
                   protocols: tuple = ("heddle/1",)) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(authority.chain))
    if certificate is not None:
        context.load_cert_chain(certificate.chain, certificate.key)
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context


class TLSConnection(Connection):
    """A connection that has made its handshake. `first` goes out before: a PROXY header."""

    def __init__(self, address: str, context: ssl.SSLContext, first: bytes = b"", **more):
        super().__init__(address, **more)
        try:
            if first:
                self.send(first)
            self.socket.settimeout(self.timeout)
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        except (OSError, ssl.SSLError):
            self.socket.close()
            raise

    def read_some(self, deadline: float) -> bytes:
        try:
            return super().read_some(deadline)
        except ssl.SSLEOFError:
            self.has_ended = True
            return b""


def answers_after_goodbye(address: str, context: ssl.SSLContext, data: bytes, timeout: float = 60.0) -> bytes:
    """Everything that the server says to these bytes behind which close_notify comes: the end of what the client says.
    Python's sockets cannot read after they have said it, so the records are moved by hand."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=timeout) as plain:
        def take() -> bool:
            plain.sendall(outgoing.read())
            piece = plain.recv(65536)
            incoming.write(piece)
            return bool(piece)
        while True:
            try:
                client.do_handshake()
                break
            except ssl.SSLWantReadError:
                take()
        client.write(data)
        try:
            client.unwrap()
        except ssl.SSLWantReadError:
            pass
        received = b""
        while True:
            try:
                piece = client.read(65536)
            except ssl.SSLWantReadError:
                if not take():
                    return received
                continue
            except ssl.SSLZeroReturnError:
                return received
            if not piece:
                return received
            received += piece


def answer_to(address: str, data: bytes, timeout: float = 20.0) -> bytes:
    """Everything that the server says to these bytes on a plain connection, until it closes."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=timeout) as plain:
        plain.sendall(data)
        received = b""
        try:
            while piece := plain.recv(65536):
                received += piece
        except ConnectionResetError:
            pass
        return received
