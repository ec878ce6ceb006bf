// What a rollout file may ask of its reader. The files come from anywhere, so everything has a limit (house style, rule 12).

import HeddleJSON

enum ImportLimits {
  /// Codex refuses to read more than 128 levels of nesting; the parser's stack holds 512 with ease. A longer line is
  /// damaged: the largest real lines are images in a data address, a few MiB.
  static let json = JSONRules(isStrict: false, depth: 512, bytes: 16 << 20)
  /// Beginnings of records that are tried in one damaged line: without it a crafted line costs quadratic time.
  static let recoveriesPerLine = 16
}
