// The environment of the process.

import Foundation

/// A variable of the environment.
func environment(_ name: String) -> String? {
  ProcessInfo.processInfo.environment[name]
}
