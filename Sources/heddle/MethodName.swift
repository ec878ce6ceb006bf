// Methods by the names that people type: `ThreadService/Start`, or `thread/start`.

import HeddleCore

extension Method {
  /// By the name of docs and logs, case ignored: `ThreadService/Start` or `Thread/Start`.
  init?(path: String) {
    let wanted = path.lowercased()
    let found = Method.allCases.first { $0 != .unspecified && $0.spellings.contains { $0.lowercased() == wanted } }
    guard let found else { return nil }
    self = found
  }

  private var spellings: [String] { [path, path.replacing("Service/", with: "/")] }

  /// Methods that a client can call, in the order of the schema.
  private static var callable: [Method] {
    allCases.filter { $0 != .unspecified && !$0.isServerCall && !$0.isPlanned }
  }

  static var names: [String] { callable.map(\.path) }

  /// The message for a name that no method has: the three nearest names.
  static func unknown(_ name: String) -> String {
    let ranked = callable.map { method in
      // A method's own name may have been typed without its service.
      let whole = method.spellings.map { NameDistance.between($0, name) }.min() ?? .max
      let tail = method.path.split(separator: "/").last.map { NameDistance.between(String($0), name) } ?? .max
      return (name: method.path, distance: min(whole, tail))
    }
    // Sorting keeps the order of the schema where two are equally near.
    let nearest = ranked.sorted { $0.distance < $1.distance }.prefix(3).map(\.name)
    return "There is no method \(name). The nearest: \(nearest.joined(separator: ", "))."
  }
}
