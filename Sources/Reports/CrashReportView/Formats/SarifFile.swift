import CrashReportModel
import LinuxCalls

/// Reports as one file of the Static Analysis Results Interchange Format, version 2.1.0 (OASIS Standard,
/// https://docs.oasis-open.org/sarif/sarif/v2.1.0/). Services show the results of such a file next to the code.
public enum SarifFile {
  private static let root = "SRCROOT"

  /// The file's JSON on one line, without a line end. Files inside the repository are named relative to its folder.
  public static func text(
    of reports: [CrashReport], version: String, sources: SourceFolders = SourceFolders()
  ) -> String {
    let findings = reports.map { Finding($0, sources) }
    var rules: [String] = []
    var indices: [String: Int] = [:]
    for finding in findings where indices[finding.rule] == nil {
      indices[finding.rule] = rules.count
      rules.append(finding.rule)
    }
    let driver = object([
      ("name", "crashsym".json), ("version", version.json),
      ("rules", .array(rules.map { object([("id", $0.json), ("name", name(of: $0).json)]) })),
    ])
    var run = [("tool", object([("driver", driver)]))]
    if let folder = sources.publishedRoot {
      let uri = "file://" + escaped(folder) + "/"
      run.append(("originalUriBaseIds", object([(root, object([("uri", uri.json)]))])))
    }
    run.append(("columnKind", "utf16CodeUnits".json))
    let results = zip(reports, findings).map { result($0, $1, ruleIndex: indices[$1.rule]!) }
    run.append(("results", .array(results)))
    return object([
      ("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json".json),
      ("version", "2.1.0".json), ("runs", .array([object(run)])),
    ]).text
  }

  private static func result(_ report: CrashReport, _ finding: Finding, ruleIndex: Int) -> JSONValue {
    let tests = TestWords(report: report)
    let words = [finding.message, tests.sentence, finding.context, tests.othersSentence].compactMap(\.self)
    var members = [
      ("ruleId", finding.rule.json), ("ruleIndex", ruleIndex.json), ("level", finding.severity.rawValue.json),
      ("message", message(words.joined(separator: "\n"))),
    ]
    if let place = finding.place { members.append(("locations", .array([location(place)]))) }
    let stacks = finding.stacks.filter { !$0.places.isEmpty }
    if !stacks.isEmpty { members.append(("stacks", .array(stacks.map(stack)))) }
    let found = [("test", report.test?.json), ("otherTests", report.otherTests?.json)]
    let properties = found.compactMap { name, value in value.map { (name, $0) } }
    if !properties.isEmpty { members.append(("properties", object(properties))) }
    return object(members)
  }

  private static func stack(_ stack: Finding.Stack) -> JSONValue {
    let frames = stack.places.map { place in
      var members = [("location", location(place))]
      if let image = place.image { members.append(("module", image.json)) }
      if let thread = stack.thread { members.append(("threadId", thread.json)) }
      return object(members)
    }
    return object([("message", message(stack.label)), ("frames", .array(frames))])
  }

  private static func location(_ place: Finding.Place) -> JSONValue {
    var members: [(String, JSONValue)] = []
    if let file = place.file {
      var artifact = [("uri", ((file.utf8.first == UInt8(ascii: "/") ? "file://" : "") + escaped(file)).json)]
      if place.isInside { artifact.append(("uriBaseId", root.json)) }
      var physical = [("artifactLocation", object(artifact))]
      if let line = place.line {
        let region = [("startLine", line.json)] + (place.column.map { [("startColumn", $0.json)] } ?? [])
        physical.append(("region", object(region)))
      }
      members.append(("physicalLocation", object(physical)))
    }
    if let function = place.function {
      let logical = object([("fullyQualifiedName", function.json), ("kind", "function".json)])
      members.append(("logicalLocations", .array([logical])))
    }
    return object(members)
  }

  /// `lockOrderInversion/double-unlock` as an identifier in Pascal case, as the standard recommends.
  private static func name(of rule: String) -> String {
    rule.split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// In a message, braces are placeholders and brackets links.
  private static func message(_ text: String) -> JSONValue {
    let escapes: [Unicode.Scalar: String] = ["{": "{{", "}": "}}", "[": "\\[", "]": "\\]", "\\": "\\\\"]
    return object([("text", text.replacingScalars { escapes[$0] }.json)])
  }

  /// A path with everything but letters, digits and `-._~/` in percent signs (RFC 3986). A colon in a relative path's
  /// first part would be taken for a scheme.
  private static func escaped(_ path: String) -> String {
    var result = ""
    for byte in path.systemBytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }

  private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
    .object(JSONObject(members: members.map { JSONObject.Member(key: $0, value: $1) }))
  }
}
