// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioLocks: Target.Dependency = .product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")

let package = Package(
  name: "heddle",
  products: [
    .executable(name: "heddle", targets: ["heddle"]),
    .library(name: "HeddleClient", targets: ["HeddleClient"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CMalloc"),
    .target(name: "CHeddleProtocol", dependencies: ["CProtobufC"]),
    library("HeddleCore", []),
    library("HeddleProtocol", ["HeddleCore", "CHeddleProtocol", "CProtobufC"]),
    library("HeddleStorage", ["HeddleCore", "HeddleProtocol", "CSQLite"]),
    library("HeddleImport", ["HeddleCore"]),
    library("HeddleRuntime", ["HeddleCore", "HeddleProtocol", "HeddleStorage", nioCore, nioLocks, nioPosix, logging]),
    library("HeddleModels", ["HeddleCore", "HeddleProtocol", "HeddleRuntime"]),
    library(
      "HeddleServer",
      ["HeddleCore", "HeddleProtocol", "HeddleStorage", "HeddleRuntime", nioCore, nioPosix, logging, crypto]),
    library("HeddleClient", ["HeddleCore", "HeddleProtocol", nioCore, nioPosix]),
    .executableTarget(
      name: "heddle",
      dependencies: [
        "HeddleCore", "HeddleProtocol", "HeddleStorage", "HeddleImport", "HeddleRuntime", "HeddleModels",
        "HeddleServer", "HeddleClient", "CMalloc", logging, nioPosix,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], swiftSettings: settings),
    tests("HeddleCoreTests", ["HeddleCore"]),
    tests("HeddleProtocolTests", ["HeddleProtocol", "HeddleCore", "CHeddleProtocol"]),
    tests("HeddleStorageTests", ["HeddleStorage", "HeddleCore", "HeddleProtocol"]),
    tests("HeddleImportTests", ["HeddleImport", "HeddleCore"]),
    tests("HeddleClientTests", ["HeddleClient", "HeddleCore", "HeddleProtocol", nioCore, nioPosix]),
    tests("HeddleModelsTests", ["HeddleModels", "HeddleCore", "HeddleRuntime"]),
    tests(
      "HeddleServerTests",
      [
        "HeddleCore", "HeddleProtocol", "HeddleServer", "HeddleRuntime", "HeddleModels", "HeddleClient",
        "HeddleStorage", logging, nioCore,
      ]),
  ]
)
