import Glibc
import LinuxCalls

/// What a thread of another process does, as far as a signal to it is concerned.
enum ThreadActivity {
  /// It waits in a system call that continues normally after a signal handler.
  case waits
  /// It runs the program's code.
  case runs
  /// A signal would cut its system call short, the call takes signals itself, or the kernel does not report the call.
  case isElsewhere

  /// - Parameter files: Those of the thread's process.
  init(of thread: pid_t, _ files: ProcessFiles) {
    let folder = "/proc/\(files.process)/task/\(thread)"
    if let bytes = KernelFile.read("\(folder)/syscall", atMost: 512) {
      self.init(call: String(decoding: bytes, as: UTF8.self), files)
    } else {
      // Who may not trace the process may still see the kernel's function that the thread sleeps in.
      let place = KernelFile.read("\(folder)/wchan", atMost: 512) ?? []
      self.init(kernelFunction: String(decoding: place, as: UTF8.self))
    }
  }

  /// By a line of proc(5): the call's number and six arguments, the stack pointer, the program counter.
  private init(call line: String, _ files: ProcessFiles) {
    let words = line.split { $0 == " " || $0 == "\n" }
    guard words.first != "running" else {
      self = .runs
      return
    }
    let arguments = words.dropFirst().prefix(6).compactMap { UInt64($0.dropFirst(2), radix: 16) }
    guard words.count == 9, arguments.count == 6, let number = words.first.flatMap({ Int($0) }) else {
      self = .isElsewhere
      return
    }
    self = Self.goesOn(number, arguments, files) ? .waits : .isElsewhere
  }

  private init(kernelFunction name: String) {
    let known = ["futex_", "ep_poll", "do_epoll_wait", "poll_schedule_timeout", "hrtimer_nanosleep", "do_wait"]
    self = known.contains { name.hasPrefix($0) } ? .waits : .isElsewhere
  }

  // MARK: Calls

  private enum Call {
    case always
    /// Allowed unless the call reads signals from the descriptor in its first argument.
    case reads
    /// Allowed unless the flags in this argument request all bytes.
    case receives(flags: Int)
    /// Allowed only if this argument sets no time limit.
    case withoutLimit(Int)
  }

  private static func goesOn(_ number: Int, _ arguments: [UInt64], _ files: ProcessFiles) -> Bool {
    switch calls[number] {
    case .always: true
    case .reads: files.target(ofDescriptor: Int(clamping: arguments[0]))?.hasSuffix("[signalfd]") == false
    case .receives(let flags): arguments[flags] & UInt64(MSG_WAITALL) == 0
    case .withoutLimit(let limit): arguments[limit] == 0
    case nil: false
    }
  }

  // By number. CrashKit issues those again that the kernel would not, on x86-64.
  #if arch(x86_64)
    private static let calls: [Int: Call] = [
      0: .reads,  // read
      7: .always,  // poll
      23: .always,  // select
      35: .always,  // nanosleep
      43: .always,  // accept
      45: .receives(flags: 3),  // recvfrom
      47: .receives(flags: 2),  // recvmsg
      61: .always,  // wait4
      73: .always,  // flock
      202: .always,  // futex
      230: .always,  // clock_nanosleep
      232: .always,  // epoll_wait
      247: .always,  // waitid
      270: .always,  // pselect6
      271: .always,  // ppoll
      281: .always,  // epoll_pwait
      288: .always,  // accept4
      441: .always,  // epoll_pwait2
      449: .always,  // futex_waitv
    ]
  #else
    private static let calls: [Int: Call] = [
      32: .always,  // flock
      63: .reads,  // read
      95: .always,  // waitid
      98: .withoutLimit(3),  // futex
      202: .always,  // accept
      207: .receives(flags: 3),  // recvfrom
      212: .receives(flags: 2),  // recvmsg
      242: .always,  // accept4
      260: .always,  // wait4
    ]
  #endif
}
