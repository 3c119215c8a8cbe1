import CrashKit
import Foundation

/// A bank whose accounts are behind an actor. A hang detector watches the actor.
public struct ActorNeverReturnsWorkload: Workload {
  public static let name = "actor-never-returns"
  public static let summary =
    "An actor keeps accounts and also sends account statements; a hang detector watches the actor"

  public static let variants = [
    Variant("correct", "The actor awaits the statement, and answers other calls meanwhile"),
    Variant(
      "waits-for-itself", "The actor blocks its thread for a task that needs the actor",
      planted: [Plant("hang", at: [Accounts.wait])], ending: .hangs),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    let accounts = Accounts()
    // Generous: machines that run this are busy.
    let detector = CrashKit.HangDetector.start(threshold: .milliseconds(500), actor: accounts)
    defer { detector?.stop() }
    // The detector has to have seen the actor run.
    try await Task.sleep(for: .milliseconds(200))
    try await context.inTasks(atLeast: 2) { client, random in
      await accounts.pay(Int.random(in: 1...9, using: &random), to: client)
      if variant.isCorrect {
        await accounts.sendStatement(of: client)
      } else {
        await accounts.printStatement(of: client)
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 1...5, using: &random)))
    }
  }
}

private actor Accounts {
  private var balances: [Int: Int] = [:]

  func pay(_ amount: Int, to account: Int) { balances[account, default: 0] += amount }

  private func balance(of account: Int) -> Int { balances[account, default: 0] }

  func sendStatement(of account: Int) async {
    let statement = Task { "account \(account): \(balance(of: account))" }
    CrashKit.record(await statement.value, category: "bank")
  }

  static let wait = Place(below: 7)
  func printStatement(of account: Int) {
    let isPrinted = DispatchSemaphore(value: 0)
    Task.detached {
      CrashKit.record("account \(account): \(await self.balance(of: account))", category: "bank")
      isPrinted.signal()
    }
    isPrinted.wait()
  }
}
