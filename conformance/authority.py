"""Certificates for the cases about TLS."""

from __future__ import annotations

import datetime
import pathlib
import ssl
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Makes `ca.pem`, and pairs such as `server.pem` and `server.key`, in a folder of its own."""

    def __enter__(self) -> Authority:
        self.folder = tempfile.TemporaryDirectory(prefix="heddle-authority-")
        self.here = pathlib.Path(self.folder.name)
        self.root = self._pair("ca", None)
        self.stranger = self._pair("stranger", None)
        self._pair("server", self.root, names=["localhost"], addresses=["127.0.0.1"])
        self._pair("named", self.root, names=["heddle.example"])
        self._pair("old", self.root, names=["localhost"], addresses=["127.0.0.1"], days=(-20, -10))
        self._pair("client", self.root, names=["client.example"])
        return self

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()

    def path(self, name: str) -> str:
        return str(self.here / name)

    def context(self, how: dict) -> ssl.SSLContext:
        """`certificate`: the pair of the server; `client`: it wants one of the client."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        name = how.get("certificate", "server")
        context.load_cert_chain(self.path(f"{name}.pem"), self.path(f"{name}.key"))
        context.set_alpn_protocols(["heddle/1"])
        if how.get("client"):
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.path("ca.pem"))
        return context

    def _pair(self, name: str, issuer, names=(), addresses=(), days=(-1, 30)):
        import ipaddress
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.timezone.utc)
        made = (x509.CertificateBuilder().subject_name(subject).public_key(key.public_key())
                .issuer_name(issuer[0].subject if issuer else subject).serial_number(x509.random_serial_number())
                .not_valid_before(now + datetime.timedelta(days=days[0]))
                .not_valid_after(now + datetime.timedelta(days=days[1]))
                .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True))
        if names or addresses:
            others = [x509.DNSName(one) for one in names] + [x509.IPAddress(ipaddress.ip_address(one)) for one in addresses]
            made = made.add_extension(x509.SubjectAlternativeName(others), critical=False)
        certificate = made.sign(issuer[1] if issuer else key, hashes.SHA256())
        (self.here / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        (self.here / f"{name}.key").write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return certificate, key
