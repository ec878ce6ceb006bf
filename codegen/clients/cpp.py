"""C++: services with their methods, reasons and tables for `clients/cpp`; protoc makes the messages in the user's build."""

from __future__ import annotations

from pathlib import Path

from clients import NOTE, OWN_FORM, PLURALS, Call, Surface
from schema import F

HEAD = f"// {NOTE}\n// codegen/clients/cpp.py writes this file.\n#pragma once\n\n"
SCALARS = {F.TYPE_STRING: "std::string", F.TYPE_BYTES: "std::string"}
KEYWORDS = {"delete", "export", "import", "module", "new", "register", "requires", "switch", "template", "typename", "union", "virtual"}


def safe(name: str) -> str:
    return name + "_" if name in KEYWORDS else name


def words(text: str) -> str:
    return " ".join(text.split())


def constant(call: Call) -> str:
    return f"{PLURALS[call.method.service.removesuffix('Service')]}_{call.snake}"


def flag(value: bool) -> str:
    return str(value).lower()


def methods(surface: Surface) -> str:
    calls = [call for calls in surface.services().values() for call in calls]
    lines = [HEAD + '#include "heddle/detail/method.hpp"', "", "namespace heddle {", "",
             "// The name of the schema that this client was made from.",
             f'inline constexpr std::string_view schema_hash = "{surface.schema_hash}";', "", "namespace detail::methods {", ""]
    lines += [f'inline constexpr method {constant(call)}{{{call.method.number}, "{call.path}", {flag(call.keyed)}, {flag(call.repeatable)}}};'
              for call in calls]
    lines += ["", "// The methods that the server calls on a client."]
    lines += [f"inline constexpr std::uint16_t {call.snake} = {call.method.number};" for call in surface.asked_of_clients()]
    lines += ["", "inline constexpr const method* all[] = {", *(f"    &{constant(call)}," for call in calls), "};", "",
              "}  // namespace detail::methods", "", "}  // namespace heddle"]
    return "\n".join(lines) + "\n"


def services(surface: Surface) -> str:
    offered = surface.services()
    used = {surface.schema.messages[name].file for calls in offered.values() for call in calls
            for name in (call.method.request, call.method.response)}
    lines = [HEAD + '#include "heddle/detail/call.hpp"', '#include "heddle/generated/methods.hpp"', '#include "heddle/pages.hpp"',
             *(f'#include "{file.removesuffix(".proto")}.pb.h"' for file in sorted(used)), "", "namespace heddle {"]
    for name, calls in offered.items():
        title = f"{PLURALS[name]}_service"
        lines += ["", f"// The methods of {name}Service.", f"class {title} {{", " public:",
                  f"  explicit {title}(detail::core_pointer core) : core_(std::move(core)) {{}}"]
        for call in calls:
            if call.short not in OWN_FORM:
                lines += method(surface, call)
        lines += ["", " private:", "  detail::core_pointer core_;", "};"]
    lines += ["", "// The services of a server: `client.threads()` and so on.", "class services {", " public:",
              "  explicit services(detail::core_pointer core) : core_(std::move(core)) {}", ""]
    for name in offered:
        lines += [f"  {PLURALS[name]}_service {PLURALS[name]}() const {{", f"    return {PLURALS[name]}_service(core_);", "  }"]
    lines += ["", " protected:", "  detail::core_pointer core_;", "};", "", "}  // namespace heddle"]
    return "\n".join(lines) + "\n"


def method(surface: Surface, call: Call) -> list[str]:
    request, response = f"v1::{call.method.request}", f"v1::{call.method.response}"
    planned = " Not built yet." if call.method.planned else ""
    parameters = f"{request} request = {request}(), call_options options = call_options()"
    lines = ["", f"  // {words(call.method.comment)}{planned}",
             f"  asio::awaitable<{response}> {safe(call.snake)}({parameters}) const {{",
             f"    return detail::call<{response}>(core_, detail::methods::{constant(call)}, std::move(request), std::move(options));", "  }"]
    if call.paged:
        field = next(f for f in surface.schema.messages[call.method.response].fields if f.name == call.items)
        item = f"v1::{field.type_name}" if field.type_name else SCALARS[field.type]
        lines += ["", f"  // The {call.items} of all pages, one by one.",
                  f"  pages<{item}> each_{call.snake}({parameters}) const {{",
                  f"    return detail::each<{response}, {item}>(core_, detail::methods::{constant(call)}, std::move(request), std::move(options),",
                  f"        []({response}& page) {{ return page.mutable_{call.items}(); }});", "  }"]
    return lines


def reasons(surface: Surface) -> str:
    lines = [HEAD + "#include <string_view>", "", "// The stable names of errors; a server may send others.", "namespace heddle::reasons {", ""]
    lines += [f'inline constexpr std::string_view {safe(reason.name)} = "{reason.name}";' for reason in surface.reasons]
    return "\n".join([*lines, "", "}  // namespace heddle::reasons"]) + "\n"


def tables(surface: Surface) -> str:
    lines = [HEAD + "#include <string_view>", "", "namespace heddle::detail {", "", "struct retry_row {",
             "  std::string_view reason;", "  std::string_view retry;", "};", "",
             "// The reasons after which a client repeats a call by itself: docs/errors.md.", "inline constexpr retry_row retry_rows[] = {"]
    lines += [f'    {{"{reason.name}", "{reason.retry}"}},' for reason in surface.reasons if reason.retry != "never"]
    lines += ["};", "", "struct code_row {", "  int number;", "  std::string_view name;", "};", "", "inline constexpr code_row code_rows[] = {"]
    lines += [f'    {{{number}, "{name}"}},' for name, number in surface.codes]
    return "\n".join([*lines, "};", "", "}  // namespace heddle::detail"]) + "\n"


def write(surface: Surface, root: Path) -> None:
    public, private = root / "cpp/include/heddle/generated", root / "cpp/src/generated"
    for file, text in ((public / "methods.hpp", methods(surface)), (public / "services.hpp", services(surface)),
                       (public / "reasons.hpp", reasons(surface)), (private / "tables.hpp", tables(surface))):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
