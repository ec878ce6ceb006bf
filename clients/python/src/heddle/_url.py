"""Where to connect: `heddle://host[:7420][,host…]?tls=on&ca=file&cert=file&key=file&name=host`."""

from __future__ import annotations

import os
import ssl
import urllib.parse
from dataclasses import dataclass, field

DEFAULT_PORT = 7420
OPTIONS = ("tls", "ca", "cert", "key", "name")


@dataclass(frozen=True)
class Target:
    """hosts: tried in this order. The rest is as in the URL, where `heddles://` means `tls=on`."""

    hosts: tuple[tuple[str, int], ...]
    tls: bool = False
    ca: str = ""
    cert: str = ""
    key: str = ""
    name: str = ""
    context: ssl.SSLContext | None = field(default=None, compare=False)

    def ssl_context(self) -> ssl.SSLContext | None:
        """Nil without TLS. Files are read at each new connection, so that renewed certificates count."""
        if not self.tls:
            return None
        if self.context is not None:
            return self.context
        context = ssl.create_default_context(cafile=self.ca or None)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["heddle/1"])
        if self.cert:
            context.load_cert_chain(self.cert, self.key or None)
        return context


def parse(url: str | None, context: ssl.SSLContext | None = None) -> Target:
    """`url` wins over HEDDLE_URL; without either it is the server on this machine."""
    text = url or os.environ.get("HEDDLE_URL") or "heddle://127.0.0.1"
    scheme, separator, rest = text.partition("://")
    if not separator or scheme not in ("heddle", "heddles"):
        raise ValueError(f"a URL of Heddle begins with heddle:// or heddles://, not as in {_short(text)}")
    places, _, query = rest.partition("?")
    places, _, path = places.partition("/")
    if path or "@" in places:
        raise ValueError("a URL of Heddle has no path and no user: pass the token as token= or HEDDLE_TOKEN")
    options = {}
    for name, value in urllib.parse.parse_qsl(query, keep_blank_values=True):
        if name not in OPTIONS:
            raise ValueError(f"{name} is no option of a URL of Heddle: use {', '.join(OPTIONS)}")
        options[name] = value
    tls = options.pop("tls", "on" if scheme == "heddles" or options or context else "off")
    if tls not in ("on", "off"):
        raise ValueError(f"tls is on or off, not {_short(tls)}")
    if tls == "off" and (scheme == "heddles" or options):
        raise ValueError("tls=off and what belongs to TLS exclude each other")
    hosts = tuple(_host(place) for place in places.split(","))
    return Target(hosts, tls == "on", context=context, **options)


def _host(text: str) -> tuple[str, int]:
    host, port = text, ""
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        port = rest.removeprefix(":")
    elif text.count(":") == 1:
        host, port = text.split(":")
    if not host or (port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536)):
        raise ValueError(f"{_short(text)} is no host, host:port or [address]:port")
    return host, int(port) if port else DEFAULT_PORT


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
