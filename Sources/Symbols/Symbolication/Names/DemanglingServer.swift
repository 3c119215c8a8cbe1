import CLinuxCalls
import Glibc
import Synchronization

/// The process that demangles, and its children. A child answers names until one of them ends it: that one gets the answer
/// that it has no readable form. A child that ends while it has no question, or while it answers, ends the connection: what
/// comes next would be taken for the answer to another name.
struct DemanglingServer {
  private static let channel = NameChannel(descriptor: 0)
  /// Microseconds of processor time for one name: hundreds of times what a name needs that a compiler made.
  private static let longestTime = 50_000
  /// Bytes of address space.
  private static let mostMemory = rlim_t(1) << 30

  /// Returns when the other end is closed.
  static func serve() {
    setLimits()
    guard let isDemangling = sharedFlag() else { return }
    while true {
      let child = linux_fork()
      if child == 0 {
        answerNames(isDemangling)
        _exit(0)
      }
      guard child > 0, let cost = cost(ofEnded: child), isDemangling.pointee.exchange(false, ordering: .relaxed),
        channel.send(.init(kind: 0, cost: cost))
      else { return }
    }
  }

  /// In memory that the children write to as well.
  private static func sharedFlag() -> UnsafeMutablePointer<Atomic<Bool>>? {
    let size = MemoryLayout<Atomic<Bool>>.size
    guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), memory != MAP_FAILED
    else { return nil }
    let flag = memory.bindMemory(to: Atomic<Bool>.self, capacity: 1)
    flag.initialize(to: Atomic(false))
    return flag
  }

  private static func setLimits() {
    var memory = rlimit(rlim_cur: mostMemory, rlim_max: mostMemory)
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    // Threads of libdispatch block all signals, and so does each process that they start.
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
    signal(SIGPROF, SIG_DFL)
    // If it is ignored, a child cannot be waited for.
    signal(SIGCHLD, SIG_DFL)
  }

  /// What a name cost that a signal ended; `nil` if the child ended because the other end is closed.
  private static func cost(ofEnded child: pid_t) -> UInt32? {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return nil } }
    return status == 0 ? nil : UInt32(longestTime)
  }

  private static func answerNames(_ isDemangling: UnsafeMutablePointer<Atomic<Bool>>) {
    while let question = channel.receive(), let demangler = RuntimeDemangler(rawValue: question.kind) {
      isDemangling.pointee.store(true, ordering: .relaxed)
      endAfter(microseconds: longestTime)
      let start = processorTime
      let text = demangler.demangleHere(question.text)
      let cost = UInt32(clamping: processorTime - start)
      endAfter(microseconds: 0)
      isDemangling.pointee.store(false, ordering: .relaxed)
      guard channel.send(.init(kind: text == nil ? 0 : 1, cost: cost, text: text ?? "")) else { return }
    }
  }

  /// Microseconds of processor time; 0 for never.
  private static func endAfter(microseconds: Int) {
    var limit = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: 0, tv_usec: microseconds))
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &limit, nil)
  }

  /// In microseconds.
  private static var processorTime: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
