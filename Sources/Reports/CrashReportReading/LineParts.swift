import CrashReportModel

/// What the lines `CrashKit[PID]: …` hold behind that, whatever they are about.
enum LineParts {
  /// `17 "fetch profile"`, or the number alone.
  static func task(_ text: String) -> CrashReport.Task? {
    let words = text.split(separator: " ", maxSplits: 1)
    guard let id = words.first.flatMap({ Int($0) }) else { return nil }
    var task = CrashReport.Task()
    task.id = id
    if words.count == 2, words[1].count > 2, words[1].first == "\"", words[1].last == "\"" {
      task.name = String(words[1].dropFirst().dropLast())
    }
    return task
  }

  /// `api 5f3c… /srv/app/api`, `-` for an image without a build ID.
  ///
  /// The name may contain blanks: it ends before a build ID that a path follows.
  static func image(_ text: String) -> CrashReport.Image? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let place = words.indices.dropFirst().dropLast().first { index in
      (words[index] == "-" || (!words[index].isEmpty && words[index].allSatisfy(\.isHexDigit)))
        && (words[index + 1].hasPrefix("/") || words[index + 1].hasPrefix("["))
    }
    guard let index = place ?? (words.count > 2 ? 1 : nil) else { return nil }
    var image = CrashReport.Image()
    image.name = words[..<index].joined(separator: " ")
    image.buildID = words[index] == "-" ? nil : String(words[index])
    image.path = words[(index + 1)...].joined(separator: " ")
    image.baseAddress = Address(0)
    return image
  }

  /// `  0 api+0x1f2a0`, `  0 0x0000414141414140` if no image is there; frame 0 is the program counter, the others are
  /// return addresses, unless a word behind the address says that they are not.
  static func frame(_ line: String) -> CrashReport.Frame? {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let number = Int(words[0]), number >= 0 else { return nil }
    let plus = words[1].lastIndex(of: "+")
    let place = words[1][(plus.map { words[1].index(after: $0) } ?? words[1].startIndex)...].split(separator: " ")
    guard let first = place.first, plus != nil || first.hasPrefix("0x"), let address = Address(String(first)) else {
      return nil
    }
    var frame = CrashReport.Frame()
    frame.kind =
      switch place.dropFirst().first {
      case "async": .asyncResumePoint
      case "interrupted": .programCounter
      default: number == 0 ? .programCounter : .returnAddress
      }
    frame.address = address
    frame.image = plus.map { String(words[1][..<$0]) }
    return frame
  }

  /// A name in quotes, which may hold quotes itself: all up to the last one. What stands before it and behind it.
  static func quoted(_ text: String) -> (before: Substring, name: String, behind: Substring)? {
    guard let open = text.firstIndex(of: "\""), let close = text.lastIndex(of: "\""), open < close else { return nil }
    return (text[..<open], String(text[text.index(after: open)..<close]), text[text.index(after: close)...])
  }
}

extension String {
  func dropping(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}

extension Substring {
  /// The first such text, which has no blanks beyond ASCII at its ends.
  func range(ofText text: String) -> Range<Index>? {
    let wanted = text.utf8
    guard let first = wanted.first else { return nil }
    var start = startIndex
    while let hit = utf8[start...].firstIndex(of: first) {
      let rest = utf8[hit...]
      if rest.starts(with: wanted) { return hit..<utf8.index(hit, offsetBy: wanted.count) }
      start = utf8.index(after: hit)
    }
    return nil
  }
}
