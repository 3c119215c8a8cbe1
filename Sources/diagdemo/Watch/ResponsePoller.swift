import CLinuxCalls
import Dispatch
import Glibc
import LinuxCalls
import Synchronization
import Watcher

/// Asks URLs for their contents again and again by curl, and notes how long each took to answer.
final class ResponsePoller: Sendable {
  let times = Watcher.ResponseTimes()
  private let urls: [String]
  private let environment: ProcessVariables
  private let timers = Mutex<[Timer]>([])

  /// Safe: reached under the lock alone.
  private struct Timer: @unchecked Sendable { let source: any DispatchSourceTimer }

  private static let longestSeconds = 10

  init(_ urls: [String], environment: ProcessVariables) {
    self.urls = urls
    self.environment = environment
  }

  static func endpoint(_ url: String) -> String { "GET \(url)" }

  /// Asks each URL at once, and then so often.
  func start(every seconds: Double) {
    for url in urls {
      let queue = DispatchQueue(label: "diagdemo.url")
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.schedule(deadline: .now(), repeating: seconds)
      source.setEventHandler { [self] in ask(url) }
      source.activate()
      let timer = Timer(source: source)
      timers.withLock { $0.append(timer) }
    }
  }

  /// curl's own clock, so that starting it does not count.
  private func ask(_ url: String) {
    let arguments = [
      "curl", "--silent", "--output", "/dev/null", "--max-time", "\(Self.longestSeconds)", "--location", "--write-out",
      "%{http_code} %{time_total}", "--", url,
    ]
    var pipe: [Int32] = [0, 0]
    guard linux_pipe(&pipe) == 0 else { return }
    defer { close(pipe[0]) }
    let child = try? ChildProcess(arguments, environment: environment, output: pipe[1])
    close(pipe[1])
    guard let child else { return }
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 256)
    while true {
      let count = read(pipe[0], &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    let status = child.status(waiting: true)
    let words = text.split(separator: " ")
    guard words.count == 2, let code = Int(words[0]), let seconds = Double(words[1]), seconds.isFinite else { return }
    times.record(
      Self.endpoint(url), duration: .seconds(seconds), failed: status != 0 || !(200..<400).contains(code))
  }

  /// Whether curl is there.
  static func isPossible(_ environment: ProcessVariables) -> Bool {
    guard let child = try? ChildProcess(["curl", "--version"], environment: environment) else { return false }
    return child.status(waiting: true) == 0
  }
}
