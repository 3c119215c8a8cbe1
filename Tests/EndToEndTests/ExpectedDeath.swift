import Foundation
import Testing

/// What the report of a death must say.
struct ExpectedDeath: Sendable, CustomTestStringConvertible {
  let kind: String
  let signal: String
  let code: String
  let address: String?
  let cause: String?
  let message: String?
  /// The first of the program's own functions on the crashed thread, and a text that only its crashing line holds;
  /// `nil` where chance decides on the line.
  let function: String
  let file: String
  let line: String?

  init(
    _ kind: String, _ signal: String, _ code: String, at address: String? = nil, cause: String? = nil,
    message: String? = nil, in function: String, _ file: String, _ line: String?
  ) {
    self.kind = kind
    self.signal = signal
    self.code = code
    self.address = address
    self.cause = cause
    self.message = message
    self.function = function
    self.file = file
    self.line = line
  }

  var testDescription: String { kind }

  /// The number of the only line of the file that holds the text; `nil` if any line will do.
  func lineNumber() throws -> Int? {
    guard let line else { return nil }
    let text = try String(contentsOf: Products.root.appending(path: file), encoding: .utf8)
    let numbers = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .filter { $0.element.contains(line) }.map { $0.offset + 1 }
    try #require(numbers.count == 1, "\(file) holds '\(line)' \(numbers.count) times")
    return numbers[0]
  }

  private static let null = "0x0000000000000000"
  private static let unmapped = "0x0000414141414140"
  private static let memory = "Sources/CDiagdemoCrashes/memory.c"
  private static let instructions = "Sources/CDiagdemoCrashes/instructions.c"
  private static let exceptions = "Sources/CDiagdemoCrashes/exceptions.cpp"
  private static let signals = "Sources/CDiagdemoCrashes/signals.c"
  private static let swift = "Sources/diagdemo/SwiftCrashes.swift"

  static let all = inC + inSwift

  static let inC = [
    ExpectedDeath(
      "null-read", "SIGSEGV", "SEGV_MAPERR", at: null, cause: "null pointer dereference (read at 0x0)", in: "read_at",
      memory,
      "return *(volatile int *)address;"),
    ExpectedDeath(
      "null-write", "SIGSEGV", "SEGV_MAPERR", at: null, cause: "null pointer dereference (write at 0x0)",
      in: "write_at", memory,
      "*(volatile int *)address = value;"),
    ExpectedDeath(
      "null-call", "SIGSEGV", "SEGV_MAPERR", at: null, cause: "call through a null pointer", in: "call_at", memory,
      "((void (*)(void))address)()"),
    ExpectedDeath(
      "wild-read", "SIGSEGV", "SEGV_MAPERR", at: unmapped, cause: "access to unmapped memory (read at 0x414141414140)",
      in: "read_at", memory, "return *(volatile int *)address;"),
    ExpectedDeath(
      "wild-write", "SIGSEGV", "SEGV_MAPERR", at: unmapped,
      cause: "access to unmapped memory (write at 0x414141414140)", in: "write_at", memory,
      "*(volatile int *)address = value;"),
    ExpectedDeath(
      "non-canonical-read", "SIGSEGV", "SI_KERNEL", cause: "non-canonical address", in: "read_at", memory,
      "return *(volatile int *)address;"),
    ExpectedDeath(
      "read-only-write", "SIGSEGV", "SEGV_ACCERR", cause: "write to read-only memory", in: "write_at", memory,
      "*(volatile int *)address = value;"),
    ExpectedDeath(
      "data-call", "SIGSEGV", "SEGV_ACCERR", cause: "memory that is not executable", in: "call_at", memory,
      "((void (*)(void))address)()"),
    ExpectedDeath(
      "stack-overflow", "SIGSEGV", "SEGV_MAPERR", cause: "stack overflow", in: "overflow_stack", memory,
      nil),  // the stack may end at the function's entry as well as at its first write
    ExpectedDeath(
      "bus-error", "SIGBUS", "BUS_ADRERR", cause: "beyond the end of a mapped file", in: "read_at", memory,
      "return *(volatile int *)address;"),
    ExpectedDeath(
      "double-free", "SIGABRT", "SI_TKILL", message: "double free", in: "crash_double_free", memory,
      "The second time."),
    ExpectedDeath(
      "free-invalid", "SIGABRT", "SI_TKILL", message: "invalid pointer", in: "crash_free_invalid", memory,
      "free(block + 8);"),
    ExpectedDeath(
      "illegal-instruction", "SIGILL", "ILL_ILLOPN", in: "crash_illegal_instruction", instructions, "ud2"),
    ExpectedDeath(
      "breakpoint", "SIGTRAP", "SI_KERNEL", cause: "breakpoint instruction", in: "crash_breakpoint", instructions,
      "int3"),
    ExpectedDeath(
      "divide-by-zero", "SIGFPE", "FPE_INTDIV", cause: "integer division by zero", in: "crash_divide_by_zero",
      instructions, "divl %0"),
    ExpectedDeath(
      "abort", "SIGABRT", "SI_TKILL", cause: "abort() called", in: "crash_abort", instructions, "{ abort(); }"),
    ExpectedDeath(
      "assert", "SIGABRT", "SI_TKILL", message: "answer == 42", in: "crash_assert", instructions,
      "assert(answer == 42);"),
    ExpectedDeath(
      "cxx-exception", "SIGABRT", "SI_TKILL", in: "parse", exceptions, "throw std::runtime_error(text)"),
    ExpectedDeath(
      "pure-virtual-call", "SIGABRT", "SI_TKILL", in: "describe", exceptions, "void describe() { name(); }"),
    ExpectedDeath(
      "bad-system-call", "SIGSYS", "SYS_SECCOMP", cause: "refused by a filter", in: "crash_bad_system_call", signals,
      "syscall(SYS_acct, NULL)"),
    ExpectedDeath(
      "raise-SIGSEGV", "SIGSEGV", "SI_TKILL", cause: "raised by the program itself", in: "crash_raise", signals,
      "syscall(SYS_tgkill"),
    ExpectedDeath("raise-SIGABRT", "SIGABRT", "SI_TKILL", in: "crash_raise", signals, "syscall(SYS_tgkill"),
  ]

  static let inSwift = [
    ExpectedDeath(
      "index-out-of-range", "SIGILL", "ILL_ILLOPN", message: "Index out of range", in: "indexOutOfRange", swift,
      "values[index]"),
    ExpectedDeath(
      "force-unwrap", "SIGILL", "ILL_ILLOPN", message: "Unexpectedly found nil", in: "forceUnwrap", swift,
      #""\(value!)\n""#),
    ExpectedDeath(
      "force-cast", "SIGABRT", "SI_TKILL", message: "Could not cast value", in: "forceCast", swift, "value as! Int"),
    ExpectedDeath(
      "force-try", "SIGILL", "ILL_ILLOPN", message: "EmptyConfiguration", in: "forceTry", swift, "try! parse"),
    ExpectedDeath(
      "fatal-error", "SIGILL", "ILL_ILLOPN", message: "the catalogue asked for this", in: "fatalErrorCall", swift,
      "fatalError(\""),
    ExpectedDeath(
      "precondition", "SIGILL", "ILL_ILLOPN", message: "precondition fail", in: "failPrecondition", swift,
      "precondition(count"),
    ExpectedDeath("integer-overflow", "SIGILL", "ILL_ILLOPN", in: "addOne", swift, "value + 1"),
    ExpectedDeath("swift-divide-by-zero", "SIGILL", "ILL_ILLOPN", in: "divide", swift, "dividend / divisor"),
    ExpectedDeath(
      "exclusivity", "SIGABRT", "SI_TKILL", in: "breakExclusivity", swift, "modify(&count) { modify"),
    ExpectedDeath(
      "recursion", "SIGSEGV", "SEGV_MAPERR", cause: "stack overflow", in: "recurse", swift, nil),
    ExpectedDeath("unowned", "SIGABRT", "SI_TKILL", message: "unowned", in: "useDeadUnowned", swift, "counter.count)"),
    ExpectedDeath(
      "async-crash", "SIGILL", "ILL_ILLOPN", message: "Unexpectedly found nil", in: "decode", swift, "return text!"),
  ]
}
