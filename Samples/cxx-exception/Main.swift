// A C++ exception that reaches Swift, where nothing can catch it.

import CrashKit
import CxxConfiguration

@inline(never)
func startServer(threads text: String) -> Int32 {
  CrashKit.setAttribute("threads", text)
  return configuration_threads(text)
}

@main
struct Main {
  static func main() throws {
    try CrashKit.install(.init(application: .init(name: "cxx-exception", version: "1.0")))
    print(startServer(threads: "8"))
    print(startServer(threads: "many"))
  }
}
