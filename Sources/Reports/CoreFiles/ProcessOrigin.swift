import CrashReportModel

/// Where a process's threads and memory were read, as far as its report says so.
struct ProcessOrigin {
  /// When it was so, in microseconds since 1970.
  var time: Int64
  /// `threads[].capturedBy`
  var capturedBy: String
  /// What the report is of, if no signal ended the process.
  var description: String
  /// What is incomplete, and why.
  var cutShort: [(what: String, reason: String)] = []
  /// Why the build IDs that are missing there are missing.
  var lackOfBuildIDs: String
  /// For how many seconds the threads stood still; nil in a core file.
  var stopTime: Double?
  /// Threads without a stack, and why.
  var unanswered: [(id: Int, reason: String)] = []
  /// Whether not all memory is there in which tasks may be.
  var isCut = false
  /// What systemd-coredump wrote beside the core, if it does not contradict that.
  var attributes = CoreAttributes()

  init(_ input: CoreInput, _ memory: CoreMemory, _ notes: CoreNotes) {
    let signal = notes.signal.map { Int($0.number) } ?? notes.threads.first?.signal ?? 0
    let contradiction = input.attributes.contradiction(signal: signal, name: notes.name)
    if contradiction == nil { attributes = input.attributes }
    if let contradiction { cutShort.append(("core", "\(contradiction): the extended attributes are left out")) }
    time = attributes.timestamp ?? input.modified
    capturedBy = "core"
    description = "core of a living process"
    lackOfBuildIDs = "the core holds no build IDs of"
    if let cut = input.cut { cutShort.append(("core", cut)) }
    if let missing = memory.missingPart { cutShort.append(("core", missing)) }
  }

  init(_ copy: ProcessCopy) {
    time = copy.time
    capturedBy = "ptrace"
    description = "a running process, stopped for a moment and read with ptrace"
    lackOfBuildIDs = "the first pages in memory show no build IDs of"
    stopTime = copy.stopTime
    unanswered = copy.unanswered
    if let cut = copy.cut {
      cutShort.append(("memory", cut))
      isCut = true
    }
  }

  /// The notes of what is incomplete, with those on images; nil if there are none.
  func notes(unsureImages: Int) -> [CrashReport.Note]? {
    var all = cutShort
    if unsureImages > 0 {
      all.append(
        (
          "images",
          "\(lackOfBuildIDs) \(counted(unsureImages, "image")); for these, the report uses the build IDs of the files at their paths"
        ))
    }
    return all.isEmpty ? nil : all.map { Self.note(what: $0.what, reason: $0.reason) }
  }

  /// The notes of threads without a stack; nil if there are none.
  var silentThreads: [CrashReport.Note]? {
    unanswered.isEmpty ? nil : unanswered.map { Self.note(id: $0.id, reason: $0.reason) }
  }

  private static func note(id: Int? = nil, what: String? = nil, reason: String) -> CrashReport.Note {
    var note = CrashReport.Note()
    note.id = id
    note.what = what
    note.reason = reason
    return note
  }
}
