#if Desk
  /// A rule that a person set. It moves reports of a group to another group: either all of them, or only those with a
  /// certain function or file in their stack.
  public struct GroupRule: Sendable, Hashable {
    /// The part of a frame that a rule compares.
    public enum Part: String, Sendable, CaseIterable {
      /// The function's name.
      case function
      /// The file, with or without folders.
      case file
    }

    /// The rule's number in the store.
    public var number: Int64 = 0
    /// The fingerprint of the group to which the rule applies.
    public var source: String
    /// The fingerprint of the group to which the reports then belong.
    public var target: String
    /// The part of a frame that the rule compares; `nil` if the rule moves all reports of the group.
    public var part: Part?
    /// The function or the file.
    public var value: String?

    /// Makes a rule that moves all reports of a group to another group.
    public init(merge source: String, into target: String) { (self.source, self.target) = (source, target) }

    /// Makes a rule that moves the reports with this function or file to a separate group.
    public init(split source: String, by part: Part, _ value: String) {
      let digits = ContentHash.digits(of: Array("\(source)\n\(part.rawValue)\n\(value)".utf8))
      (self.source, target, self.part, self.value) = (source, "f1-\(digits.prefix(16))", part, value)
    }

    init(number: Int64, source: String, target: String, part: Part?, value: String?) {
      (self.number, self.source, self.target, self.part, self.value) = (number, source, target, part, value)
    }

    /// Whether a report with these words in its stack belongs to the target.
    func matches(_ words: SearchedWords) -> Bool {
      guard let part, let value else { return true }
      switch part {
      case .function: return words.functions.split(separator: "\n").contains { $0 == value }
      case .file: return words.files.split(separator: "\n").contains { $0 == value || $0.hasSuffix("/\(value)") }
      }
    }
  }
#endif
