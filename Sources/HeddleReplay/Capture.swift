// A capture in memory: connections, and their frames in the order of time.

import Glibc
import HeddleCapture
import HeddleCore
import HeddleProtocol

/// One frame of a capture, or the end of one side.
public struct CapturedFrame: Equatable, Sendable {
  /// Nanoseconds since 1970.
  public var at: Int64
  /// Its place in `Capture.connections`.
  public var connection: Int
  public var fromClient: Bool
  /// Nil: this side has closed.
  public var header: FrameHeader?
  /// Metadata and message.
  public var body: [UInt8]

  public var metadata: ArraySlice<UInt8> { body.prefix(Int(header?.metadataLength ?? 0)) }
  public var message: ArraySlice<UInt8> { body.dropFirst(Int(header?.metadataLength ?? 0)) }
}

extension IDScan {
  /// The ids of a frame, those of its metadata too.
  static func all(_ frame: CapturedFrame) -> [FoundID] {
    guard let header = frame.header else { return [] }
    return frame.body.withUnsafeBytes { raw in all(header, raw, fromClient: frame.fromClient) }
  }
}

public struct CapturedConnection: Equatable, Sendable {
  public var client: Endpoint
  public var server: Endpoint

  public var path: CapturePath { CapturePath(client: client, server: server) }
}

public struct Capture: Sendable {
  public var connections: [CapturedConnection] = []
  public var frames: [CapturedFrame] = []
  /// Parts that could not be understood: gaps, bytes that are no frames. A good capture has none.
  public var problems: [String] = []

  public init() {}

  /// Reads a capture, or a pcap of TCP packets, whole.
  public init(path: String) throws(CaptureError) {
    try self.init(pcap: Self.read(path), name: path)
  }

  public init(pcap bytes: [UInt8], name: String = "the file") throws(CaptureError) {
    var file = try PcapFile(bytes, name: name)
    if file.linkType == CaptureFormat.upperPDU {
      var assembly = CaptureAssembly()
      while let record = file.next() {
        guard let pdu = ExportedPDU(bytes, record.bytes) else { continue }
        assembly.append(
          bytes[pdu.payload], at: record.time, from: pdu.source, to: pdu.destination, fromClient: pdu.fromClient)
      }
      self = assembly.finish()
    } else {
      var packets = try TCPImport(linkType: file.linkType)
      while let record = file.next() { packets.packet(bytes, record.bytes, at: record.time) }
      self = packets.finish()
    }
    if file.isTorn { problems.append("\(name) ends inside a record") }
  }

  static func read(_ path: String) throws(CaptureError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CaptureError("\(path) cannot be read") }
    defer { close(descriptor) }
    var bytes = [UInt8]()
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw CaptureError("\(path) cannot be read") }
      if count == 0 { return bytes }
      bytes += piece.prefix(count)
    }
  }
}

/// Records of a pcap file, whatever its link type.
struct PcapFile {
  let linkType: UInt32
  private let bytes: [UInt8]
  private let swapped: Bool
  private let unit: Int64
  private var at = 24
  private(set) var isTorn = false

  init(_ bytes: [UInt8], name: String) throws(CaptureError) {
    guard bytes.count >= 24 else { throw CaptureError("\(name) is no pcap file: it is too short") }
    let magic = bytes.integer(at: 0, as: UInt32.self)
    switch magic {
    case CaptureFormat.magicNanoseconds, CaptureFormat.magicMicroseconds: swapped = false
    case CaptureFormat.magicNanoseconds.byteSwapped, CaptureFormat.magicMicroseconds.byteSwapped: swapped = true
    case 0x0A0D_0D0A: throw CaptureError("\(name) is pcapng; write pcap instead (tcpdump -w, tshark -F pcap)")
    default: throw CaptureError("\(name) is no pcap file")
    }
    unit = (swapped ? magic.byteSwapped : magic) == CaptureFormat.magicNanoseconds ? 1 : 1000
    self.bytes = bytes
    let type = bytes.integer(at: 20, as: UInt32.self)
    linkType = (swapped ? type.byteSwapped : type) & 0xFFFF
  }

  mutating func next() -> (time: Int64, bytes: Range<Int>)? {
    guard at < bytes.count else { return nil }
    guard bytes.count - at >= 16 else {
      isTorn = true
      return nil
    }
    func word(_ offset: Int) -> UInt32 {
      let value = bytes.integer(at: at + offset, as: UInt32.self)
      return swapped ? value.byteSwapped : value
    }
    let time = Int64(word(0)) * 1_000_000_000 + Int64(word(4)) * unit
    let start = at + 16
    let count = Int(word(8))
    guard bytes.count - start >= count else {
      isTorn = true
      return nil
    }
    at = start + count
    return (time, start..<at)
  }
}

extension [UInt8] {
  /// Little-endian. The caller has checked that the bytes are there; 0 if they are not.
  func integer<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
    guard offset >= 0, count - offset >= MemoryLayout<T>.size else { return 0 }
    return T(littleEndian: withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) })
  }

  func bigInteger<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
    integer(at: offset, as: type).byteSwapped
  }
}

/// One record of link type 252.
struct ExportedPDU {
  var source: Endpoint
  var destination: Endpoint
  var payload: Range<Int>
  /// Nil: not said.
  var fromClient: Bool?

  /// Nil when the tags are damaged, or name another dissector.
  init?(_ bytes: [UInt8], _ range: Range<Int>) {
    var at = range.lowerBound
    var source = Endpoint(address: [0, 0, 0, 0], port: 0)
    var destination = source
    while true {
      guard range.upperBound - at >= 4 else { return nil }
      let tag = bytes.bigInteger(at: at, as: UInt16.self)
      let length = Int(bytes.bigInteger(at: at + 2, as: UInt16.self))
      at += 4
      guard range.upperBound - at >= length else { return nil }
      let value = bytes[at..<at + length]
      switch tag {
      case CaptureFormat.Tag.dissector:
        guard value.prefix(while: { $0 != 0 }).elementsEqual("heddle".utf8) else { return nil }
      case CaptureFormat.Tag.sourceV4, CaptureFormat.Tag.sourceV6: source.address = Array(value)
      case CaptureFormat.Tag.destinationV4, CaptureFormat.Tag.destinationV6: destination.address = Array(value)
      case CaptureFormat.Tag.sourcePort: source.port = UInt16(truncatingIfNeeded: Self.number(value))
      case CaptureFormat.Tag.destinationPort: destination.port = UInt16(truncatingIfNeeded: Self.number(value))
      case CaptureFormat.Tag.direction: fromClient = Self.number(value) == 1
      default: break
      }
      at += length
      if tag == CaptureFormat.Tag.end { break }
    }
    self.source = source
    self.destination = destination
    payload = at..<range.upperBound
  }

  private static func number(_ value: ArraySlice<UInt8>) -> UInt64 {
    value.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The mark in place of frames that were not written.
struct LostFrames {
  let frames: UInt64
  let bytes: UInt64

  init?(_ header: FrameHeader, _ body: [UInt8], fromClient: Bool) {
    guard header.kind == CaptureFormat.lostKind, !fromClient, body.count == 16 else { return nil }
    frames = body.bigInteger(at: 0, as: UInt64.self)
    bytes = body.bigInteger(at: 8, as: UInt64.self)
  }
}

/// Puts pieces of two directions together to frames, connection by connection.
struct CaptureAssembly {
  private struct Pair: Hashable {
    var low: Endpoint
    var high: Endpoint
  }

  private struct Open {
    var index: Int
    var client: Endpoint
    var cutters = [FrameAssembler(), FrameAssembler()]
    var ended = [false, false]
  }

  private var capture = Capture()
  private var open: [Pair: Open] = [:]

  /// Bytes in the order in which they were sent; none: this side has closed. Where nobody says who is the client, it is
  /// whoever speaks first.
  mutating func append(
    _ piece: some Collection<UInt8>, at time: Int64, from: Endpoint, to: Endpoint, fromClient said: Bool? = nil
  ) {
    let swap =
      (to.address.lexicographicallyPrecedes(from.address)) || (to.address == from.address && to.port < from.port)
    let pair = swap ? Pair(low: to, high: from) : Pair(low: from, high: to)
    // Addresses come again: when both sides, or the one that speaks, had closed, this is another connection.
    if let known = open[pair], !piece.isEmpty, known.ended[known.client == from ? 0 : 1] { open[pair] = nil }
    if open[pair] == nil {
      guard !piece.isEmpty else { return }
      let isClient = said ?? true
      capture.connections.append(CapturedConnection(client: isClient ? from : to, server: isClient ? to : from))
      open[pair] = Open(index: capture.connections.count - 1, client: isClient ? from : to)
    }
    guard var connection = open.removeValue(forKey: pair) else { return }
    defer { open[pair] = connection }
    let fromClient = connection.client == from
    let side = fromClient ? 0 : 1
    if piece.isEmpty {
      guard !connection.ended[side] else { return }
      connection.ended[side] = true
      capture.frames.append(
        CapturedFrame(at: time, connection: connection.index, fromClient: fromClient, header: nil, body: []))
      return
    }
    connection.cutters[side].append(piece)
    while let (header, body) = connection.cutters[side].next() {
      if let lost = LostFrames(header, body, fromClient: fromClient) {
        note("connection \(connection.index + 1): \(lost.frames) frames, \(lost.bytes) bytes, are missing")
      }
      capture.frames.append(
        CapturedFrame(at: time, connection: connection.index, fromClient: fromClient, header: header, body: body))
    }
  }

  mutating func note(_ problem: String) { capture.problems.append(problem) }

  mutating func finish() -> Capture {
    for connection in open.values.sorted(by: { $0.index < $1.index }) {
      for (side, cutter) in connection.cutters.enumerated() {
        let who = side == 0 ? "client" : "server"
        if cutter.isBroken {
          note("connection \(connection.index + 1): the \(who) sent something that is no frame")
        } else if cutter.isInsideFrame {
          note("connection \(connection.index + 1): the \(who)'s last frame is not whole")
        }
      }
    }
    return capture
  }
}

/// Cuts one direction of a connection into frames. Bytes that are no frame end it: what follows cannot be trusted.
struct FrameAssembler {
  private var decoder = FrameDecoder(.recorded)
  private var waiting: [UInt8] = []
  private var start = 0
  private(set) var isBroken = false

  var isInsideFrame: Bool { !isBroken && start < waiting.count }

  mutating func append(_ bytes: some Collection<UInt8>) {
    guard !isBroken else { return }
    if start > 1 << 16 {
      waiting.removeFirst(start)
      start = 0
    }
    waiting += bytes
  }

  mutating func next() -> (FrameHeader, [UInt8])? {
    while !isBroken {
      let step = waiting.withUnsafeBytes { decoder.next(UnsafeRawBufferPointer(rebasing: $0[start...])) }
      switch step {
      case .frame(let header):
        let body = Array(waiting[start + FrameHeader.byteCount..<start + header.frameByteCount])
        take(header.frameByteCount)
        return (header, body)
      case .skipped(let count), .passed(let count): take(count)
      case .incomplete: return nil
      case .fault:
        isBroken = true
        take(waiting.count - start)
      }
    }
    return nil
  }

  private mutating func take(_ count: Int) {
    start += count
    guard start == waiting.count else { return }
    waiting.removeAll(keepingCapacity: !isBroken)
    start = 0
  }
}
