// A client reads what a newer server says. An unknown value of an enum is its zero, and a field that the schema requires
// may be absent. A server refuses both, because a request that means something else must not be served.

import Glibc

enum Tolerance {
  // Generated code has no place for a parameter that only this needs, so the thread knows. It is asked only where a
  // value has been found wrong.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static var isOn: Bool { pthread_getspecific(key) != nil }

  static func begin() { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }

  static func end() { pthread_setspecific(key, nil) }
}

/// A required field is absent.
func missing(_ field: String) throws(DecodeError) {
  if !Tolerance.isOn { throw .missingField(field) }
}
