// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

// What `make coverage` counts in: with counters in every target the server would be a slower one than is tested.
let counted: [SwiftSetting] =
  Context.environment["HEDDLE_COVERAGE"] == nil
  ? []
  : [.unsafeFlags(["-profile-generate", "-profile-coverage-mapping", "-Xllvm", "-runtime-counter-relocation"])]

// Classes that are confined to an event loop, or to a thread of the store, are checked for overlapping accesses in debug
// builds, which all tests run.
// In a release the checks at run time were a seventh of a request's instructions (docs/performance.md).
let confined: [SwiftSetting] = [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

func library(_ name: String, _ dependencies: [Target.Dependency], _ more: [SwiftSetting] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings + more)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket: Target.Dependency = .product(name: "NIOWebSocket", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioLocks: Target.Dependency = .product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")

let package = Package(
  name: "heddle",
  products: [
    .executable(name: "heddle", targets: ["heddle"]),
    // The client's requests and answers are values of the core.
    .library(name: "HeddleClient", targets: ["HeddleClient", "HeddleCore"]),
    .library(name: "HeddleFuzzing", targets: ["HeddleFuzzing"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  ],
  targets: [
    .systemLibrary(name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "CMalloc"),
    .target(name: "CAddressSpace"),
    .target(name: "CHeddleProtocol", dependencies: ["CProtobufC"]),
    .target(name: "CCRC32C"),
    .target(name: "CPageChecksums", dependencies: ["CSQLite", "CCRC32C"]),
    library("HeddleCore", [], counted),
    library("HeddleJSON", [], counted),
    library("HeddleProtocol", ["HeddleCore", "HeddleJSON", "CHeddleProtocol", "CProtobufC"], counted),
    library("HeddleMetrics", ["HeddleCore"]),
    library("HeddleCapture", ["HeddleCore", "HeddleProtocol", nioCore]),
    library("HeddleStorage", ["HeddleCore", "HeddleMetrics", "HeddleProtocol", "CCRC32C", deque], counted + confined),
    library(
      "HeddleSQLite",
      ["HeddleCore", "HeddleMetrics", "HeddleProtocol", "HeddleStorage", "CSQLite", "CPageChecksums"],
      counted + confined),
    library("HeddleImport", ["HeddleCore", "HeddleJSON"]),
    library(
      "HeddleRuntime",
      [
        "HeddleCore", "HeddleJSON", "HeddleMetrics", "HeddleProtocol", "HeddleStorage", deque, nioCore, nioLocks,
        nioPosix, logging,
      ], confined),
    library(
      "HeddleModels",
      ["HeddleCore", "HeddleJSON", "HeddleProtocol", "HeddleRuntime", httpClient, nioCore, nioSSL, logging]),
    library(
      "HeddleTraces", ["HeddleCore", "HeddleMetrics", "HeddleProtocol", "HeddleRuntime", httpClient, nioCore, logging]),
    library("HeddleTokens", ["HeddleJSON", crypto, cryptoExtras]),
    library(
      "HeddleService",
      [
        "HeddleCore", "HeddleJSON", "HeddleMetrics", "HeddleProtocol", "HeddleRuntime", "HeddleStorage", "HeddleTokens",
        nioCore, logging, crypto,
      ], confined),
    library(
      "HeddleListener",
      [
        "HeddleCore", "HeddleMetrics", "HeddleService", "HeddleTokens", "CCRC32C", nioCore, nioPosix, nioSSL, nioTLS,
        logging,
      ], confined),
    library(
      "HeddleFrames",
      [
        "HeddleCore", "HeddleListener", "HeddleMetrics", "HeddleProtocol", "HeddleRuntime", "HeddleService",
        "HeddleStorage", "HeddleTokens", nioCore, nioPosix, logging,
      ], confined),
    library(
      "HeddleRPC",
      [
        "HeddleCore", "HeddleJSON", "HeddleListener", "HeddleMetrics", "HeddleProtocol", "HeddleRuntime",
        "HeddleService", "HeddleStorage", "HeddleTokens", nioCore, logging,
      ], confined),
    library(
      "HeddleGRPC",
      [
        "HeddleCore", "HeddleListener", "HeddleMetrics", "HeddleProtocol", "HeddleRPC", "HeddleRuntime",
        "HeddleService", "HeddleStorage", "HeddleTokens", "CNghttp2", nioCore, nioPosix, logging,
      ], confined),
    library(
      "HeddleHTTP",
      [
        "HeddleCore", "HeddleJSON", "HeddleListener", "HeddleMetrics", "HeddleProtocol", "HeddleRPC", "HeddleRuntime",
        "HeddleService", "HeddleStorage", "HeddleTokens", crypto, nioCore, nioHTTP1,
      ], confined),
    library(
      "HeddleRecorder",
      [
        "HeddleCore", "HeddleMetrics", "HeddleProtocol", "HeddleCapture", "HeddleRuntime", "HeddleService", nioCore,
        logging,
      ], confined),
    library(
      "HeddleServer",
      [
        "HeddleCore", "HeddleFrames", "HeddleGRPC", "HeddleHTTP", "HeddleListener", "HeddleMetrics", "HeddleRecorder",
        "HeddleRuntime", "HeddleService", "HeddleStorage", "HeddleTokens", nioCore, nioPosix, logging,
      ]),
    library("HeddleClient", ["HeddleCore", "HeddleProtocol", nioCore, nioPosix, nioSSL, logging]),
    library("HeddleReplay", ["HeddleCore", "HeddleJSON", "HeddleProtocol", "HeddleCapture", nioCore, nioPosix]),
    library("HeddleChat", ["HeddleCore", "HeddleJSON", "HeddleProtocol", "HeddleClient"]),
    .executableTarget(
      name: "conformance-driver", dependencies: ["HeddleClient", "HeddleCore", "HeddleProtocol", logging],
      path: "clients/swift/conformance", swiftSettings: settings),
    .executableTarget(
      name: "quickstart", dependencies: ["HeddleClient", "HeddleCore"],
      path: "clients/swift/quickstart/Sources/quickstart", swiftSettings: settings),
    .executableTarget(
      name: "client-bench", dependencies: ["HeddleClient", "HeddleCore"], path: "clients/swift/bench",
      swiftSettings: settings),
    .executableTarget(
      name: "heddle",
      dependencies: [
        "HeddleCore", "HeddleJSON", "HeddleProtocol", "HeddleStorage", "HeddleSQLite", "HeddleImport", "HeddleRuntime",
        "HeddleModels", "HeddleServer", "HeddleService", "HeddleListener", "HeddleHTTP", "HeddleTokens",
        "HeddleRecorder", "HeddleTraces", "HeddleMetrics", "HeddleClient", "HeddleChat",
        "HeddleReplay", "HeddleCapture", "CMalloc", "CAddressSpace", logging, nioPosix,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ], swiftSettings: settings),
    .target(name: "CSimulatedDisk", dependencies: ["CSQLite"], path: "Simulator/CSimulatedDisk"),
    .executableTarget(
      name: "simulator",
      dependencies: [
        "HeddleCore", "HeddleMetrics", "HeddleProtocol", "HeddleStorage", "HeddleSQLite", "HeddleRuntime",
        "HeddleServer", "HeddleTokens", "HeddleJSON", "CNghttp2", "CSimulatedDisk", nioCore, nioEmbedded, logging,
        crypto,
      ], path: "Simulator/Sources", swiftSettings: settings),
    .executableTarget(
      name: "differential", dependencies: ["HeddleJSON", "HeddleProtocol"], path: "Tests/differential/Sources",
      swiftSettings: settings),
    .target(
      name: "HeddleFuzzing",
      dependencies: [
        "HeddleCore", "HeddleJSON", "HeddleMetrics", "HeddleProtocol", "HeddleStorage", "HeddleSQLite", "HeddleImport",
        "HeddleRuntime", "HeddleServer", "HeddleService", "HeddleTokens", "HeddleFrames", "HeddleListener",
        "CSimulatedDisk", "CPageChecksums", "CNghttp2", nioCore, nioEmbedded, logging, crypto,
      ], path: "Fuzz/Entries", swiftSettings: settings),
    .executableTarget(
      name: "fuzz-replay", dependencies: ["HeddleFuzzing"], path: "Fuzz/Replay", swiftSettings: settings),
    tests("HeddleCoreTests", ["HeddleCore"]),
    tests("HeddleJSONTests", ["HeddleJSON"]),
    tests("HeddleProtocolTests", ["HeddleProtocol", "HeddleCore", "HeddleJSON", "CHeddleProtocol", "CProtobufC"]),
    tests("HeddleMetricsTests", ["HeddleMetrics", "HeddleCore"]),
    tests("HeddleStorageTests", ["HeddleStorage", "HeddleCore", "HeddleProtocol", "CCRC32C"]),
    .target(
      name: "HeddleStoreContract", dependencies: ["HeddleCore", "HeddleProtocol", "HeddleStorage"],
      path: "Tests/StoreContract", swiftSettings: settings),
    tests(
      "HeddleSQLiteTests",
      [
        "HeddleSQLite", "HeddleStorage", "HeddleStoreContract", "HeddleCore", "HeddleProtocol", "CCRC32C",
        "CPageChecksums", "CSQLite",
      ]),
    tests("HeddleImportTests", ["HeddleImport", "HeddleCore", "HeddleJSON", "HeddleFuzzing"]),
    tests("FuzzCorpusTests", ["HeddleFuzzing", "HeddleProtocol"]),
    tests("HeddleClientTests", ["HeddleClient", "HeddleCore", "HeddleProtocol", nioCore, nioPosix]),
    tests("HeddleReplayTests", ["HeddleReplay", "HeddleCapture", "HeddleCore", "HeddleJSON", "HeddleProtocol"]),
    tests("HeddleChatTests", ["HeddleChat", "HeddleClient", "HeddleCore"]),
    tests(
      "HeddleRuntimeTests",
      [
        "HeddleRuntime", "HeddleCore", "HeddleJSON", "HeddleMetrics", "HeddleProtocol", "HeddleStorage", "HeddleSQLite",
        nioPosix, logging,
      ]),
    tests("HeddleModelsTests", ["HeddleModels", "HeddleCore", "HeddleJSON", "HeddleProtocol", "HeddleRuntime"]),
    tests("HeddleTokensTests", ["HeddleTokens", "HeddleJSON", crypto, cryptoExtras]),
    tests("HeddleServiceTests", ["HeddleCore", "HeddleService", "HeddleRuntime", "HeddleMetrics"]),
    tests("HeddleTracesTests", ["HeddleCore", "HeddleMetrics", "HeddleRuntime", "HeddleTraces", nioCore, nioPosix]),
    tests(
      "HeddleListenerTests",
      ["HeddleCore", "HeddleListener", "HeddleService", "HeddleTokens", nioCore, nioEmbedded, nioSSL]),
    tests(
      "HeddleRPCTests",
      ["HeddleCore", "HeddleProtocol", "HeddleRPC", "HeddleService", "HeddleTokens", nioCore, nioEmbedded]),
    tests("HeddleGRPCTests", ["HeddleCore", "HeddleProtocol", "HeddleGRPC", "HeddleRPC", nioCore, nioEmbedded]),
    tests(
      "HeddleHTTPTests",
      ["HeddleCore", "HeddleMetrics", "HeddleProtocol", "HeddleHTTP", "HeddleRPC", nioCore, nioHTTP1]),
    tests("HeddleFramesTests", ["HeddleCore", "HeddleProtocol", "HeddleFrames", nioCore]),
    tests(
      "HeddleRecorderTests",
      ["HeddleCore", "HeddleMetrics", "HeddleProtocol", "HeddleCapture", "HeddleRecorder", nioCore]),
    tests(
      "HeddleServerTests",
      [
        "HeddleCore", "HeddleMetrics", "HeddleProtocol", "HeddleServer", "HeddleRuntime", "HeddleModels",
        "HeddleClient", "HeddleListener", "HeddleRecorder", "HeddleStorage", "HeddleSQLite", "HeddleTokens", logging,
        nioCore, nioPosix, nioEmbedded, crypto,
      ]),
  ]
)
