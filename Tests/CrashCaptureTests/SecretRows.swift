import Foundation
import Testing

/// A text, and what becomes of it: secrets stand between « and ».
struct SecretRow: Sendable, CustomTestStringConvertible {
  let text: String
  let masked: String
  var testDescription: String { text }

  init(_ marked: String) {
    text = marked.replacing("«", with: "").replacing("»", with: "")
    masked = marked.replacing(/«[^»]*»/, with: "***")
  }
}

/// A text that repeats one piece, and in its second half another one if there is one.
struct HostileText: Sendable, CustomTestStringConvertible {
  let piece: String
  var later = ""
  var end = ""
  var testDescription: String { piece + later + end }

  /// The ':' makes each of them a text that may hold a secret.
  func text(_ size: Int) -> String {
    let half = later.isEmpty ? size : size / 2
    return ":" + String(repeating: piece, count: half / piece.utf8.count)
      + (later.isEmpty ? "" : String(repeating: later, count: half / later.utf8.count)) + end
  }
}

/// Secrets/texts.json, and the package's own tables.
struct SecretRows: Decodable {
  private let masked: [String: [String]]
  private let kept: [String: [String]]
  let arguments: [[String]]
  let environment: [String]

  var texts: [SecretRow] { [masked, kept].flatMap(\.values).joined().map(SecretRow.init) }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  static func read() -> Self {
    do {
      return try JSONDecoder().decode(Self.self, from: Data(contentsOf: folder.appending(path: "Secrets/texts.json")))
    } catch {
      fatalError("Secrets/texts.json: \(error)")
    }
  }

  struct Shape: Sendable {
    var prefix: String
    var least: Int
  }

  private static let table: String = {
    let file = folder.appending(path: "../../Sources/Ground/CSecrets/secret_tokens.def").standardizedFileURL
    return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  }()

  /// The lines SHAPE of secret_tokens.def.
  static let shapes = table.matches(of: /\nSHAPE\("([^"]+)", ([0-9]+)\)/).map {
    Shape(prefix: String($0.1), least: Int($0.2)!)
  }

  struct Form: Sendable {
    var prefix: String
    var parts: String

    /// What the parts of a class are made of.
    private static let pieces = ["x": "a1", "c": "A2"]

    /// A token of this form, the shortest that there is.
    var token: String {
      parts.matches(of: /([0-9]+)([a-z])|([^0-9]+)/).reduce(into: prefix) { token, part in
        if let count = part.1, let kind = part.2 {
          token += String(repeating: Self.pieces[String(kind)] ?? "a1B2c3D4e5", count: 50).prefix(Int(count)!)
        } else {
          token += part.3!
        }
      }
    }
  }

  /// The lines FORM of secret_tokens.def.
  static let forms = table.matches(of: /\nFORM\("([^"]+)", "([^"]+)"\)/).map {
    Form(prefix: String($0.1), parts: String($0.2))
  }

  /// Lines of servers' logs that hold no secret.
  static let logs: [String] = {
    let text = try? String(contentsOf: folder.appending(path: "Secrets/logs.txt"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }()

  /// What texts with secrets are made of.
  static let parts = [
    "password", "token", "auth", "Cookie", "sig", "x", "=", ":", ":=", "==", "://", "@", "\"", "'", "`", "\\", " ",
    "\n",
    ";", "&", "?", "/", "[", "]", "{", "<", ">", "Bearer ", "Basic ", "a1B2c3D4e5", "nil", "ghp_", "eyJ", ".",
    "-----BEGIN ", "PRIVATE KEY-----", "-----END ", "12", "é", "-", "_", "%3D", "%22", "%5F", "-u ", "--password ",
    "mysql -p", " is ", "key", "|", "\n  ", "KEY", "u:p@h:1",
    "<", "</", "name", "value", "[\"", ",", "->", "(", ")", "bearer ", "jdbc:oracle:thin:", "12345678:AA", "<![CDATA[",
    "}", "Count", "DB_PASSWORD ",
    "\u{1b}[36m", "\u{a0}", "\u{200b}", "\\u001b[0m", "：", "!!str ", "&a ", "|\n ", "session=", "PRAGMA key",
    "{\"value\":",
    "https://", "/hooks/", "a1b2c3d4e5f6a7b8", "rtmp://", "gotify://", "bot12345:", "Pwd={", "}}", "ACL SETUSER ",
    "PASS ", "routing_key=", "-D", "arn:aws:", "CF_Key=",
    "\nA_KEY=", " words", "alter role ", "\\/", "%2F", "- ",
  ]

  /// Texts that would be slow if anything in them were read again and again.
  static let hostile = (repeated + (0x01...0x7e).map { String(UnicodeScalar(UInt8($0))) }).map {
    HostileText(piece: $0)
  }

  /// Keys whose values all end at the same place, far behind them.
  static let hostileHalves = [
    HostileText(piece: "\"pass:-", later: " "),
    HostileText(piece: "a-key=:\"", later: "n "), HostileText(piece: "a-key=", end: " -> "),
    HostileText(piece: "a-key:", later: ")"), HostileText(piece: "a-key=", later: "."),
    HostileText(piece: "arn:s:secret:", end: " -> x"), HostileText(piece: "password\u{a0}{", later: ";"),
  ]

  private static let repeated = [
    "password=“", "password=“a”", "%3A%2F%2F", "%3A%2F%2Fa%40", "a[]", "password[]", "%5Bpassword%5D",
    "password=&quot;", "password=\\u0022", "password=%22a", "\\", "\n\"password\",\"a",
    "a:@", "u:p@h:1 ", "://a:b", "://a:b ", "password=", "password:\"", "password=[", "x&", "password=a&b;", "-u ",
    "--password -", "<password>", "-----BEGIN ", "-----END ", "eyJ.", "token ", "%", "password\\\"", "\n  ", "Cookie='",
    "Basic ", "password is ", "MII", "key key key=", "-----BEGIN PRIVATE KE",
    "<key>password</key>", "<password>", "<password><![CDATA[", "<password>\n", "<a:", "name=password ", "key=",
    "[\"password\",",
    "[\"password\",\"", "12345678:AA", "jdbc:oracle:@", "@", "apiKey ", "apiKey -> ", "password (", "bearer ",
    "DB_KEY '",
    "$6$", ".$1$a", "SCRAM-SHA-", " SCRAM-SHA-1$", "Q~1Q~", ".atlasv1.", "-us1", "password=Optional(", "password=a.b.",
    "password=\"\"\"", "password='''", "password=#\"", "▿ password: ", "[password] ", "\"d\":", "\"k\": \"kty", "AUTH ",
    "AUTH 'a", "LOGIN \"", "IDENTIFIED BY '", "machine ", "a:1:b:c:", "\na:1:b:c:d", "password for a ", "password of ",
    "PIN 1", "пароль:", "пароль", "密码：", "-su ", "openssl -passin ", "1//0", "sk-", "AAAA", "EAA", "{SSHA}",
    "value=", "value=\"", "value:\"x\" ", "{\"value\":\"a\",\"name\":\"b\"}", "<value>", "<value>a</value>",
    "- value: a\n  ",
    "token(\"", "pass('", "password(#", "token(value: \"", "\u{1b}[", "\u{1b}[1m", "pass\u{1b}[0m", "\\u001b[",
    "password\u{a0}",
    "\u{200b}pass", "auth:\u{a0}x", "auth:x", "auth:x,", "session=a1", "sess=1; ", "PRAGMA key", "alter role ",
    "PASSWORD $$", "password: &a ", "token: &a ", "password: |\n x\n\n", "password: | #", "\nA_KEY=a b c", "A_KEY=a b ",
    "\"cookie\":[", "\"cookie\":[\"", "\"cookie\":[\n", "\"password\":['\\\"", "root:x1@/a?b=c",
    "a:b1@/", "a:b@offset:1",
    "x-a-key: ", "a-key: 1", "unexpected token: ", "AAAAAAAAAAAAAAAAAAAAAA%", "IQoJb3JpZ2lu ", "Private-Lines: 1\n",
    "LS0tLS1CRUdJTi", "LS0tLS1CRUdJTi ", "password='a''b", "password=''a", "\"token\", \"a1b2\", ",
    "[\"token\",\"a1b2\",",
    "-a1a1a1a1", "access_token$production$a1b2c3d4e5f6a7b8$",
    "hooks.slack.com\\/services\\/", "%2fhooks", "<HTTPCookie value:",
    "[AnyHashable(\"password\"): ", "▿ password: A\n  - b: \"x\"\n", "▿ password: A\n ", "password: A(b: ",
    "password: A(b: C(", "password: Set([\"", "password: A {", "auth=('a', ", "\"Cookie\":[]string{\"",
    "password: (a) {", "machine a\nlogin b\npassword \n", "\"AUTH\" \"", "'AUTH', 'a', ", "AUTH\\r\\n$9\\r\\n",
    "AUTH\n$9\n", "---> PASS ", "password = nil -> ", "Unseal Key 1: ", "form-data; name=\"password\"\n\n",
    "a:b@x@", "a:@tcp(", "'-u' '-p", "Key (token)=(", "(token)=(", "entry '", "(password) VALUES ('",
    "(password) VALUES (1),(2)", "{password,\"", "{<<\"password\">>,", "{:password \"", "[password:a:private] => ",
    "UGFzc3dvcmQ6\n", "Basic(\"", "invalid port \":", "response=0123", "data:\n a: b\n", "kind: Secret\ndata:",
    "*v1.Secret: secrets \"", "password: S???", "BasicAuth('a', '",
    "https://h/hooks/", "https://", "https://h/v1/hooks/1/", "https://hook.a/a1-", "http:\\/\\/h\\/hooks\\/",
    "rtmp://h/a-", "tgram://", "gotify://h/aaaaaaaa:", "discord://a/a/", "bot123456:", "Pwd={a}}", "Pwd={a}} ",
    "ACL SETUSER u >",
    "setuser \">a\" ", "PASS ab\nUSER ", "USER a\nPASS a\n", "C: PASS a\n", "\"auth\" \"a\" ", "routing_key=a1b2",
    "&appid=a1b2", "arn:aws:secret:", "123456789012:secret:", "-Dauth=", "BUNDLE_A__COM=", "CF_Key=",
    "~1Q~", "Q~1Q~", "-(\"", "pass=l -> {", "arn::pw:[", "password\u{a0}", "token\u{a0}", "value=\"-us1", "Cookie=*** ",
    "authpass('-Dauth=Count", "<a:password\u{a0}",
    "arn:aws:password: (a) {", "\n password: |\n ***", "a=a=", "://a=", "QUJD",
    "\u{1b}[1mпароль:", "m\u{1b}[", "\u{1b}[1;1;1;1;1;1;1;1;1;1;1;", "\\x1b[1", "\u{a0}a", "\u{1b}[mPASS a\n",
    "\u{1b}[ma:1:b:c:d\n", "\n--token ", "(--token ", "[--token ]", "[-u a", "(-u a:b)),,", "--token \\\n", "\\n-u a:b",
    "\\nauth",
    "a\u{1b}[mb", "-a", "password=\"a1b2\" -> ", "password = a1 -> b2 -> ", "pin=1234)))) -> ", "a:(", "a:[@", "a:b@/c",
    "mysql \\\n-p", "password was: ", "password was: a\n", "login a / ", "login: a / ", "user/pass a/", "user/pass: a/",
    "crypt('", "crypt('a', ", "openssl -k ",
  ]
}
