"""deploy/k8s: the manifests fit the program, and a pod that is deleted refuses nobody, with a kubelet that is played."""

import json
import time

import pytest
import yaml

from crowd import Crowd
from harness.connection import PATIENCE_SECONDS, SLOWNESS
from harness.messages import ROOT, frame_pb2
from harness.server import Server, heddle

PORTS = {"tcp-frames": 7420, "grpc": 7421, "http": 7422}
APP_PROTOCOLS = {"tcp-frames": "tcp", "grpc": "grpc", "http": "http"}
LABEL = {"app.kubernetes.io/name": "heddle"}
DRAIN_SECONDS = 20  # limits.drainMilliseconds


@pytest.fixture(scope="module")
def manifests() -> dict:
    """By kind and name."""
    documents = yaml.safe_load_all((ROOT / "deploy" / "k8s" / "heddle.yaml").read_text())
    return {(document["kind"], document["metadata"]["name"]): document for document in documents}


@pytest.fixture(scope="module")
def pod(manifests) -> dict:
    return manifests["StatefulSet", "heddle"]["spec"]["template"]["spec"]


@pytest.fixture(scope="module")
def config(manifests) -> dict:
    return json.loads(manifests["ConfigMap", "heddle"]["data"]["config.json"])


@pytest.fixture(scope="module")
def settings() -> set[str]:
    return {json.loads(line)["key"] for line in heddle("serve", "--list-settings").stdout.splitlines()}


def keys(value: dict, above: str = ""):
    for name, inner in value.items():
        yield from keys(inner, f"{above}{name}.") if isinstance(inner, dict) else [above + name]


def test_the_configuration_has_keys_that_the_program_knows(config, settings):
    # The door for HTTP may not be there yet.
    expected = {key for key in keys(config) if key != "http.hosts" or key in settings}
    assert expected <= settings


def test_services_name_the_doors_ports(manifests, pod, config):
    (container,) = pod["containers"]
    names = {port["name"]: port["containerPort"] for port in container["ports"]}
    for name in ("heddle", "heddle-servers"):
        spec = manifests["Service", name]["spec"]
        assert {port["name"]: port["port"] for port in spec["ports"]} == PORTS
        assert {port["name"]: port["appProtocol"] for port in spec["ports"]} == APP_PROTOCOLS
        assert {port["name"]: names[port["targetPort"]] for port in spec["ports"]} == PORTS
        assert spec["selector"] == LABEL
    assert manifests["Service", "heddle-servers"]["spec"]["clusterIP"] == "None"
    assert {config["listen"], config["grpc"]["listen"], config["http"]["listen"]} == {
        f"0.0.0.0:{port}" for port in PORTS.values()}


def test_labels_and_names_fit_together(manifests, pod):
    stateful = manifests["StatefulSet", "heddle"]["spec"]
    assert stateful["serviceName"] == "heddle-servers"
    assert stateful["selector"]["matchLabels"] == stateful["template"]["metadata"]["labels"] == LABEL
    disruption = manifests["PodDisruptionBudget", "heddle"]["spec"]
    assert disruption["selector"]["matchLabels"] == LABEL and disruption["maxUnavailable"] == 1
    volumes = {volume["name"] for volume in pod["volumes"]} | {
        claim["metadata"]["name"] for claim in stateful["volumeClaimTemplates"]}
    for container in pod["containers"] + pod["initContainers"]:
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


def test_the_probes_ask_the_door_for_http(pod):
    (container,) = pod["containers"]
    probes = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
    assert {name: probe["path"] for name, probe in probes.items()} == {
        "startup": "/livez", "liveness": "/livez", "readiness": "/readyz"}
    assert all(probe["port"] == "http" for probe in probes.values())
    # Ready is over within the delay.
    readiness = container["readinessProbe"]
    assert (readiness["periodSeconds"] + readiness["timeoutSeconds"]) * readiness["failureThreshold"] <= 5


def test_there_is_time_for_delay_and_drain(pod, config):
    assert config["drain"]["delayMilliseconds"] == 5_000
    assert pod["terminationGracePeriodSeconds"] >= 5 + DRAIN_SECONDS + 3
    assert "lifecycle" not in pod["containers"][0], "a preStop would only add to the delay"


def test_nothing_runs_as_root(pod):
    assert pod["securityContext"]["runAsNonRoot"] is True and pod["automountServiceAccountToken"] is False
    for container in pod["containers"] + pod["initContainers"]:
        context = container["securityContext"]
        assert context["readOnlyRootFilesystem"] and context["allowPrivilegeEscalation"] is False
        assert context["capabilities"] == {"drop": ["ALL"]}


def test_a_pod_that_is_deleted_refuses_nobody_and_ends_in_26_seconds(tmp_path, config):
    """The kubelet sends SIGTERM; the endpoint is gone for everybody only 5 s later. Until then everyone who comes is
    answered. A turn that does not end keeps the server for the whole drain."""
    mine = {"drain": config["drain"], "logFormat": config["logFormat"]}
    file = tmp_path / "config.json"
    file.write_text(json.dumps(mine))
    with Server(tmp_path / "data", "--config", file) as server, server.connect(timeout=4 * PATIENCE_SECONDS) as connection:
        connection.start_turn(connection.new_thread().id, "!stall")
        with Crowd(server.address) as crowd:
            crowd.wait_for(100)
            before = crowd.answered
            server.terminate()
            begin = time.monotonic()
            # A moment less than 5 s: a connection needs time to be made and to be answered.
            while time.monotonic() < begin + 4.8:
                time.sleep(0.05)
            assert connection.ping().status == frame_pb2.SERVING_STATUS_DRAINING
            crowd.stop()
        assert (crowd.faults, crowd.sent_away) == ([], 0)
        assert crowd.answered > before + 100
        assert server.wait(120) == 0
        seconds = time.monotonic() - begin
        assert 5 + DRAIN_SECONDS - 0.5 <= seconds <= 26 * SLOWNESS, seconds
