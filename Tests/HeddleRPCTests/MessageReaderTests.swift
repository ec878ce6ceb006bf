// Messages behind prefixes of five bytes.

import HeddleCore
import NIOCore
import Testing

@testable import HeddleRPC

@Suite struct MessageReaderTests {
  /// Feeds the body in pieces of `size` bytes.
  private func read(_ body: [UInt8], size: Int, limit: Int = 16) -> Result<[UInt8], MessageReader.Fault> {
    var reader = MessageReader(maximumBytes: limit)
    var at = 0
    while at < body.count {
      let piece = Array(body[at..<min(at + size, body.count)])
      if let fault = piece.withUnsafeBytes({ reader.append($0) }) { return .failure(fault) }
      at += size
    }
    do throws(MessageReader.Fault) { return .success(Array(try reader.finish().readableBytesView)) } catch {
      return .failure(error)
    }
  }

  @Test(arguments: 1...9) func aMessageInPiecesOfAnySize(_ size: Int) {
    #expect(read([0, 0, 0, 0, 3, 7, 8, 9], size: size) == .success([7, 8, 9]))
    #expect(read([0, 0, 0, 0, 0], size: size) == .success([]))
  }

  @Test(arguments: 1...9) func faults(_ size: Int) {
    #expect(read([], size: size) == .failure(.cut))
    #expect(read([0, 0, 0, 0], size: size) == .failure(.cut))
    #expect(read([0, 0, 0, 0, 2, 7], size: size) == .failure(.cut))
    #expect(read([0, 0, 0, 0, 1, 7, 8], size: size) == .failure(.more))
    #expect(read([1, 0, 0, 0, 1, 7], size: size) == .failure(.flags(1)))
    #expect(read([2, 0, 0, 0, 0], size: size) == .failure(.flags(2)))
    #expect(read([0, 0, 0, 0, 17], size: size) == .failure(.tooLarge(17)))
    #expect(read([0, 255, 255, 255, 255], size: size) == .failure(.tooLarge(.max)))
  }

  @Test func theLengthIsKnownWithThePrefix() {
    var reader = MessageReader(maximumBytes: 1 << 22)
    let prefix: [UInt8] = [0, 0, 16, 0, 1]
    let fault = prefix.withUnsafeBytes { reader.append($0) }
    #expect(fault == nil)
    #expect(reader.announcedBytes == 1 << 20 | 1)
    #expect(reader.heldBytes == 5)
  }

  @Test func aBareMessageIsTheWholeBody() throws {
    func read(_ bytes: [UInt8]) -> Result<[UInt8], MessageReader.Fault> {
      var reader = MessageReader(maximumBytes: 16, isBare: true)
      for byte in bytes { if let fault = withUnsafeBytes(of: byte, { reader.append($0) }) { return .failure(fault) } }
      do throws(MessageReader.Fault) { return .success(Array(try reader.finish().readableBytesView)) } catch {
        return .failure(error)
      }
    }
    #expect(read([]) == .success([]))
    #expect(read([1, 2, 3]) == .success([1, 2, 3]))
    #expect(read([UInt8](repeating: 1, count: 16)) == .success([UInt8](repeating: 1, count: 16)))
    #expect(read([UInt8](repeating: 1, count: 17)) == .failure(.beyondLimit))
  }
}
