"""The configurations of deploy/envoy as they ship, with the addresses and files of a test in place of the examples."""

import pathlib

import yaml

from harness.messages import ROOT

FOLDER = ROOT / "deploy" / "envoy"
SHIPPED_TLS_FOLDER = "/etc/envoy/tls"


def every(value, kind=dict):
    """Each object below, itself included."""
    if isinstance(value, kind):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from every(inner, kind)


def parsed(name: str) -> dict:
    """`l4` or `l7`, as it ships."""
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text())


def configuration(name: str, tls: pathlib.Path, listen: int, admin: int, servers: list[tuple[str, int]],
                  upstream_tls: bool = True, upstream_name: str | None = None) -> dict:
    """The shipped file with these ports and servers; certificates are `server.pem`, `server.key`, `clients-ca.pem` and
    `servers-ca.pem` in `tls`. Without `upstream_tls` the way to the servers is plaintext; `upstream_name` is the name in
    their certificate."""
    config = parsed(name)
    config["admin"]["address"]["socket_address"]["port_value"] = admin
    resources = config["static_resources"]
    listener, cluster = resources["listeners"][0], resources["clusters"][0]
    listener["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": listen}
    cluster["load_assignment"]["endpoints"] = [{"lb_endpoints": [
        {"endpoint": {"address": {"socket_address": {"address": host, "port_value": port}}}} for host, port in servers]}]
    for file in every(config):
        if str(file.get("filename", "")).startswith(SHIPPED_TLS_FOLDER):
            file["filename"] = str(tls / pathlib.Path(file["filename"]).name)
    if upstream_name is not None:
        for socket in every(cluster):
            if "sni" in socket:
                socket["sni"] = upstream_name
                names = socket["common_tls_context"]["validation_context"]["match_typed_subject_alt_names"]
                names[0]["matcher"] = {"exact": upstream_name}
    if not upstream_tls:
        outer = cluster["transport_socket"]
        if "transport_socket" in outer["typed_config"]:
            outer["typed_config"]["transport_socket"] = {
                "name": "envoy.transport_sockets.raw_buffer",
                "typed_config": {"@type": "type.googleapis.com/envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer"}}
        else:
            del cluster["transport_socket"]
    return config
