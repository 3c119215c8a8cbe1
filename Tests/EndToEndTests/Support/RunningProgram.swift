import Foundation
import Testing

/// A program that runs until its input ends or it is killed, and that is told by what it says.
final class RunningProgram {
  let pid: pid_t
  private let input: FileHandle
  private let output: Lines
  private let errors: Lines
  private var isOver = false

  /// Starts `command` with these variables besides those of the tests, and its three streams on pipes.
  init(_ command: [String], environment: [String: String?]) throws {
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    // None of ours may stay open in the program: it would never see its input end.
    for pipe in [input, output, errors] {
      for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
    }
    let ends = [
      input.fileHandleForReading, output.fileHandleForWriting, errors.fileHandleForWriting,
    ]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, end) in ends.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, end.fileDescriptor, Int32(number))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var open = sigset_t()
    sigemptyset(&open)
    posix_spawnattr_setsigmask(&attributes, &open)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var variables = ProcessInfo.processInfo.environment
    for (name, value) in environment { variables[name] = value }
    let arguments = command.map { strdup($0) } + [nil]
    let settings = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for string in arguments + settings { free(string) } }
    var pid = pid_t()
    let error = posix_spawn(&pid, command[0], &actions, &attributes, arguments, settings)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    for end in ends { try end.close() }
    self.pid = pid
    self.input = input.fileHandleForWriting
    self.output = Lines(output.fileHandleForReading)
    self.errors = Lines(errors.fileHandleForReading)
  }

  deinit { if !isOver { kill() } }

  /// The next line of its output; nil at the end.
  func line() -> String? { output.next() }

  /// The next line that it says on stderr; nil at the end.
  func errorLine() -> String? { errors.next() }

  /// Ends its input, waits for its end, and returns the rest of what it said on both streams.
  @discardableResult
  func finish() -> (output: [String], errors: [String]) {
    try? input.close()
    let rest = (output.rest(), errors.rest())
    wait()
    return rest
  }

  /// Kills it and waits for its end.
  func kill() {
    _ = Foundation.kill(pid, SIGKILL)
    wait()
  }

  private func wait() {
    guard !isOver else { return }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    isOver = true
  }

  private final class Lines {
    private let handle: FileHandle
    private var buffer = Data()

    init(_ handle: FileHandle) { self.handle = handle }

    func next() -> String? {
      while true {
        if let end = buffer.firstIndex(of: 0x0A) {
          let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
          buffer = Data(buffer[(end + 1)...])
          return line
        }
        let more = handle.availableData
        if more.isEmpty { return nil }
        buffer += more
      }
    }

    func rest() -> [String] {
      var lines: [String] = []
      while let line = next() { lines.append(line) }
      return lines
    }
  }
}
