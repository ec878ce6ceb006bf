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
      description: "\(host) can be reached from other machines; start with --token-file or jwt settings, or listen on "
        + "127.0.0.1")
  }
}
