import CLinuxCalls
import Glibc
import LinuxCalls
import Synchronization

/// Demangles long names in a separate process with limits of time and memory. In the program's own process, a demangler
/// that takes too long could not be stopped.
///
/// To use this process, a program first calls ``serveIfAsked(_:)``, and then ``useOwnProgram(_:)``. A program that does
/// not call these functions demangles all names itself.
public enum DemanglingProcess {
  /// The only argument of the process, by which it is recognised.
  private static let title = "crashsym: names"
  /// After this many processes that could not be started, or that ended, all long names stay unchanged.
  private static let mostStarts = 4

  private struct State: ~Copyable {
    var isInUse = false
    var starts = 0
    var channel: NameChannel?
    var process: pid_t = 0
    var budget = NameBudget()
    var leavingNames: (@Sendable () -> Void)?
  }

  private static let state = Mutex(State())

  /// If another process started this one to demangle names, this function demangles names until the other process
  /// closes its end of the channel. Otherwise it returns false at once.
  public static func serveIfAsked(_ arguments: [String]) -> Bool {
    guard arguments == [title] else { return false }
    DemanglingServer.serve()
    return true
  }

  /// From now on, a second process of this program demangles long names. The process starts when the program demangles
  /// its first long name.
  ///
  /// - Parameter leavingNames: Called at most once, on any thread, when a long name is left undemangled for the first
  ///   time. A long name is left undemangled if earlier names took too long, or if the second process could not be
  ///   started or has ended.
  public static func useOwnProgram(_ leavingNames: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.isInUse = true
      state.leavingNames = leavingNames
    }
  }

  /// The readable form; `nil` if there is none, or it is too long. Without a process of its own the name is demangled
  /// here.
  static func demangle(_ mangled: String, _ demangler: RuntimeDemangler) -> String? {
    let answer = state.withLock { state -> Answer in
      guard state.isInUse else { return .here }
      if state.budget.isLeft(at: .now), let channel = state.channel ?? start(&state) {
        if channel.send(.init(kind: demangler.rawValue, text: mangled)), let answer = channel.receive() {
          state.budget.take(answer.cost, mangled.utf8.count)
          return .text(answer.kind == 1 ? answer.text : nil)
        }
        end(&state)
      }
      defer { state.leavingNames = nil }
      return .left(state.leavingNames)
    }
    switch answer {
    case .here: return demangler.demangleHere(mangled)
    case .text(let text): return text
    case .left(let report):
      report?()
      return nil
    }
  }

  private enum Answer {
    case here
    case text(String?)
    case left((@Sendable () -> Void)?)
  }

  private static func end(_ state: inout State) {
    if let channel = state.channel { close(channel.descriptor) }
    state.channel = nil
    waitpid(state.process, nil, 0)
  }

  /// `nil` if it cannot be started.
  private static func start(_ state: inout State) -> NameChannel? {
    guard state.starts < mostStarts else { return nil }
    state.starts += 1
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
    defer { close(ends[1]) }
    guard let process = spawn(ends[1]) else {
      close(ends[0])
      return nil
    }
    state.process = process
    state.channel = NameChannel(descriptor: ends[0])
    return state.channel
  }

  private static func spawn(_ input: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    for descriptor: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0) }
    // Without /proc, the path by which the kernel started this program.
    let started = UnsafePointer<CChar>(bitPattern: getauxval(UInt(AT_EXECFN))).map { String(cString: $0) }
    var process: pid_t = 0
    for program in ["/proc/self/exe"] + (started.map { [$0] } ?? []) {
      let error = withSystemTexts([title]) { posix_spawn(&process, program, &actions, nil, $0, environ) }
      if error == 0 { return process }
      guard error == ENOENT else { return nil }
    }
    return nil
  }
}
