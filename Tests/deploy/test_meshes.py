"""deploy/istio, linkerd, consul, gateway-api: no mesh runs here. The files are YAML, their ports, names and protocols are
those of deploy/k8s and of the program, and their times fit the drain."""

import re

import pytest
import yaml

from harness.envoy import every
from harness.messages import ROOT

DEPLOY = ROOT / "deploy"
FILES = {name: DEPLOY / name / "heddle.yaml" for name in ("istio", "linkerd", "consul", "gateway-api")}
DOORS = {"frames": 7420, "grpc": 7421, "http": 7422}
# drain.delayMilliseconds, limits.drainMilliseconds, and a second.
LEAVING_SECONDS = 26


def documents(name: str) -> list[dict]:
    return list(yaml.safe_load_all(FILES[name].read_text()))


def one(name: str, kind: str) -> dict:
    return next(document for document in documents(name) if document["kind"] == kind)


@pytest.mark.parametrize("name", FILES)
def test_each_document_is_an_object_of_kubernetes(name):
    for document in documents(name):
        assert {"apiVersion", "kind", "metadata", "spec"} <= set(document), document
        assert document["metadata"]["name"].startswith("heddle")
    identities = [(document["kind"], document["metadata"]["name"]) for document in documents(name)]
    assert len(set(identities)) == len(identities)


@pytest.mark.parametrize("name", FILES)
def test_no_other_port_than_the_doors_is_named(name):
    """In fields, and in the comment that says what to annotate."""
    ports = set()
    for found in every(documents(name)):
        for key in ("port", "number"):
            if isinstance(found.get(key), int):
                ports.add(found[key])
        ports |= {int(port) for port in found.get("ports", []) if isinstance(port, str)}
    ports |= {int(port) for port in re.findall(r"\b74\d\d\b", FILES[name].read_text())}
    assert ports == set(DOORS.values())


@pytest.mark.parametrize("name", FILES)
def test_labels_services_and_hosts_are_those_of_the_stateful_set(name):
    for found in every(documents(name)):
        for labels in (found.get("matchLabels"), ):
            assert labels in (None, {"app.kubernetes.io/name": "heddle"})
        if "host" in found:
            assert found["host"] == "heddle.heddle.svc.cluster.local"
        for backend in found.get("backendRefs", []):
            assert backend["name"] == "heddle"


@pytest.mark.parametrize("name", ["istio", "linkerd", "consul"])
def test_a_proxy_stays_for_delay_and_drain(name):
    text = FILES[name].read_text()
    found = re.findall(r"(?:DRAIN_DURATION_SECONDS|wait-before-exit-seconds|grace-period-seconds): \"(\d+)\"", text)
    assert [int(seconds) for seconds in found] == [LEAVING_SECONDS]
    assert '"mode": "plaintext"' in text and "proxy" in text and "identities" in text


def test_linkerd_looks_into_no_frame():
    protocols = {document["spec"]["port"]: document["spec"]["proxyProtocol"] for document in documents("linkerd")
                 if document["kind"] == "Server"}
    assert protocols == {7420: "opaque", 7421: "gRPC", 7422: "HTTP/1"}
    servers = {document["metadata"]["name"] for document in documents("linkerd") if document["kind"] == "Server"}
    assert {document["spec"]["targetRef"]["name"] for document in documents("linkerd")
            if document["kind"] == "AuthorizationPolicy"} == servers


def test_consul_knows_each_doors_protocol():
    protocols = {document["metadata"]["name"]: document["spec"]["protocol"] for document in documents("consul")
                 if document["kind"] == "ServiceDefaults"}
    assert protocols == {"heddle-frames": "tcp", "heddle-grpc": "grpc", "heddle-http": "http"}


def test_gateways_pass_frames_through_and_route_each_door():
    listeners = {listener["name"]: listener for listener in one("gateway-api", "Gateway")["spec"]["listeners"]}
    assert {name: listener["port"] for name, listener in listeners.items()} == DOORS
    assert listeners["frames"]["protocol"] == "TLS" and listeners["frames"]["tls"] == {"mode": "Passthrough"}
    for kind, door in (("TLSRoute", "frames"), ("GRPCRoute", "grpc"), ("HTTPRoute", "http")):
        spec = one("gateway-api", kind)["spec"]
        assert spec["parentRefs"] == [{"name": "heddle", "sectionName": door}]
        assert [backend["port"] for rule in spec["rules"] for backend in rule["backendRefs"]] == [DOORS[door]]
    targets = one("gateway-api", "BackendTLSPolicy")["spec"]["targetRefs"]
    names = {port["name"] for document in yaml.safe_load_all((DEPLOY / "k8s" / "heddle.yaml").read_text())
             if document["kind"] == "Service" for port in document["spec"]["ports"]}
    assert {target["sectionName"] for target in targets} <= names


def test_only_calls_that_have_not_begun_are_tried_again():
    words = {word for name in ("istio", "consul") for found in every(documents(name)) if "retryOn" in found
             for word in (found["retryOn"] if isinstance(found["retryOn"], list) else found["retryOn"].split(","))}
    assert words == {"connect-failure", "refused-stream"}
