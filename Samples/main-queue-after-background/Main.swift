// State that belongs to the main queue, touched on another one after the program has entered the background.

import CrashKit
import Foundation
import ThreadGuard

/// What is on the screen, for the main queue only.
final class Layout: @unchecked Sendable {
  @ThreadGuard.OnMainQueue var sections = ["load", "memory", "battery"]

  func collapse() {
    sections.removeLast()
  }
}

/// Puts things away when the program goes to the background.
final class Lifecycle: @unchecked Sendable {
  private let layout: Layout
  private let saving = DispatchQueue(label: "lifecycle.saving")

  init(_ layout: Layout) { self.layout = layout }

  func didEnterBackground(done: @escaping @Sendable () -> Void) {
    CrashKit.record("DidEnterBackground", category: "lifecycle")
    saving.async {
      self.save()
      // The mistake: this is still the queue for saving.
      self.layout.collapse()
      done()
    }
  }

  private func save() { CrashKit.record("saved", category: "lifecycle") }
}

@main
struct Main {
  static func main() throws {
    try CrashKit.install(.init(application: .init(name: "main-queue-after-background", version: "1.0")))
    let lifecycle = Lifecycle(Layout())
    DispatchQueue.main.async { lifecycle.didEnterBackground { exit(0) } }
    dispatchMain()
  }
}
