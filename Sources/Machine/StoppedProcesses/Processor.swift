/// What has to be known of the registers of this machine: `elf_gregset_t`.
enum Processor {
  #if arch(arm64)
    static let registerCount = 34
    static let stackPointer = 31
    private static let call = 8
    private static let firstArgument = 0
    /// futex and restart_syscall, by which the kernel goes on with a wait that has a time limit.
    private static let waits: Set<UInt64> = [98, 128]
  #else
    static let registerCount = 27
    static let stackPointer = 19
    private static let call = 15
    private static let firstArgument = 14
    /// futex and restart_syscall, by which the kernel goes on with a wait that has a time limit.
    private static let waits: Set<UInt64> = [202, 219]
  #endif

  /// The word that a thread waits at, if it may wait in futex(2).
  static func futexWord(_ registers: [UInt64]) -> UInt64? {
    waits.contains(registers[call]) ? registers[firstArgument] : nil
  }

  /// Whether the stop has ended a call with EINTR that has done nothing yet, and that the kernel would not issue again.
  static func isBrokenOff(_ registers: [UInt64]) -> Bool {
    #if arch(arm64)
      // The kernel has forgotten the call's first argument.
      false
    #else
      Int64(bitPattern: registers[10]) == -4 && calls.contains(registers[call])
    #endif
  }

  #if !arch(arm64)
    private static let calls: Set<UInt64> = [
      0,  // read
      19,  // readv
      42,  // connect
      43,  // accept
      44,  // sendto
      45,  // recvfrom
      46,  // sendmsg
      47,  // recvmsg
      65,  // semop
      128,  // rt_sigtimedwait
      208,  // io_getevents
      220,  // semtimedop
      232,  // epoll_wait
      281,  // epoll_pwait
      288,  // accept4
      299,  // recvmmsg
      333,  // io_pgetevents
      426,  // io_uring_enter
      441,  // epoll_pwait2
    ]
  #endif
}
