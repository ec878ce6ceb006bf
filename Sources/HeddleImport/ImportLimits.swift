// What a rollout file may ask of its reader. The files come from anywhere, so everything has a limit (house style, rule 12).

enum ImportLimits {
  /// A longer line is damaged. The largest real lines are images in a data address, a few MiB.
  static let lineBytes = 16 << 20
  /// Nesting of one JSON text. Codex refuses to read more than 128; the parser's stack holds this many with ease.
  static let nesting = 512
  /// Beginnings of records that are tried in one damaged line: without it a crafted line costs quadratic time.
  static let recoveriesPerLine = 16
}
