"""Every row: those that are driven register themselves when imported, the others stand here with their reason."""

import rows_agents  # noqa: F401
import rows_doors  # noqa: F401
import rows_frames  # noqa: F401
import rows_http  # noqa: F401
import rows_leaks  # noqa: F401
import rows_memory  # noqa: F401
import rows_protobuf  # noqa: F401
import rows_resources  # noqa: F401
import rows_semantics  # noqa: F401
import rows_state  # noqa: F401
import rows_tenants  # noqa: F401

BY_TEST_JWT = "signed tokens have a server and keys of their own: Tests/integration/test_jwt.py drives it"

NOT_DRIVEN: dict[str, str] = {
    "P25": "it is about the schema, not about a server: code generation refuses it (codegen/test_schema.py)",
    "A3": BY_TEST_JWT,
    "A4": BY_TEST_JWT,
    "A5": BY_TEST_JWT,
    "A6": BY_TEST_JWT,
    "A7": BY_TEST_JWT,
    "A8": BY_TEST_JWT,
    "A10": BY_TEST_JWT,
    "A11": "keys and tokens change while it runs: Tests/integration/test_jwt.py drives it",
    "G12": "it is a story of several subscriptions: Tests/integration/test_call_answers.py drives it",
    "A21": "it is H3, which tries more origins",
}
