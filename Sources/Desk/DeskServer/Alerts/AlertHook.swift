#if Desk
  import CrashReportReading
  import ReportSending

  /// A destination of alerts. All destinations come from a file that the operator of the desk writes.
  public struct AlertHook: Sendable, Hashable {
    /// The form of an alert.
    public enum Form: String, Sendable {
      /// A JSON object of the desk's own form.
      case webhook
      /// A message for Slack, and for chats that accept Slack's hooks.
      case slack
    }

    var form: Form
    /// It may be a secret: pages show its host alone.
    var address: WebAddress
    /// The kinds of alerts that it gets.
    var kinds: Set<String>

    private static let names = Alert.Kind.allCases.filter { $0 != .test }.map(\.rawValue)
    private static let most = 16

    func wants(_ kind: Alert.Kind) -> Bool { kind == .test || kinds.contains(kind.rawValue) }

    /// Reads the hooks of a file. Each line has `webhook` or `slack`, then a URL. If the line then names kinds of
    /// alerts, separated by commas, the destination gets only alerts of these kinds. Empty lines and lines that begin
    /// with `#` are ignored.
    ///
    /// - Throws: ``AlertFileError``.
    public static func read(_ path: String) throws(AlertFileError) -> [AlertHook] {
      let bytes: [UInt8]
      do throws(ReadingError) {
        bytes = try InputFile.read(path: path, limit: 64 << 10)
      } catch {
        throw AlertFileError(error.what)
      }
      return try hooks(String(decoding: bytes, as: UTF8.self))
    }

    static func hooks(_ text: String) throws(AlertFileError) -> [AlertHook] {
      var hooks: [AlertHook] = []
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let first = words.first, !first.hasPrefix("#") else { continue }
        func failure(_ what: String) -> AlertFileError { AlertFileError("line \(index + 1): \(what)") }
        guard let form = Form(rawValue: first) else { throw failure("a line must begin with webhook or slack") }
        guard (2...3).contains(words.count), let address = WebAddress(words[1]), address.user == nil else {
          throw failure(
            "\(first) must be followed by an http or https URL without a user, and by at most one more word")
        }
        let kinds = words.count == 3 ? words[2].split(separator: ",").map(String.init) : names
        guard !kinds.isEmpty, kinds.allSatisfy(names.contains) else {
          throw failure("the kinds of alerts are \(names.joined(separator: ", "))")
        }
        guard hooks.count < most else { throw failure("there are more than \(most) hooks") }
        hooks.append(AlertHook(form: form, address: address, kinds: Set(kinds)))
      }
      return hooks
    }
  }

  /// An error in the file of hooks.
  public struct AlertFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, in words. It has the number of the line, but not the URL on that line.
    public let description: String

    init(_ description: String) { self.description = description }
  }
#endif
