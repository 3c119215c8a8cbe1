#if Desk
  import ArgumentParser
  import DeskServer
  import DeskStore
  import Glibc
  import LinuxCalls

  /// What `crashsym desk` does once, in place of serving.
  extension DeskCommand {
    func copy(_ folder: String, to target: String) throws {
      let count = try DeskBackup.make(of: folder, to: target)
      print("copied \(count) \(count == 1 ? "report" : "reports") to \(target)")
    }

    func export(_ folder: String, to file: String) throws {
      if file == "-" { return try write(folder, to: STDOUT_FILENO, "standard output") }
      let descriptor = LinuxCalls.open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw StoreError(file, errorText(errno)) }
      defer { close(descriptor) }
      try write(folder, to: descriptor, file)
      guard fsync(descriptor) == 0 else { throw StoreError(file, errorText(errno)) }
    }

    private func write(_ folder: String, to descriptor: Int32, _ name: String) throws {
      try DeskExport.lines(of: folder) { line in
        guard line.withUnsafeBytes({ DurableFile.fill(descriptor, $0) }) else {
          throw StoreError(name, errorText(errno))
        }
      }
    }

    func importLines(from file: String, into folder: String) throws {
      guard let stream = file == "-" ? fdopen(STDIN_FILENO, "r") : fopen(file, "re") else {
        Output.complain(errorText(errno), file)
        throw ExitCode(66)
      }
      let data = try DataFolder(folder)
      let describer = ReportDescriber(try DeskSymbols(data.symbols, make: makeSymbolicator))
      let store = try SQLiteStore(data) { try describer.describe($0, $1) }
      complain(of: store)
      var taken = DeskImport(store) { try describer.describe($0, $1) }
      var leftOut = 0
      for number in 1... {
        guard let line = Self.line(of: stream) else { break }
        do {
          try taken.take(line)
        } catch let complaint as DeskImport.Complaint {
          Output.complain("line \(number): \(complaint.reason)", file)
          guard taken.isExport else { throw ExitCode(65) }
          leftOut += 1
        }
      }
      guard ferror(stream) == 0 else { throw StoreError(file, "cannot be read") }
      print(
        "reports: \(taken.new) new, \(taken.known) known; lines left out: \(leftOut); \(taken.rules) rules, "
          + "\(taken.groups) groups with a state or notes")
      if leftOut > 0 { throw ExitCode(65) }
    }

    private static func line(of stream: UnsafeMutablePointer<FILE>) -> [UInt8]? {
      var text: UnsafeMutablePointer<CChar>?
      var capacity = 0
      defer { free(text) }
      let count = getline(&text, &capacity, stream)
      guard count >= 0, let text else { return nil }
      return Array(UnsafeRawBufferPointer(start: text, count: count))
    }
  }
#endif
