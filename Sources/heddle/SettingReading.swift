// Settings as they are read from flags, environment and file.

import Configuration

/// A setting that has to be mended.
struct SettingError: Error, CustomStringConvertible {
  let description: String
}

extension ConfigReader {
  /// A number, or an error that names the text in its place: a setting that is ignored is a setting that was not made.
  func number(_ name: String, _ value: Int) throws -> Int {
    if let number = int(forKey: ConfigKey(name)) { return number }
    if let text = string(forKey: ConfigKey(name)) {
      guard let number = Int(text) else { throw SettingError(description: "\(name): `\(text)` is not a whole number") }
      return number
    }
    return value
  }

  func decimal(_ name: String, _ value: Double) throws -> Double {
    if let number = double(forKey: ConfigKey(name)) { return number }
    if let text = string(forKey: ConfigKey(name)) {
      guard let number = Double(text) else { throw SettingError(description: "\(name): `\(text)` is not a number") }
      return number
    }
    return value
  }

  func flag(_ name: String, _ value: Bool) throws -> Bool {
    if let flag = bool(forKey: ConfigKey(name)) { return flag }
    if let text = string(forKey: ConfigKey(name)) {
      guard let flag = Bool(text.lowercased()) else {
        throw SettingError(description: "\(name): `\(text)` is neither true nor false")
      }
      return flag
    }
    return value
  }
}
