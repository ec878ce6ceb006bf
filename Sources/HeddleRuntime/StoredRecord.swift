// Between a thread's record and what the store keeps of it.

import HeddleCore
import HeddleProtocol
import HeddleStorage

extension ThreadRecord {
  /// The row that lists and look-ups need.
  public func row(identity: ThreadIdentity) -> ThreadRow {
    ThreadRow(
      id: id, tenant: identity.tenant, epoch: identity.epoch, root: lineage?.root ?? id, parent: lineage?.parent,
      forkedFrom: lineage?.forkedFrom, source: lineage?.source ?? .client, createdAt: createdAt, updatedAt: updatedAt,
      archived: archived, name: name, preview: preview, modelProvider: currentSettings.modelProvider,
      workingFolder: currentSettings.workingFolder ?? "", active: hasUnfinishedWork, sequence: sequence,
      segments: segments)
  }
}

extension LoadedThread {
  /// The thread's record: the snapshot, and the tail folded on top of it.
  public func record(_ codec: inout Codec) throws(StoreError) -> ThreadRecord {
    var record = ThreadRecord()
    do throws(DecodeError) {
      if let snapshot { record = try codec.decodeTrusted(ThreadRecord.self, snapshot) }
    } catch {
      throw .damaged(thread: row.id, sequence: 0)
    }
    for stored in tail {
      do throws(DecodeError) {
        let event = try codec.decodeTrusted(Event.self, stored.payload)
        record.apply(event)
        record.eventBytes &+= UInt64(stored.payload.count)
      } catch {
        throw .damaged(thread: row.id, sequence: stored.sequence)
      }
    }
    record.id = row.id
    record.segments = row.segments
    return record
  }

  public var identity: ThreadIdentity { ThreadIdentity(tenant: row.tenant, epoch: row.epoch, ephemeral: false) }
}
