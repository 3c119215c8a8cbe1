import CLinuxCalls
import Glibc
import LinuxCalls
import Synchronization

/// Demangles long names in a process of its own, which a limit on its time and its memory ends: no demangler can be
/// stopped from outside.
///
/// A program that calls ``serveIfAsked(_:)`` first of all, and then ``useOwnProgram()``, has that process. In others each
/// name is demangled where it is asked for.
public enum DemanglingProcess {
  /// What the process is called: its only argument.
  private static let title = "crashsym: names"
  /// Seconds of processor time for one name, and bytes of address space.
  private static let (longestTime, mostMemory) = (2, rlim_t(2) << 30)
  /// After so many names that ended the process, all long ones stay as they are.
  private static let mostStarts = 4

  private struct State: ~Copyable {
    var isInUse = false
    var starts = 0
    var connection: Int32 = -1
    var process: pid_t = 0
  }

  private static let state = Mutex(State())

  /// From now on, long names go to a process of this program, which is started for the first one.
  public static func useOwnProgram() { state.withLock { $0.isInUse = true } }

  static var isInUse: Bool { state.withLock { $0.isInUse } }

  static func demangle(_ mangled: String, _ demangler: RuntimeDemangler) -> String? {
    state.withLock { state in
      if state.connection < 0, !start(&state) { return nil }
      if let answer = ask(state.connection, mangled, demangler) { return answer.text }
      close(state.connection)
      state.connection = -1
      waitpid(state.process, nil, 0)
      return nil
    }
  }

  // MARK: The process

  private static func start(_ state: inout State) -> Bool {
    guard state.starts < mostStarts else { return false }
    state.starts += 1
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return false }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    for descriptor: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0) }
    let error = withSystemTexts([title]) { arguments in
      posix_spawn(&state.process, "/proc/self/exe", &actions, nil, arguments, environ)
    }
    guard error == 0 else {
      close(ends[0])
      return false
    }
    state.connection = ends[0]
    return true
  }

  /// Answers names until the other end is closed. False if the process was not started for that.
  public static func serveIfAsked(_ arguments: [String]) -> Bool {
    guard arguments == [title] else { return false }
    var memory = rlimit(rlim_cur: mostMemory, rlim_max: mostMemory)
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    // Threads of libdispatch block all signals, and whoever they start does too.
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
    signal(SIGVTALRM, SIG_DFL)
    while let head = receive(0, count: headSize), let demangler = RuntimeDemangler(rawValue: head[0]),
      let name = receive(0, count: size(in: head))
    {
      var limit = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: longestTime, tv_usec: 0))
      setitimer(__itimer_which_t(ITIMER_VIRTUAL.rawValue), &limit, nil)
      let text = demangler.demangleHere(String(decoding: name, as: UTF8.self))
      guard send(0, message(text == nil ? 0 : 1, Array((text ?? "").utf8))) else { break }
    }
    return true
  }

  // MARK: Messages

  /// A byte and the size of what follows.
  private static let headSize = 5

  private static func message(_ first: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [first] + (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) } + bytes
  }

  private static func size(in head: [UInt8]) -> Int {
    head.dropFirst().reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// What the process made of a name; `nil` if it ended.
  private static func ask(
    _ connection: Int32, _ mangled: String, _ demangler: RuntimeDemangler
  ) -> (text: String?, Void)? {
    guard send(connection, message(demangler.rawValue, Array(mangled.utf8))),
      let head = receive(connection, count: headSize), let bytes = receive(connection, count: size(in: head))
    else { return nil }
    return (head[0] == 1 ? String(decoding: bytes, as: UTF8.self) : nil, ())
  }

  private static func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno != EINTR { return false }
      sent += max(0, count)
    }
    return true
  }

  private static func receive(_ connection: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var received = 0
    while received < count {
      let size = bytes.withUnsafeMutableBytes { read(connection, $0.baseAddress! + received, count - received) }
      if size == 0 || (size < 0 && errno != EINTR) { return nil }
      received += max(0, size)
    }
    return bytes
  }
}
