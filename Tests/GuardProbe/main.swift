// The scenarios in a program without CrashKit, whose main queue runs below a run loop or dispatchMain().

import Dispatch
import Foundation
import GuardScenarios
import ThreadGuard

let arguments = CommandLine.arguments.dropFirst()

func runQueueScenarios() {
  ThreadGuard.assertMainQueue()
  ThreadGuard.assertMainThread()
  Task.detached {
    await QueueScenarios.runAll()
    exit(0)
  }
}

switch arguments.first {
case "run-loop":
  runQueueScenarios()
  RunLoop.main.run()
case "dispatch-main":
  runQueueScenarios()
  dispatchMain()
default:
  exit(NaNScenarios.run(Array(arguments)))
}
