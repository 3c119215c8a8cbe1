// Watches the machine until there is a reading of its memory and one of its processors.

import Watcher

@main
struct Watching {
  static func main() async {
    Watcher.configure(refreshFrequency: 0.2)
    for manager in [Watcher.memoryLoadManager, Watcher.cpuLoadManager] {
      for await value in manager.publisher {
        print(manager.metric.name, value)
        break
      }
    }
  }
}
