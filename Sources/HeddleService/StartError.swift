// A configuration that cannot be served.

/// Why a server does not start; the text says what to do.
public struct StartError: Error, CustomStringConvertible {
  public let description: String
  /// It may pass without a change of the configuration.
  public var isTemporary = false

  public init(description: String, isTemporary: Bool = false) {
    self.description = description
    self.isTemporary = isTemporary
  }

  /// Anyone who can reach the address could do everything.
  public static func open(_ host: String) -> StartError {
    StartError(
      description: "\(host) can be reached from other machines; start with --token-file, jwt settings, identities.file "
        + "or tls.client=require, or listen on 127.0.0.1")
  }

  /// Anyone on the way could read everything, tokens included.
  public static func plaintext(_ host: String) -> StartError {
    StartError(
      description: "\(host) can be reached from other machines, and connections to it would not be encrypted; set "
        + "tls.certificate and tls.key, or tls.mode=plaintext if a mesh or a proxy encrypts, or listen on 127.0.0.1")
  }
}
