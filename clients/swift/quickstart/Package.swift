// swift-tools-version: 6.2
// A package that uses HeddleClient as any other would. `make test-package` builds it by this path and by a git URL.

import PackageDescription

let package = Package(
  name: "quickstart",
  dependencies: [
    .package(name: "heddle", path: "../../..")
  ],
  targets: [
    .executableTarget(name: "quickstart", dependencies: [.product(name: "HeddleClient", package: "heddle")])
  ]
)
