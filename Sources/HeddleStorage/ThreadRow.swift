// A thread's row: the values that a store keeps of a thread beside its log.

import HeddleCore

/// The values of a thread that lists and look-ups need, kept beside its events.
public struct ThreadRow: Equatable, Sendable {
  public var id: ThreadID
  public var tenant: String
  public var epoch: UInt64
  public var root: ThreadID
  public var parent: ThreadID?
  public var forkedFrom: ThreadID?
  public var source: ThreadSource
  public var createdAt: Int64
  public var updatedAt: Int64
  public var archived: Bool
  public var name: String
  public var preview: String
  public var modelProvider: String
  public var workingFolder: String
  /// A turn runs or waits: a restart looks at this thread (durability.md D5).
  public var active: Bool
  /// The newest event.
  public var sequence: UInt64
  /// History shared with other threads, oldest first.
  public var segments: [HistorySegment]

  public init(
    id: ThreadID, tenant: String, epoch: UInt64, root: ThreadID, parent: ThreadID? = nil, forkedFrom: ThreadID? = nil,
    source: ThreadSource, createdAt: Int64, updatedAt: Int64, archived: Bool = false, name: String = "",
    preview: String = "", modelProvider: String = "", workingFolder: String = "", active: Bool = false,
    sequence: UInt64 = 0, segments: [HistorySegment] = []
  ) {
    self.id = id
    self.tenant = tenant
    self.epoch = epoch
    self.root = root
    self.parent = parent
    self.forkedFrom = forkedFrom
    self.source = source
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.archived = archived
    self.name = name
    self.preview = preview
    self.modelProvider = modelProvider
    self.workingFolder = workingFolder
    self.active = active
    self.sequence = sequence
    self.segments = segments
  }
}

extension ThreadRow {
  /// Of the row of a thread that is not deleted: all columns of the row, and whether a snapshot belongs to it.
  package func checksum(hasSnapshot: Bool) -> Int64 {
    var checksum = RowChecksum()
    checksum.add(id)
    checksum.add(tenant)
    checksum.add(Int64(bitPattern: epoch))
    checksum.add(root)
    checksum.add(parent)
    checksum.add(forkedFrom)
    checksum.add(Int64(source.rawValue))
    checksum.add(createdAt)
    checksum.add(updatedAt)
    checksum.add(archived)
    checksum.add(name)
    checksum.add(preview)
    checksum.add(modelProvider)
    checksum.add(workingFolder)
    checksum.add(active)
    checksum.add(sequence)
    checksum.add(segmentBytes)
    checksum.add(false)
    checksum.add(hasSnapshot)
    return checksum.value
  }

  /// For each segment, oldest first: owner (16 bytes), last sequence (8), last ordinal (8), most significant byte first.
  package var segmentBytes: [UInt8] {
    segments.flatMap { segment in
      segment.thread.bytes
        + [segment.lastSequence, segment.lastOrdinal].flatMap { number in
          withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
        }
    }
  }

  /// Nil if these are no segments.
  package static func segments(_ bytes: UnsafeRawBufferPointer) -> [HistorySegment]? {
    guard bytes.count % 32 == 0 else { return nil }
    func word(_ offset: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    return stride(from: 0, to: bytes.count, by: 32).map { start in
      HistorySegment(
        thread: ThreadID(high: word(start), low: word(start + 8)), lastSequence: word(start + 16),
        lastOrdinal: word(start + 24))
    }
  }
}
