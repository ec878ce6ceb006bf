import pathlib
from collections.abc import Iterator

import pytest
from server import Server


@pytest.fixture
def server(tmp_path: pathlib.Path) -> Iterator[Server]:
    with Server(tmp_path) as running:
        yield running
