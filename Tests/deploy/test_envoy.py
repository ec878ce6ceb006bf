"""deploy/envoy: Envoy accepts the files, and their ports, names and times fit the server's."""

import json
import subprocess
import sys

import pytest

from harness.envoy import configuration, every, parsed
from harness.messages import frame_pb2
from harness.wire import PING, PONG, Frame

ENVOY = (sys.executable, "-m", "envoy._main")


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """One certificate in every role: Envoy opens the files when it checks a configuration."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                    "2", "-subj", "/CN=test", "-keyout", folder / "server.key", "-out", folder / "server.pem"],
                   check=True, capture_output=True)
    for name in ("clients-ca.pem", "servers-ca.pem"):
        (folder / name).write_bytes((folder / "server.pem").read_bytes())
    return folder


@pytest.mark.parametrize("upstream_tls", [True, False])
@pytest.mark.parametrize("name", ["l4", "l7"])
def test_envoy_accepts_the_file(tmp_path, tls, name, upstream_tls):
    file = tmp_path / f"{name}.json"
    file.write_text(json.dumps(configuration(name, tls, 7420, 9901, [("127.0.0.1", 1)], upstream_tls)))
    checked = subprocess.run([*ENVOY, "--mode", "validate", "-c", file, "-l", "warn"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "deprecated" not in (checked.stdout + checked.stderr).lower()


@pytest.mark.parametrize("name, port", [("l4", 7420), ("l7", 7421)])
def test_ports_are_the_doors_own(name, port):
    resources = parsed(name)["static_resources"]
    ports = {found["port_value"] for found in every(resources) if "port_value" in found}
    assert ports == {port}


def test_the_health_check_of_frames_is_a_ping_whose_pong_says_serving():
    check = parsed("l4")["static_resources"]["clusters"][0]["health_checks"][0]
    assert bytes.fromhex(check["tcp_health_check"]["send"]["text"]) == Frame(PING).encode()
    pong = frame_pb2.Pong(status=frame_pb2.SERVING_STATUS_SERVING)
    expected = Frame(PONG, payload=pong.SerializeToString()).encode()
    assert bytes.fromhex(check["tcp_health_check"]["receive"][0]["text"]) == expected
    assert check["reuse_connection"] is False


@pytest.mark.parametrize("name", ["l4", "l7"])
def test_a_server_is_out_before_its_delay_is_over(name):
    """drain.delayMilliseconds is 5,000 in the files of deploy/ and in the comment at the head of this one."""
    check = parsed(name)["static_resources"]["clusters"][0]["health_checks"][0]
    seconds = [float(check[field].removesuffix("s")) for field in ("interval", "timeout", "no_traffic_interval")]
    assert check["unhealthy_threshold"] * (max(seconds[0], seconds[2]) + seconds[1]) <= 5


def test_only_calls_that_have_not_begun_are_tried_again():
    route = next(found["route"] for found in every(parsed("l7")) if "route" in found and "retry_policy" in found["route"])
    policy = route["retry_policy"]
    assert set(policy["retry_on"].split(",")) == {"connect-failure", "refused-stream", "retriable-headers"}
    assert [header["string_match"] for header in policy["retriable_headers"]] == [{"exact": "shutting_down"}]


def test_what_a_client_claims_of_its_certificate_is_removed():
    manager = next(found for found in every(parsed("l7")) if "forward_client_cert_details" in found)
    assert manager["forward_client_cert_details"] == "SANITIZE_SET" and manager["set_current_client_cert_details"] == {
        "uri": True}
