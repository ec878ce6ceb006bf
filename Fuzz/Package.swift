// swift-tools-version: 6.2
// Built with `--sanitize=fuzzer`, which gives `heddle-fuzz` its main; see the targets `fuzz…` of the Makefile. A package
// of its own, because without that flag it does not link. The fuzz targets are in `Entries`, a target of the package
// above.

import PackageDescription

let entries: Target.Dependency = .product(name: "HeddleFuzzing", package: "heddle")

let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "heddle", path: "..")],
  targets: [
    .executableTarget(
      name: "heddle-fuzz", dependencies: [entries], swiftSettings: [.unsafeFlags(["-parse-as-library"])])
  ]
)
