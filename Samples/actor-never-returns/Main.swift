// An actor that blocks its thread for a task that needs the actor itself.

import CrashKit
import Dispatch

actor Bank {
  private var balances = ["rent": 100]

  func balance(of account: String) -> Int { balances[account] ?? 0 }

  func printStatement(of account: String) {
    let isPrinted = DispatchSemaphore(value: 0)
    Task.detached {
      print(account, await self.balance(of: account))
      isPrinted.signal()
    }
    // The mistake: the task cannot ask for the balance before this function has returned.
    isPrinted.wait()
  }
}

@main
struct Main {
  static func main() async throws {
    try CrashKit.install(.init(application: .init(name: "actor-never-returns", version: "1.0")))
    let bank = Bank()
    CrashKit.HangDetector.start(threshold: .milliseconds(500), actor: bank)
    // The detector has to have seen the actor run.
    try await Task.sleep(for: .milliseconds(500))
    await bank.printStatement(of: "rent")
  }
}
