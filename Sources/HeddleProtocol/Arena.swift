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

  static func allocate(_ state: UnsafeMutablePointer<State>, _ bytes: Int) -> UnsafeMutableRawPointer? {
    // Sizes come from protobuf-c, which multiplies counts it has read: the pre-scan has bounded those counts, and this
    // check keeps the arithmetic below from overflowing whatever happens.
    guard bytes >= 0, bytes <= 1 << 30 else { return nil }
    let size = (bytes + 15) & ~15
    guard size <= state.pointee.budget - state.pointee.spent else { return nil }
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
