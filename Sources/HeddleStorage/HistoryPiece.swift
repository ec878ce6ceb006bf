// The places of a thread's history: its own events and turns behind those that it shares (Store.P6).

import HeddleCore

extension ThreadRow {
  /// The last event and turn that the thread shares; its own begin behind them.
  package var sharedSequence: UInt64 { segments.last?.lastSequence ?? 0 }
  package var sharedOrdinal: UInt64 { segments.last?.lastOrdinal ?? 0 }

  /// Where the thread's events stand, oldest first.
  package var eventPieces: [HistoryPiece] { pieces { $0.lastSequence } }
  /// Where its turns stand, oldest first.
  package var turnPieces: [HistoryPiece] { pieces { $0.lastOrdinal } }

  private func pieces(_ last: (HistorySegment) -> UInt64) -> [HistoryPiece] {
    var out: [HistoryPiece] = []
    var after: UInt64 = 0
    for segment in segments {
      out.append(HistoryPiece(owner: segment.thread, after: after, through: last(segment)))
      after = last(segment)
    }
    out.append(HistoryPiece(owner: id, after: after, through: .max))
    return out
  }
}

/// A run of events or turns that stand under one thread: the numbers in (`after`, `through`].
package struct HistoryPiece: Equatable {
  package var owner: ThreadID
  package var after: UInt64
  package var through: UInt64

  package init(owner: ThreadID, after: UInt64, through: UInt64) {
    self.owner = owner
    self.after = after
    self.through = through
  }

  /// Ends a walk through it here.
  package mutating func cut(at number: UInt64, backwards: Bool) {
    if backwards { after = Swift.max(number, 1) - 1 } else { through = number }
  }
}

extension [HistoryPiece] {
  /// The pieces that a walk meets which starts at `from`, exclusive, in the order in which it meets them. Backwards, 0 is
  /// the end.
  package func walk(from: UInt64, backwards: Bool) -> [HistoryPiece] {
    let cut = map { piece in
      var piece = piece
      if !backwards {
        piece.after = Swift.max(piece.after, from)
      } else if from > 0 {
        piece.through = Swift.min(piece.through, from - 1)
      }
      return piece
    }
    let left = cut.filter { $0.after < $0.through }
    return backwards ? left.reversed() : left
  }
}

/// Numbers of a piece without holes. A page that lies may show one row twice and another not at all, which counting does
/// not notice.
package struct Numbers {
  /// The number that has to come.
  package private(set) var next: UInt64
  private let backwards: Bool

  package init(of piece: HistoryPiece, backwards: Bool) {
    next = backwards ? piece.through : piece.after &+ 1
    self.backwards = backwards
  }

  package mutating func goOn(with number: UInt64) -> Bool {
    guard number == next else { return false }
    next = backwards ? next &- 1 : next &+ 1
    return true
  }

  /// Whether all of the piece has come, in order, and perhaps more.
  package func haveReached(_ piece: HistoryPiece) -> Bool { piece.after >= piece.through || next > piece.through }

  /// Whether there was nothing behind the last one in the piece.
  package func areAll(of piece: HistoryPiece) -> Bool {
    piece.after >= piece.through || next == (backwards ? piece.after : piece.through &+ 1)
  }
}
