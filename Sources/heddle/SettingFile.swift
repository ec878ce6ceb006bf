// The file that `--config` names, held against the table of keys before anything of it is used: a setting that were
// passed over in silence could be the one that asks for authentication. No message shows a value, which may be secret.

import Configuration
import Foundation
import HeddleJSON
import HeddleProtocol

struct SettingFile {
  private(set) var values: [AbsoluteConfigKey: ConfigValue] = [:]
  private var faults: [String] = []

  /// Reads the file once: it may be a pipe. Tells of everything that has to be mended in it.
  init(path: String) throws(SettingError) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw SettingError(description: "the configuration file \(path) cannot be read as a JSON object")
    }
    let content: JSONValue
    do throws(JSONError) {
      content = try JSONValue(parsing: Self.withoutByteOrderMark(text))
    } catch {
      throw SettingError(description: "the configuration file \(path) cannot be read as a JSON object: \(error)")
    }
    guard case .object(let members) = content else {
      throw SettingError(
        description: "the configuration file \(path) holds no JSON object, but \(Self.kind(of: content))")
    }
    read(members, in: [])
    guard faults.isEmpty else {
      throw SettingError(description: faults.map { "\(path): \($0)" }.joined(separator: "\n"))
    }
  }

  /// Some editors put it in front.
  private static func withoutByteOrderMark(_ text: String) -> String {
    text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
  }

  private mutating func read(_ members: [JSONValue.Member], in section: [String]) {
    for member in members {
      let path = section + [member.name]
      let key = SettingTable.general(path)
      if section == ["providers"], member.name.contains("."), case .object = member.value {
        faults.append("providers.names: \(ProviderSettings.noName(member.name))")
      } else if member.name.contains(".") {
        // `{"limits.queuedTurns": 4}` is not `{"limits": {"queuedTurns": 4}}`.
        refuseUnknown(path)
      } else if let type = SettingTable.keys[key] {
        take(member.value, type, path)
      } else if SettingTable.sections.contains(key) {
        readSection(member.value, path)
      } else {
        refuseUnknown(path)
      }
    }
  }

  private mutating func readSection(_ value: JSONValue, _ path: [String]) {
    if case .object(let members) = value { return read(members, in: path) }
    // Any name may be a provider's, but a misspelled `names` is none.
    if path.count == 2, NameDistance.between(path[1], "names") <= 2 { return refuseUnknown(path) }
    refuse(path.joined(separator: "."), wanted: "an object", value)
  }

  private mutating func take(_ value: JSONValue, _ type: SettingType, _ path: [String]) {
    let name = path.joined(separator: ".")
    let content: ConfigContent
    switch (type, value) {
    case (.text, .text(let text)): content = .string(text)
    case (.flag, .bool(let flag)): content = .bool(flag)
    case (.number, .number(let literal)):
      guard let number = Self.whole(literal) else {
        return refuse(name, wanted: type.rawValue, given: "a number that is not whole or too large")
      }
      content = .int(number)
    case (.decimal, .number(let literal)):
      guard let number = Double(literal), number.isFinite else {
        return refuse(name, wanted: type.rawValue, given: "a number that is too large")
      }
      content = .double(number)
    case (.texts, .list(let list)):
      var texts: [String] = []
      for (index, element) in list.enumerated() {
        guard case .text(let text) = element else {
          return refuse("\(name)[\(index)]", wanted: SettingType.text.rawValue, element)
        }
        texts.append(text)
      }
      content = .stringArray(texts)
    default: return refuse(name, wanted: type.rawValue, value)
    }
    values[AbsoluteConfigKey(path)] = ConfigValue(content, isSecret: true)
  }

  /// `1e3` and `7.0` are whole too.
  private static func whole(_ literal: String) -> Int? {
    Int(literal) ?? Double(literal).flatMap { Int(exactly: $0) }
  }

  private static func kind(of value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  private mutating func refuse(_ name: String, wanted: String, _ value: JSONValue) {
    refuse(name, wanted: wanted, given: Self.kind(of: value))
  }

  private mutating func refuse(_ name: String, wanted: String, given: String) {
    faults.append("\(name): \(wanted) is wanted, and \(given) is given")
  }

  private mutating func refuseUnknown(_ path: [String]) {
    let name = path.joined(separator: ".")
    let nearest = SettingTable.nearest(path)
    guard nearest == name else {
      return faults.append("\(name): there is no such key; the nearest one is \(nearest)")
    }
    faults.append("\(name): a key inside another is written as an object in an object, without the dot")
  }
}
