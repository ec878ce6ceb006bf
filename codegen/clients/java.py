"""Java: services with their methods, reasons and exceptions for `clients/java`, whose `setup` makes the messages by protoc."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path

from clients import NOTE, OWN_FORM, PLURALS, Call, Surface
from schema import F, snake

HEAD = f"// {NOTE}\n\npackage dev.heddle;\n"
SCALARS = {F.TYPE_STRING: "String", F.TYPE_BYTES: "ByteString"}

# Codes whose names alone say too little, or mean something else in Java.
EXCEPTIONS = {"CANCELLED": "CancelledByServerException", "UNKNOWN": "UnknownErrorException", "INTERNAL": "InternalErrorException"}


def constant(call: Call) -> str:
    return f"{call.short.split('.')[0]}_{call.snake}".upper()


def camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def exception(code: str) -> str:
    return EXCEPTIONS.get(code) or "".join(part.capitalize() for part in code.split("_")) + "Exception"


def comment(text: str, indent: str = "") -> list[str]:
    escaped = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
    if len(escaped) < 108:
        return [f"{indent}/** {escaped} */"]
    return [f"{indent}/**", *textwrap.wrap(escaped, 112, initial_indent=f"{indent} * ", subsequent_indent=f"{indent} * "), f"{indent} */"]


def methods(surface: Surface) -> str:
    calls = [call for service in surface.services().values() for call in service]
    lines = [HEAD, "import java.util.HashMap;", "import java.util.Map;", "", *comment("The methods of the server."), "final class Methods {",
             f'  static final String SCHEMA_HASH = "{surface.schema_hash}";', ""]
    lines += [f'  static final Method {constant(call)} = new Method({call.method.number}, "{call.path}", {str(call.keyed).lower()}, '
              f'{str(call.repeatable).lower()});' for call in calls]
    lines += ["", "  // The methods that the server calls on a client."]
    lines += [f"  static final int {snake(call.method.name).upper()} = {call.method.number};" for call in surface.asked_of_clients()]
    lines += ["", "  private static final Map<String, Method> BY_PATH = new HashMap<>();", "", "  static {", "    for (Method method : new Method[] {"]
    lines += [f"      {constant(call)}," for call in calls]
    lines += ["    }) {", "      BY_PATH.put(method.path(), method);", "    }", "  }", "", "  private Methods() {}", "",
              "  /** The method of a path such as `ThreadService/Read`, or null. */", "  static Method of(String path) {",
              "    return BY_PATH.get(path);", "  }", "}"]
    return "\n".join(lines) + "\n"


def service(surface: Surface, name: str, calls: list[Call]) -> str:
    title = camel(PLURALS[name]) + "Service"
    offered = [call for call in calls if call.short not in OWN_FORM]
    items = {call.short: item_type(surface, call) for call in offered if call.paged}
    types = {name for call in offered for name in (call.method.request, call.method.response)}
    types |= {item for item in items.values() if item not in SCALARS.values()}
    imports = [f"import dev.heddle.v1.{one};" for one in sorted(types)] + ["import java.util.concurrent.CompletableFuture;"]
    if "ByteString" in items.values():
        imports.insert(0, "import com.google.protobuf.ByteString;")
    lines = [HEAD, *imports, "", *comment(f"The methods of {name}Service."), f"public final class {title} {{",
             "  private final Calls calls;", "", f"  {title}(Calls calls) {{", "    this.calls = calls;", "  }"]
    for call in offered:
        lines += method(call)
        if call.paged:
            lines += pages(call, items[call.short])
    return "\n".join([*lines, "}"]) + "\n"


def method(call: Call) -> list[str]:
    request, response, name = call.method.request, call.method.response, lower(call.method.name)
    about = comment(call.method.comment + (" Not built yet." if call.method.planned else ""), "  ")
    later = comment(f"The same as `{name}`, without waiting. To cancel the future is to cancel the call.", "  ")
    passed = f"Methods.{constant(call)}, request, {response}.parser()"
    return ["", *about, f"  public {response} {name}({request} request) {{", f"    return {name}(request, CallOptions.none());", "  }",
            "", *about, f"  public {response} {name}({request} request, CallOptions options) {{", f"    return calls.invoke({passed}, options);", "  }",
            "", *later, f"  public CompletableFuture<{response}> {name}Async({request} request) {{", f"    return {name}Async(request, CallOptions.none());", "  }",
            "", *later, f"  public CompletableFuture<{response}> {name}Async({request} request, CallOptions options) {{",
            f"    return calls.invokeAsync({passed}, options);", "  }"]


def pages(call: Call, item: str) -> list[str]:
    name = lower(call.method.name)
    return ["", *comment(f"The {call.items.replace('_', ' ')} of all pages.", "  "),
            f"  public Pages<{item}> each{call.method.name}({call.method.request} request) {{",
            "    return new Pages<>(cursor -> {",
            f"      var answer = {name}(cursor.isEmpty() ? request : request.toBuilder().setCursor(cursor).build());",
            f"      return new Pages.Page<>(answer.get{camel(call.items)}List(), answer.getNextCursor());", "    });", "  }"]


def item_type(surface: Surface, call: Call) -> str:
    field = next(f for f in surface.schema.messages[call.method.response].fields if f.name == call.items)
    return field.type_name or SCALARS[field.type]


def reasons(surface: Surface) -> str:
    lines = [HEAD, "import java.util.Map;", "", *comment("The stable names of errors (docs/errors.md); a server may send others."),
             "public final class Reason {"]
    lines += [f'  public static final String {reason.name.upper()} = "{reason.name}";' for reason in surface.reasons]
    lines += ["", "  private static final Map<String, String> RETRY = Map.ofEntries("]
    decided = [f'    Map.entry("{reason.name}", "{reason.retry}")' for reason in surface.reasons if reason.retry != "never"]
    lines += [*(f"{line}," for line in decided[:-1]), f"{decided[-1]});"]
    lines += ["", "  private Reason() {}", "",
              *comment("The thing that a client does by itself: `wait`, `reconnect`, `token`, or an empty text for nothing.", "  "),
              "  static String retry(String reason) {", '    return RETRY.getOrDefault(reason, "");', "  }", "}"]
    return "\n".join(lines) + "\n"


def codes(surface: Surface) -> str:
    lines = [HEAD, *comment("The exceptions by code."), "final class Codes {", "  private Codes() {}", "",
             "  /** The name of a code, or its number. */", "  static String name(int number) {", "    return switch (number) {"]
    lines += [f'      case {number} -> "{name}";' for name, number in surface.codes]
    lines += ["      default -> Integer.toString(number);", "    };", "  }", "", "  static HeddleException exception(Failure failure) {",
              "    return switch (failure.code) {"]
    lines += [f'      case "{name}" -> new {exception(name)}(failure);' for name, _ in surface.codes if name != "UNSPECIFIED"]
    lines += ["      default -> new RefusedException(failure);", "    };", "  }", "}"]
    return "\n".join(lines) + "\n"


def exception_class(code: str) -> str:
    return "\n".join([HEAD, *comment(f"The server refused a call with {code}."), f"public final class {exception(code)} extends RefusedException {{",
                      "  private static final long serialVersionUID = 1L;", "", f"  {exception(code)}(Failure failure) {{", "    super(failure);",
                      "  }", "}"]) + "\n"


def write(surface: Surface, root: Path) -> None:
    folder = root / "java/src/generated/java/dev/heddle"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = {"Methods": methods(surface), "Reason": reasons(surface), "Codes": codes(surface)}
    for name, calls in surface.services().items():
        files[camel(PLURALS[name]) + "Service"] = service(surface, name, calls)
    for code, _ in surface.codes:
        if code != "UNSPECIFIED":
            files[exception(code)] = exception_class(code)
    for name, text in files.items():
        (folder / f"{name}.java").write_text(text)
