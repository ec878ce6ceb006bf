// Every metric that the server has: its name, its kind, its help and how it is read. docs/metrics.md is this table for
// people; a test compares the two.

import HeddleCore

extension Metrics {
  /// All metrics, doors first.
  public static let catalog: [Metric] =
    [build] + doorMetrics + threadMetrics + storeMetrics + modelMetrics + captureMetrics + telemetryMetrics

  private static let build = Metric(
    "heddle_build_info", .gauge, "1, with the version of the program and the hash of its schema.",
    ["version", "schema"]
  ) { [Sample(1, [$0.build.version, $0.build.schema])] }

  // MARK: Doors

  private static let doorMetrics: [Metric] = [
    door("heddle_connections", .gauge, "Open connections.") { $0.connections.value },
    door("heddle_connections_accepted_total", .counter, "Connections that were accepted.") { $0.accepted.value },
    Metric(
      "heddle_connections_closed_total", .counter, "Connections that ended, by the reason that the client was told.",
      ["door", "reason"]
    ) { metrics in
      let causes = DoorMetrics.Closing.allCases.map { (DoorMetrics.reasons + $0.rawValue, $0.name) }
      return metrics.counted(reasons + causes) { $0.closed[$1] }
    },
    door("heddle_received_bytes_total", .counter, "Bytes that were read from connections.") { $0.receivedBytes.value },
    door("heddle_sent_bytes_total", .counter, "Bytes that were written to connections.") { $0.sentBytes.value },
    door("heddle_received_frames_total", .counter, "Frames that were received as a whole.") { $0.receivedFrames.value },
    door("heddle_sent_frames_total", .counter, "Frames that were queued for sending.") { $0.sentFrames.value },
    door("heddle_unfinished_frame_bytes", .gauge, "Bytes that wait for the rest of their frames.") {
      $0.unfinishedBytes.value
    },
    Metric(
      "heddle_requests_total", .counter, "Requests that were answered, by method and status code.",
      ["door", "method", "code"]
    ) { $0.requests },
    Metric(
      "heddle_request_seconds", .histogram, "Time from a request to its answer, by method.", ["door", "method"]
    ) { $0.durations },
    door("heddle_requests_in_flight", .gauge, "Requests that were accepted and have no answer yet.") {
      $0.requestsInFlight.value
    },
    Metric(
      "heddle_refusals_total", .counter, "Requests and answers of clients that were refused, by reason.",
      ["door", "reason"]
    ) { $0.counted(reasons) { $0.refusals[$1] } },
    door("heddle_glitches_total", .counter, "Small faults of clients, of which too many end a connection.") {
      $0.glitches.value
    },
    door("heddle_subscriptions", .gauge, "Streams that follow a thread, a tree or the lifecycle of threads.") {
      $0.subscriptions.value
    },
    door(
      "heddle_subscription_lags_total", .counter,
      "Times at which a subscription fell behind and went back to reading the log."
    ) { $0.lags.value },
    Metric(
      "heddle_events_sent_total", .counter,
      "Messages of subscriptions: numbered events, deltas of unfinished text, and others.", ["door", "kind"]
    ) { $0.counted(DoorMetrics.SentEvent.allCases.map { ($0.rawValue, "\($0)") }) { $0.events[$1] } },
    door("heddle_tls_on_plain_total", .counter, "Connections that began with TLS on a port without TLS.") {
      $0.tlsOnPlain.value
    },
    Metric(
      "heddle_tls_handshakes_total", .counter, "TLS handshakes that ended, by outcome.", ["door", "outcome"]
    ) { $0.counted(DoorMetrics.Handshake.allCases.map { ($0.rawValue, $0.name) }) { $0.handshakes[$1] } },
    Metric(
      "heddle_tls_certificate_expiry_seconds", .gauge,
      "Time at which the certificate of a door runs out, in seconds since 1970.", ["door"]
    ) { $0.tls.certificateEnds.map { Sample($0.seconds, [label(ofDoor: $0.door)]) } },
    Metric(
      "heddle_tls_reloads_total", .counter, "Times at which the files of a door's TLS were read again, by outcome.",
      ["outcome"]
    ) { [Sample($0.tls.renewed.value, ["renewed"]), Sample($0.tls.failed.value, ["failed"])] },
    Metric(
      "heddle_proxy_headers_total", .counter, "Connections that had to begin with a PROXY header, by outcome.",
      ["outcome"]
    ) { metrics in
      LoopMetrics.ProxyHeader.allCases.compactMap { outcome in
        let count = metrics.sum { $0.proxyHeaders[outcome.rawValue] }
        return count == 0 ? nil : Sample(count, [outcome.name])
      }
    },
    Metric(
      "heddle_identities_refused_total", .counter,
      "Identities in headers, PROXY headers and certificates that were not accepted."
    ) { [Sample($0.identities.refused.value)] },
  ]

  // MARK: Threads

  private static let threadMetrics: [Metric] = [
    loop("heddle_threads_loaded", .gauge, "Threads that are loaded.") { $0.threadsLoaded.value },
    loop("heddle_turns_running", .gauge, "Turns that run.") { $0.turnsRunning.value },
    Metric("heddle_turns_total", .counter, "Turns that ended, by status.", ["status"]) { metrics in
      [TurnStatus.completed, .interrupted, .failed].map { status in
        Sample(metrics.sum { $0.turns[Int(status.rawValue)] }, [status.name.lowercased()])
      }
    },
    Metric("heddle_turn_seconds", .histogram, "Time from the start of a turn to its end.") { metrics in
      [Sample(HistogramReading(sumOf: metrics.loops.map { $0.turnSeconds.reading }))]
    },
    Metric(
      "heddle_first_text_seconds", .histogram, "Time from the start of a turn to the first text of its model."
    ) { metrics in [Sample(HistogramReading(sumOf: metrics.loops.map { $0.firstTextSeconds.reading }))] },
    loop("heddle_followers", .gauge, "Streams to which threads and trees push what happens.") { $0.followers.value },
    loop("heddle_ephemeral_bytes", .gauge, "Memory that the logs of ephemeral threads have taken.") {
      $0.ephemeralBytes.value
    },
    loop("heddle_write_groups_total", .counter, "Groups of changes that event loops handed to the store.") {
      $0.writeGroups.value
    },
    loop("heddle_writes_total", .counter, "Changes that event loops handed to the store.") { $0.writes.value },
    loop("heddle_write_groups_failed_total", .counter, "Groups of changes that the store refused.") {
      $0.failedGroups.value
    },
  ]

  // MARK: Store

  private static let storeMetrics: [Metric] = [
    store("heddle_store_events_total", .counter, "Events that reached the disk.") { $0.events.value },
    store("heddle_store_syncs_total", .counter, "Transactions of the store, each with one sync.") { $0.syncs.value },
    Metric("heddle_store_sync_seconds", .histogram, "Time that a commit and its sync took.") {
      [Sample($0.store.syncSeconds.reading)]
    },
    store("heddle_store_checkpoints_total", .counter, "Times at which the write-ahead log was moved into the database.")
    {
      $0.checkpoints.value
    },
    store("heddle_store_waiting_bytes", .gauge, "Memory of writes that are not on disk yet.") { $0.waitingBytes.value },
    store("heddle_store_waiting_writes", .gauge, "Submissions that wait for the writer.") { $0.waitingWrites.value },
    Metric("heddle_store_reads_total", .counter, "Reads of the store, by lane.", ["lane"]) { metrics in
      metrics.lanes { $0.done.value }
    },
    Metric("heddle_store_waiting_reads", .gauge, "Reads that wait for a thread of the store, by lane.", ["lane"]) {
      metrics in metrics.lanes { $0.waiting.value }
    },
    store("heddle_store_read_only", .gauge, "1 while changes are refused, because the disk is full or out of reach.") {
      $0.isReadOnly.value
    },
  ]

  // MARK: Models

  private static let modelMetrics: [Metric] = [
    provider("heddle_model_requests_running", .gauge, "Requests to a model provider that run.") { $0.running.value },
    provider("heddle_model_requests_waiting", .gauge, "Requests that wait for a slot of a model provider.") {
      $0.waiting.value
    },
    provider("heddle_model_requests_limit", .gauge, "Requests that a model provider gets at once; 0 is no limit.") {
      $0.limit
    },
    Metric(
      "heddle_model_requests_total", .counter, "Requests to model providers that ended, by outcome.",
      ["provider", "outcome"]
    ) { metrics in
      metrics.providers.flatMap { provider in
        [
          Sample(provider.finished.value, [provider.name, "finished"]),
          Sample(provider.failed.value, [provider.name, "failed"]),
          Sample(provider.cancelled.value, [provider.name, "cancelled"]),
        ]
      }
    },
    Metric(
      "heddle_model_tokens_total", .counter,
      "Tokens of turns that ended. Cached tokens are part of the input, reasoning tokens part of the output.",
      ["provider", "kind"]
    ) { metrics in
      metrics.providers.flatMap { provider in
        [
          Sample(provider.inputTokens.value, [provider.name, "input"]),
          Sample(provider.cachedInputTokens.value, [provider.name, "cached_input"]),
          Sample(provider.outputTokens.value, [provider.name, "output"]),
          Sample(provider.reasoningTokens.value, [provider.name, "reasoning"]),
        ]
      }
    },
  ]

  // MARK: Captures

  private static let captureMetrics: [Metric] = [
    Metric("heddle_captures_running", .gauge, "1 while a recording runs.") { [Sample($0.captures.running.value)] },
    Metric("heddle_captures_total", .counter, "Recordings that were started.") { [Sample($0.captures.started.value)] },
    Metric("heddle_capture_dropped_frames_total", .counter, "Frames that a recording had no room for.") {
      [Sample($0.captures.droppedFrames.value)]
    },
    Metric("heddle_capture_dropped_bytes_total", .counter, "Bytes of frames that a recording had no room for.") {
      [Sample($0.captures.droppedBytes.value)]
    },
  ]

  // MARK: Telemetry

  private static let telemetryMetrics: [Metric] = [
    Metric("heddle_audit_lost_total", .counter, "Lines that could not be written into the audit file.") {
      [Sample($0.telemetry.auditLost.value)]
    },
    Metric("heddle_spans_dropped_total", .counter, "Spans of traces that did not reach the collector.") {
      [Sample($0.telemetry.spansDropped.value)]
    },
  ]

  // MARK: Kinds of rows

  private static func door(
    _ name: String, _ kind: Metric.Kind, _ help: String, _ value: @escaping @Sendable (DoorMetrics) -> Int
  ) -> Metric {
    Metric(name, kind, help, ["door"]) { metrics in
      metrics.doors.map { door in Sample(door.values.reduce(0) { $0 + value($1) }, [door.name]) }
    }
  }

  /// A door has another name in the ready line.
  private static func label(ofDoor name: String) -> String {
    name == "listen" ? "frames" : name
  }

  private static func loop(
    _ name: String, _ kind: Metric.Kind, _ help: String, _ value: @escaping @Sendable (LoopMetrics) -> Int
  ) -> Metric {
    Metric(name, kind, help) { [Sample($0.sum(value))] }
  }

  private static func store(
    _ name: String, _ kind: Metric.Kind, _ help: String, _ value: @escaping @Sendable (StoreMetrics) -> Int
  ) -> Metric {
    Metric(name, kind, help) { [Sample(value($0.store))] }
  }

  private static func provider(
    _ name: String, _ kind: Metric.Kind, _ help: String, _ value: @escaping @Sendable (ProviderMetrics) -> Int
  ) -> Metric {
    Metric(name, kind, help, ["provider"]) { metrics in
      metrics.providers.map { Sample(value($0), [$0.name]) }
    }
  }

  // MARK: Rows of values

  private static let reasons = Reason.allCases.enumerated().map { ($0.offset, $0.element.rawValue) }

  /// The counts of doors under these indices, with the label of each; indices without a count are left out.
  private func counted(_ labels: [(index: Int, name: String)], _ value: (DoorMetrics, Int) -> Int) -> [Sample] {
    doors.flatMap { door in
      labels.compactMap { label in
        let count = door.values.reduce(0) { $0 + value($1, label.index) }
        return count == 0 ? nil : Sample(count, [door.name, label.name])
      }
    }
  }

  private var requests: [Sample] {
    let codes = [(0, "OK")] + Code.allCases.dropFirst().map { (Int($0.rawValue), $0.name) }
    return doors.flatMap { door in
      Method.allCases.enumerated().flatMap { index, method in
        codes.compactMap { code, name in
          let count = door.values.reduce(0) { $0 + $1.requests[index * DoorMetrics.codes + code] }
          return count == 0 ? nil : Sample(count, [door.name, DoorMetrics.name(method), name])
        }
      }
    }
  }

  private var durations: [Sample] {
    let bounds = DoorMetrics.durationBounds.map { Double($0) / 1_000_000_000 } + [.infinity]
    return doors.flatMap { door in
      Method.allCases.enumerated().compactMap { index, method in
        var buckets = bounds.enumerated().map { place, bound in
          let count = door.values.reduce(0) { $0 + $1.durations[index * DoorMetrics.buckets + place] }
          return HistogramReading.Bucket(upTo: bound, count: count)
        }
        for place in buckets.indices.dropFirst() { buckets[place].count += buckets[place - 1].count }
        guard buckets.last?.count ?? 0 > 0 else { return nil }
        let sum = door.values.reduce(0) { $0 &+ $1.durationSums[index] }
        let reading = HistogramReading(buckets: buckets, sum: Double(sum) / 1_000_000_000)
        return Sample(reading, [door.name, DoorMetrics.name(method)])
      }
    }
  }

  private func lanes(_ value: (ReadMetrics) -> Int) -> [Sample] {
    [Sample(value(store.shortReads), ["short"]), Sample(value(store.longReads), ["long"])]
  }
}
