// Memory for one message at a time. protobuf-c takes all it needs from here, never from malloc, and gets nothing beyond
// the budget: a hostile frame costs at most what its length allows (protocol.md, "Decoding, safely").
//
// A1  Nothing that `allocate` returned is used after the next `reset`.
// A2  `allocate` never returns more than the budget since the last `reset`; beyond it, it returns nil.
// A3  The first block is kept for ever and reused; larger messages borrow blocks that `reset` gives back.

import CHeddleProtocol
import CProtobufC
import HeddleCore

/// A bump allocator behind a pointer, so that C callbacks and Swift see one state. Copies share it; `Codec` owns it.
public struct Arena {
  struct State {
    var base: UnsafeMutableRawPointer
    var capacity: Int
    var used = 0
    var budget = 0
    var spent = 0
    var borrowed: UnsafeMutableRawPointer?
    let first: UnsafeMutableRawPointer
    let firstCapacity: Int
  }

  let state: UnsafeMutablePointer<State>

  init(firstBlockBytes: Int = 16 * 1024) {
    let first = UnsafeMutableRawPointer.allocate(byteCount: firstBlockBytes, alignment: 16)
    state = .allocate(capacity: 1)
    state.initialize(to: State(base: first, capacity: firstBlockBytes, first: first, firstCapacity: firstBlockBytes))
  }

  func destroy() {
    reset(budget: 0)
    state.pointee.first.deallocate()
    state.deallocate()
  }

  /// Forgets everything allocated and sets what the next message may take.
  func reset(budget: Int) {
    while let block = state.pointee.borrowed {
      state.pointee.borrowed = block.load(as: UnsafeMutableRawPointer?.self)
      block.deallocate()
    }
    state.pointee.base = state.pointee.first
    state.pointee.capacity = state.pointee.firstCapacity
    state.pointee.used = 0
    state.pointee.spent = 0
    state.pointee.budget = budget
  }

  @inline(__always)
  func allocate(_ bytes: Int) -> UnsafeMutableRawPointer? { Self.allocate(state, bytes) }

  static func allocate(_ state: UnsafeMutablePointer<State>, _ bytes: Int) -> UnsafeMutableRawPointer? {
    // Sizes come from protobuf-c, which multiplies counts it has read: the pre-scan has bounded those counts, and this
    // check keeps the arithmetic below from overflowing whatever happens.
    guard bytes >= 0, bytes <= 1 << 30 else { return nil }
    let size = (bytes + 15) & ~15
    guard state.pointee.spent + size <= state.pointee.budget else { return nil }
    state.pointee.spent += size
    if state.pointee.used + size > state.pointee.capacity {
      let capacity = max(size, 64 * 1024)
      let block = UnsafeMutableRawPointer.allocate(byteCount: capacity + 16, alignment: 16)
      block.storeBytes(of: state.pointee.borrowed, as: UnsafeMutableRawPointer?.self)
      state.pointee.borrowed = block
      state.pointee.base = block + 16
      state.pointee.capacity = capacity
      state.pointee.used = 0
    }
    let out = state.pointee.base + state.pointee.used
    state.pointee.used += size
    return out
  }

  /// The same memory for protobuf-c; freeing is a no-op (A1).
  var cAllocator: ProtobufCAllocator {
    ProtobufCAllocator(
      alloc: { data, size in
        guard let data else { return nil }
        return Arena.allocate(data.assumingMemoryBound(to: State.self), size)
      },
      free: { _, _ in },
      allocator_data: UnsafeMutableRawPointer(state))
  }
}

// Building C structs for encoding. The budget is unlimited there: what is encoded is our own. An allocation can then
// only fail above 1 GiB, which every limit forbids; the empty value that would be sent instead is caught by tests.
extension Arena {
  private func room<T>(_ type: T.Type, _ count: Int) -> UnsafeMutablePointer<T> {
    guard let raw = allocate(MemoryLayout<T>.stride * count) else {
      preconditionFailure("our own message is larger than 1 GiB: a limit was not checked")
    }
    return raw.bindMemory(to: T.self, capacity: count)
  }

  func text(_ value: String) -> ProtobufCBinaryData {
    var value = value
    return value.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
  }

  func bytes(_ value: [UInt8]) -> ProtobufCBinaryData { value.withUnsafeBytes { copy($0) } }

  private func copy(_ source: UnsafeRawBufferPointer) -> ProtobufCBinaryData {
    guard let from = source.baseAddress, source.count > 0 else { return ProtobufCBinaryData(len: 0, data: nil) }
    let data = room(UInt8.self, source.count)
    UnsafeMutableRawPointer(data).copyMemory(from: from, byteCount: source.count)
    return ProtobufCBinaryData(len: source.count, data: data)
  }

  func id(_ value: some Identifier) -> ProtobufCBinaryData {
    let data = room(UInt8.self, 16)
    let raw = UnsafeMutableRawPointer(data)
    raw.storeBytes(of: value.high.bigEndian, as: UInt64.self)
    raw.storeBytes(of: value.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    return ProtobufCBinaryData(len: 16, data: data)
  }

  func message<M: WireMessage>(_ value: M) -> UnsafeMutablePointer<M.CMessage> {
    let c = room(M.CMessage.self, 1)
    value.fill(c, self)
    return c
  }

  func messages<M: WireMessage>(_ values: [M]) -> UnsafeMutablePointer<UnsafeMutablePointer<M.CMessage>?> {
    let out = room(UnsafeMutablePointer<M.CMessage>?.self, values.count)
    for (index, value) in values.enumerated() { out[index] = message(value) }
    return out
  }

  func array<T, U>(_ values: [T], _ convert: (T) -> U) -> UnsafeMutablePointer<U> {
    let out = room(U.self, values.count)
    for (index, value) in values.enumerated() { (out + index).initialize(to: convert(value)) }
    return out
  }
}
