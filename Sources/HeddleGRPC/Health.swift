// grpc.health.v1: whether the server takes calls, for load balancers. Answered without a token. The service is `""`, or one
// of ours by name; a drain makes all of them NOT_SERVING at its first moment.

import HeddleCore
import HeddleProtocol
import HeddleRPC

enum HealthMethod: String {
  case check = "Check"
  case list = "List"
  case watch = "Watch"
}

/// A client that wants to hear of changes.
struct HealthWatch {
  let service: String
  var told: Health.Status
}

enum Health {
  enum Status: UInt64 { case serving = 1, notServing, serviceUnknown }

  static let path = "/grpc.health.v1.Health/"

  private static let services = Set(FileDescriptors.services)

  /// Nil: there is no such service.
  static func status(_ service: String, isDraining: Bool) -> Status? {
    guard service.isEmpty || services.contains(service) else { return nil }
    return isDraining ? .notServing : .serving
  }

  /// HealthCheckRequest; nil: no message.
  static func service(_ request: UnsafeRawBufferPointer) -> String? {
    var reader = WireReader(request)
    var service = ""
    while !reader.isAtEnd {
      guard let (number, wire) = reader.tag() else { return nil }
      guard number == 1, wire == 2 else {
        guard reader.skip(wire) else { return nil }
        continue
      }
      guard let block = reader.block(),
        let text = String(validating: UnsafeRawBufferPointer(rebasing: request[block]), as: UTF8.self)
      else { return nil }
      service = text
    }
    return service
  }

  /// HealthCheckResponse.
  static func response(_ status: Status) -> [UInt8] {
    var out = MessageWriter()
    out.number(status.rawValue, field: 1)
    return out.bytes
  }

  /// HealthListResponse: a map from service to response.
  static func list(isDraining: Bool) -> [UInt8] {
    var out = MessageWriter()
    for service in [""] + services.sorted() {
      out.message(field: 1) { entry in
        entry.text(service, field: 1)
        entry.message(field: 2) { $0.number((isDraining ? Status.notServing : .serving).rawValue, field: 1) }
      }
    }
    return out.bytes
  }
}
