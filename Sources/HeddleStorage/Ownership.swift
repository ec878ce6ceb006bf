// Which threads a process runs. A tree of agents lives in one slot, and a slot has one owner at a time.

import HeddleCore

extension ThreadID {
  public static let placementBits: UInt64 = 0xFFFF
  /// The bits that say where a thread lives; those of a tree share them.
  public var placement: UInt64 { low & Self.placementBits }
  /// The slot of a thread whose id ends like that of its root.
  public var slot: Slot { Slot(UInt16(placement >> 4)) }
}

/// One of 4,096 parts of all threads.
public struct Slot: Hashable, Sendable {
  public static let count: UInt16 = 4_096
  public let number: UInt16
  public init(_ number: UInt16) { self.number = number }
}

/// Some slots, or all of them.
public struct SlotSet: Equatable, Sendable {
  public static let all = SlotSet(chosen: nil)
  /// Nil: all.
  private let chosen: Set<Slot>?

  private init(chosen: Set<Slot>?) { self.chosen = chosen }
  public init(_ slots: some Sequence<Slot>) { chosen = Set(slots) }

  public func contains(_ slot: Slot) -> Bool { chosen?.contains(slot) ?? true }
}

/// A change of what this process owns.
public enum OwnershipChange: Equatable, Sendable {
  /// From now on this process runs the threads of these slots.
  case gained(SlotSet)
  /// Another process runs them, or will.
  case lost(SlotSet)
}

/// Which slots this process owns. May be asked from any thread.
public protocol Ownership: Sendable {
  var owned: SlotSet { get }
  func owns(_ slot: Slot) -> Bool
  /// Calls `tell` for every change from now on, from any thread, in place of the one before. `owns` says so by then.
  func onChange(_ tell: @escaping @Sendable (OwnershipChange) -> Void)
}

/// Of a store that no other process has open.
public struct WholeOwnership: Ownership {
  public init() {}
  public var owned: SlotSet { .all }
  public func owns(_ slot: Slot) -> Bool { true }
  public func onChange(_ tell: @escaping @Sendable (OwnershipChange) -> Void) {}
}
