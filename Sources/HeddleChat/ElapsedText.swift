// How long something has taken, for a status line: 12 s, 1 m 05 s, 2 h 07 m.

public enum ElapsedText {
  public static func text(_ elapsed: Duration) -> String {
    let seconds = max(0, elapsed.components.seconds)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3600 { return "\(seconds / 60) m \(two(seconds % 60)) s" }
    return "\(seconds / 3600) h \(two(seconds / 60 % 60)) m"
  }
}
