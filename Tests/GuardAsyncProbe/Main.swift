// The scenarios in a program with CrashKit, whose main is asynchronous.

import CrashKit
import Foundation
import GuardScenarios
import ThreadGuard

@main
struct Main {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.first == "async-main" else {
      try CrashKit.install()
      exit(NaNScenarios.run(arguments))
    }
    ThreadGuard.assertMainQueue()
    await QueueScenarios.runAll()
  }
}
