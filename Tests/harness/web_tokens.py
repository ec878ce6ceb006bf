"""JSON Web Tokens as an issuer makes them, and as an attacker does: any header, any claims, any bytes.

Shared secrets sign with the standard library, keys with the `openssl` program, so that no library's care stands between
a test and a wrong token.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import subprocess
import time


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*arguments, data: bytes = b"") -> bytes:
    return subprocess.run(["openssl", *map(str, arguments)], input=data, capture_output=True, check=True,
                          timeout=60).stdout


def claims(tenant: str = "alice", lasts: float = 600, **more) -> dict:
    """Claims that the tests' server accepts; None removes a claim."""
    made = {"tenant": tenant, "iss": "https://issuer.test", "aud": "heddle", "exp": int(time.time() + lasts), **more}
    return {name: value for name, value in made.items() if value is not None}


class Secret:
    """HMAC."""

    def __init__(self, secret: str | bytes, kid: str | None = None, algorithm: str = "HS256"):
        self.secret, self.kid, self.algorithm = secret, kid, algorithm

    def sign(self, data: bytes) -> bytes:
        key = self.secret if isinstance(self.secret, bytes) else self.secret.encode()
        return hmac.new(key, data, getattr(hashlib, self.algorithm.replace("HS", "sha"))).digest()

    def token(self, payload: dict | bytes | None = None, **header) -> str:
        """None takes a member out of the header."""
        head = {"alg": self.algorithm, "typ": "JWT", "kid": self.kid, **header}
        head = json.dumps({name: value for name, value in head.items() if value is not None}).encode()
        body = payload if isinstance(payload, bytes) else json.dumps(claims() if payload is None else payload).encode()
        return self.compact(head, body)

    def compact(self, head: bytes, body: bytes) -> str:
        signed = f"{b64(head)}.{b64(body)}"
        return f"{signed}.{b64(self.sign(signed.encode()))}"


class Key(Secret):
    """A private key in a file, made anew."""

    MAKE = {"RS": ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"), "PS": None,
            "ES": ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"), "Ed": ("-algorithm", "ED25519")}
    MAKE["PS"] = MAKE["RS"]

    def __init__(self, folder: pathlib.Path, name: str, algorithm: str, kid: str | None = None):
        super().__init__("", kid, algorithm)
        self.file = folder / f"{name}.private.pem"
        self.public = folder / f"{name}.pem"
        openssl("genpkey", *self.MAKE[algorithm[:2]], "-out", self.file)
        openssl("pkey", "-in", self.file, "-pubout", "-out", self.public)
        self.public.chmod(0o644)

    def sign(self, data: bytes) -> bytes:
        if self.algorithm == "EdDSA":
            message = self.file.with_suffix(".message")  # openssl signs with Ed25519 from files only
            message.write_bytes(data)
            return openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.file, "-in", message)
        options = ("-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest")
        made = openssl("dgst", f"-sha{self.algorithm[2:]}", *(options if self.algorithm[0] == "P" else ()), "-sign",
                       self.file, data=data)
        return self._raw(made) if self.algorithm[0] == "E" else made

    @staticmethod
    def _raw(der: bytes) -> bytes:
        """r and s of a P-256 signature, 32 bytes each."""
        first = der[3]
        r, s = der[4:4 + first], der[6 + first:]
        return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (r, s))

    def jwk(self) -> dict:
        """The public key as JWKS files have it."""
        der = openssl("pkey", "-pubin", "-in", self.public, "-outform", "DER")
        common = {"kid": self.kid, "alg": self.algorithm, "use": "sig"}
        if self.algorithm == "ES256":
            return {"kty": "EC", "crv": "P-256", "x": b64(der[-64:-32]), "y": b64(der[-32:]), **common}
        if self.algorithm == "EdDSA":
            return {"kty": "OKP", "crv": "Ed25519", "x": b64(der[-32:]), **common}
        modulus = openssl("rsa", "-pubin", "-in", self.public, "-noout", "-modulus").split(b"=")[1].strip()
        return {"kty": "RSA", "n": b64(bytes.fromhex(modulus.decode())), "e": "AQAB", **common}


def write(file: pathlib.Path, content: str, mode: int = 0o600) -> pathlib.Path:
    """Replaces the file in one step, as an operator rotates keys: the server never sees half a file."""
    made = file.with_suffix(".new")
    made.touch(mode=0o600)
    made.write_text(content)
    made.chmod(mode)
    made.replace(file)
    return file


def key_set(*keys: Key) -> str:
    return json.dumps({"keys": [key.jwk() for key in keys]})
