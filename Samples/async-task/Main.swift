// A crash inside an async task several awaits deep, while its siblings sleep.

import CrashKit

struct Profile: Sendable {
  var name: String?
}

actor ProfileStore {
  private var profiles: [Int: Profile] = [1: Profile(name: "Ada"), 2: Profile(name: nil)]

  func profile(_ id: Int) async -> Profile {
    await Task.yield()
    return profiles[id]!
  }
}

func greeting(for id: Int, in store: ProfileStore) async -> String {
  let profile = await store.profile(id)
  // The mistake: not everyone has a name.
  return "Hello, \(profile.name!)"
}

func page(for id: Int, in store: ProfileStore) async -> String {
  let text = await greeting(for: id, in: store)
  return "<h1>\(text)</h1>"
}

func serve(_ ids: [Int], from store: ProfileStore) async {
  for id in ids {
    CrashKit.record("request", category: "http", attributes: ["id": "\(id)"])
    let page = await page(for: id, in: store)
    print(page)
  }
}

@main
struct Main {
  static func main() async throws {
    try CrashKit.install(.init(application: .init(name: "async-task", version: "1.0")))
    let store = ProfileStore()
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...4 {
        group.addTask { try? await Task.sleep(for: .seconds(3600)) }
      }
      group.addTask { await serve([1, 2], from: store) }
    }
  }
}
