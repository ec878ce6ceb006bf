// A run, or two of them side by side, as one HTML file that needs nothing else: the results as JSON, and a script that
// draws them.

import HeddleJSON
import HeddleProtocol

public enum HTMLReport {
  /// Results as `--json` prints them; the first one is the run, a second what it is compared with.
  public static func page(_ reports: [JSONValue]) -> String {
    // `<` could end the script; JSON may write it as an escape anywhere in a text.
    let data = JSONValue.list(reports).written().split(separator: "<", omittingEmptySubsequences: false)
      .joined(separator: "\\u003c")
    return head + "<script>const runs = \(data);\n" + script + "</script></body></html>\n"
  }

  private static let head = """
    <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Heddle: a run</title><style>
    body { font: 14px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 1100px; color: #222; }
    h1 { font-size: 20px } h2 { font-size: 15px; margin: 1.6em 0 .3em }
    h2 span { font-weight: normal; font-size: 12px; margin-left: 1.5em; white-space: pre; color: #555 }
    table { border-collapse: collapse } td, th { padding: .15em .8em; text-align: right; border-bottom: 1px solid #ddd }
    td:first-child, th:first-child { text-align: left } svg { background: #fafafa; border: 1px solid #ddd }
    .a { color: #1565c0 } .b { color: #c62828 } .better { color: #2e7d32 } .worse { color: #c62828 }
    </style></head><body>

    """

  private static let script = #"""
    const colors = ["#1565c0", "#c62828"], W = 1060, H = 230, L = 80, R = 30, B = 30, T = 12;
    const make = (name, text, parent) => { const e = document.createElement(name); if (text !== undefined) e.textContent = text;
      (parent || document.body).append(e); return e; };
    const round = v => (v >= 100 ? Math.round(v) : +v.toPrecision(3)).toLocaleString("en");
    // Two runs of one name are told apart.
    const alike = runs.length > 1 && runs[0].name == runs[1].name;
    const names = runs.map((r, i) => r.name + (alike ? [" (this run)", " (compared)"][i] : ""));
    make("h1", runs.length > 1 ? `${names[0]}, compared with ${names[1]}` : names[0]);
    runs.forEach((r, i) => { const p = make("div"); p.className = "ab"[i];
      p.textContent = `■ ${names[i]}: ${round(r.answers)} answers in ${round(r.seconds)} s` + (r.stopped ? ", stopped" : ""); });

    function table(title, rows) {
      make("h2", title); const t = make("table"), h = make("tr", undefined, t);
      make("th", "", h); names.forEach((n, i) => { make("th", n, h).className = "ab"[i]; });
      if (runs.length > 1) make("th", "ratio", h);
      for (const [name, get, moreIsBetter] of rows) {
        const row = make("tr", undefined, t), values = runs.map(get); make("td", name, row);
        for (const v of values) make("td", v === undefined ? "–" : round(v), row);
        if (runs.length > 1) { const ratio = values[0] / values[1], cell = make("td", ratio >= 0 && ratio < 1e9 ? round(ratio) : "–", row);
          if (moreIsBetter !== undefined && Math.abs(ratio - 1) > .05) cell.className = (ratio > 1) == moreIsBetter ? "better" : "worse"; }
      }
    }
    // The distance of some `count` marks on an axis that people can read.
    const step = (top, count) => { const raw = top / count, power = 10 ** Math.floor(Math.log10(raw));
      return [1, 2, 2.5, 5, 10].find(m => m * power >= raw * .999) * power; };
    const marks = (top, by) => [...Array(Math.floor(top / by * 1.001) + 1).keys()].map(i => i * by);
    // Lines of [x, y]; x and y from 0; labels name values of x.
    function chart(title, series, unit, labels) {
      const legend = series.map(s => s.name).filter((n, i, all) => n && all.indexOf(n) == i).join("   ");
      const head = make("h2", title); if (legend) make("span", legend, head);
      const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
      svg.setAttribute("viewBox", `0 0 ${W} ${H}`); svg.setAttribute("width", "100%"); document.body.append(svg);
      const put = (name, at, text) => { const e = document.createElementNS(ns, name);
        for (const k in at) e.setAttribute(k, at[k]); if (text !== undefined) e.textContent = text; svg.append(e); return e; };
      const points = series.flatMap(s => s.points), highest = Math.max(1e-9, ...points.map(p => p[1]));
      const by = step(highest, 4), top = Math.ceil(highest / by) * by;
      const right = Math.max(1e-9, ...points.map(p => p[0]));
      const x = v => L + v / right * (W - L - R), y = v => T + (1 - v / top) * (H - B - T);
      for (const v of marks(top, by)) {
        put("line", { x1: L, x2: W - R, y1: y(v), y2: y(v), stroke: "#ddd" });
        put("text", { x: L - 6, y: y(v) + 4, "text-anchor": "end", "font-size": 11 }, round(v) + unit); }
      for (const [v, name] of labels || marks(right, step(right, 8)).map(v => [v, round(v) + " s"])) if (v <= right) {
        put("line", { x1: x(v), x2: x(v), y1: H - B, y2: H - B + 4, stroke: "#999" });
        put("text", { x: x(v), y: H - 10, "text-anchor": "middle", "font-size": 11 }, name); }
      for (const s of series) put("polyline", { points: s.points.map(p => `${x(p[0])},${y(p[1])}`).join(" "), fill: "none",
        stroke: s.color, "stroke-width": 1.6, "stroke-dasharray": s.dash || "" });
      // A line of one point would not be seen.
      for (const s of series) if (s.points.length == 1) put("circle", { cx: x(s.points[0][0]), cy: y(s.points[0][1]), r: 3, fill: s.color });
    }
    const over = (get, name, dash) => runs.map((r, i) => ({ color: colors[i], name, dash, points: r.samples.map(s => [s.at, get(s)]) }));
    const errors = r => Object.values(r.errors).reduce((a, b) => a + b, 0);
    table("The whole run", [["answers/s", r => r.answers_per_second, true], ["mean, ms", r => r.latency.mean, false],
      ...["p50", "p90", "p99", "p99.9", "p99.99", "max"].map(p => [p + ", ms", r => r.latency[p], false]),
      ["errors", errors, false], ["late requests", r => r.late, false], ["furthest behind, ms", r => r.behind_ms, false],
      ["events/s", r => r.streams.events_per_second, true], ["first event p99, ms", r => r.streams.first_event.p99, false],
      ["gap between events p99, ms", r => r.streams.gap.p99, false], ["events left out", r => r.streams.left_out, false],
      ["events that came again", r => r.streams.came_again, false]]);
    chart("Answers per second", over(s => s.answers_per_second, ""), "");
    chart("Latency, from the intended time of sending", [...over(s => s.latency.p50, "— p50"), ...over(s => s.latency.p99, "--- p99", "5 3")], " ms");
    chart("Latency by percentile", runs.map((r, i) => ({ color: colors[i], name: "", points: r.curve.filter(p => p[0] < 100)
      .map(p => [Math.log10(100 / (100 - p[0])), p[1]]) })), " ms",
      [[0, "0 %"], [1, "90 %"], [2, "99 %"], [3, "99.9 %"], [4, "99.99 %"], [5, "99.999 %"], [6, "99.9999 %"]]);
    chart("In flight, and late each second", [...over(s => s.in_flight, "— in flight"), ...over(s => s.late, "--- late", "5 3")], "");
    if (runs.some(r => r.streams.events)) chart("Events each second", over(s => s.events, ""), "");
    if (runs.some(errors)) chart("Errors each second", over(errors, ""), "");
    const methods = [...new Set(runs.flatMap(r => Object.keys(r.methods)))];
    table("p50 by method, ms", methods.map(n => [n, r => r.methods[n]?.p50, false]));
    table("p99 by method, ms", methods.map(n => [n, r => r.methods[n]?.p99, false]));
    const reasons = [...new Set(runs.flatMap(r => Object.keys(r.errors)))];
    if (reasons.length) table("Errors by reason", reasons.map(n => [n, r => r.errors[n] || 0, false]));

    """#
}
