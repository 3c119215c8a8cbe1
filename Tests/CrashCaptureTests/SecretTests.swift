import CCrashCapture
import CrashReportModel
import Testing

/// What CrashKit masks as it records, and what crashsym masks for a ticket, by one table: C and Swift each have the rules.
@Suite struct SecretTests {
  /// What a breadcrumb keeps of a value under this key.
  static func recorded(_ key: String, _ text: String = "canary") -> String? {
    var encoded = ck_crumb_attributes()
    encoded.length = 0
    ck_crumb_attributes_add(&encoded, key, key.utf8.count, text, text.utf8.count)
    var crumb = ck_breadcrumb()
    return withUnsafeBytes(of: &encoded.bytes) { bytes in
      crumb.attributes = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      crumb.attributes_length = encoded.length
      var (offset, foundKey, value) = (0, ck_slice(), ck_slice())
      guard ck_breadcrumb_attribute(&crumb, &offset, &foundKey, &value) else { return nil }
      return Crumb.text(value.bytes, value.length)
    }
  }

  static let secretKeys = [
    "password", "PASSWORD", "userPassword", "db_password", "db.passwd", "pass", "DB_PASS", "pwd", "passphrase",
    "secret", "client_secret", "clientSecret", "AWS_SECRET_ACCESS_KEY", "token", "Token", "x-csrf-token",
    "accessToken", "access_token", "token_id", "tokenId", "refreshtoken", "Authorization", "proxy-authorization",
    "auth", "x-auth", "Cookie", "Set-Cookie", "sessionCookie", "apikey", "api_key", "API-Key", "apiKey",
    "x.api.key", "credential", "credentials", "private_key", "privateKey", "PRIVATE KEY", "session id",
    "session_id", "sessionID", "sid", "connect.sid", "jwt", "bearer", "otp",
    "SSHPASS", "sshPass", "GITHUB_PAT", "LDAP_BINDPW", "bindPW", "rootpw", "STRIPE_SK", "MYSQL_PWD", "dbpwd",
    "SENTRY_DSN", "PGPASSWORD", "RAILS_MASTER_KEY", "APP_KEY", "AccountKey", "SharedAccessKey", "NEW_RELIC_LICENSE_KEY",
    "Ocp-Apim-Subscription-Key", "SSH_KEY", "deployKey", "GPG_KEY", "privkey", "CONN_STR", "pswd", "TOTP",
    "REDISCLI_AUTH", "OAUTH", "X-Amz-Signature", "mnemonic", "oldpwd",
  ]

  static let plainKeys = [
    "tokenizer", "tokenization", "tokenised", "tokenizer_name", "secretary", "secretariat", "author", "authority",
    "passenger", "compass", "bypass", "key", "keyboard", "session", "session_count", "side", "inside", "sidecar",
    "optional", "monkey", "primary_key", "tenant", "crypto", "hotplug", "a", "_", "é",
    "PATH", "COMPAT", "PWD", "OLDPWD", "DISPATCH_QUEUE", "SKU", "SKIP", "PATCH", "pattern", "dispatch", "GIT_ASKPASS",
    "PGPASSFILE", "encompass", "renderpass.name", "hostkeyboard", "keypath", "risk", "task", "DSNAP", "totps",
  ]

  @Test(arguments: secretKeys) func masked(key: String) {
    #expect(Self.recorded(key) == "***")
    #expect(SecretKeys.isSecret(key))
  }

  @Test(arguments: plainKeys) func shown(key: String) {
    #expect(Self.recorded(key) == "canary")
    #expect(!SecretKeys.isSecret(key))
  }

  @Test func longKeysAreLookedAtWhole() {
    #expect(Self.recorded(String(repeating: "x", count: 200) + "_password") == "***")
  }

  /// What is masked in a text, and what is left, whatever the key.
  @Test(arguments: [
    // URLs
    ("postgres://u:pw@db:5432/app", "postgres://***@db:5432/app"),
    ("https://0123abc@o1.ingest.sentry.io/2", "https://***@o1.ingest.sentry.io/2"),
    ("from redis://:pw@cache/0 to amqp://a:b@mq", "from redis://***@cache/0 to amqp://***@mq"),
    ("mongodb://u:p@h1,h2/x?replicaSet=r", "mongodb://***@h1,h2/x?replicaSet=r"),
    ("postgres://u:p/w@db/x", "postgres://***@db/x"), ("http://u:p@w@h/", "http://***@h/"),
    ("http://host:8080/a@b", "http://host:8080/a@b"), ("https://host/?mail=a@b", "https://host/?mail=a@b"),
    ("http://[::1]:80/a@b", "http://[::1]:80/a@b"), ("see https://swift.org", "see https://swift.org"),
    ("mailto:a@b", "mailto:a@b"), ("://", "://"), ("x://@h", "x://@h"),
    ("https://h/?token=abc&x=1", "https://h/?token=***&x=1"), ("https://h/?x=1&sig=a%2Fb", "https://h/?x=1&sig=***"),
    ("https://s3/o?X-Amz-Signature=beef&n=1", "https://s3/o?X-Amz-Signature=***&n=1"),
    // Pairs
    ("password=hunter2", "password=***"), ("Server=db;Password=pw;Port=1", "Server=db;Password=***;Port=1"),
    ("host=db password = 'a b' user=u", "host=db password = '***' user=u"), ("--token=abc -v", "--token=*** -v"),
    ("AccountKey=abc==;EndpointSuffix=x", "AccountKey=***;EndpointSuffix=x"), ("DB_PASS=x", "DB_PASS=***"),
    (#"{"password":"a\"b","user":"u"}"#, #"{"password":"***","user":"u"}"#),
    (#"{\"token\": \"abc\", \"n\": 1}"#, #"{\"token\": \"***\", \"n\": 1}"#),
    (#""secret" => "x", "n" => 1"#, #""secret" => "***", "n" => 1"#), ("tokens=[a, b]\nn=1", "tokens=***\nn=1"),
    ("password: hunter2, then", "password: *** then"), ("apiKey:abc", "apiKey:***"), ("secret: 'x'", "secret: '***'"),
    ("token: a1b2c3", "token: ***"), ("auth=Basic dXNlcjpwdw==", "auth=***"),
    // Headers
    ("Authorization: Basic dXNlcjpwdw==\nHost: h", "Authorization: ***\nHost: h"),
    ("Cookie: a=1; b=2", "Cookie: ***"), ("curl -H 'Authorization: token x' h", "curl -H 'Authorization: ***' h"),
    ("sent Bearer abcDEF123456 to h", "sent Bearer *** to h"), ("Basic dXNlcjpwdw==", "Basic ***"),
    // Tokens of known services
    ("got ghp_0123456789abcdefghijABCDEFGHIJ012345!", "got ***!"), ("AKIAIOSFODNN7EXAMPLE", "***"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "***"), ("key sk_live_0123456789abcdef", "key ***"),
    ("https://hooks.slack.com/services/T0/B0/abcdef", "https://***"), ("(glpat-0123456789abcdefghij)", "(***)"),
    ("a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b", "a *** b"),
    ("key=-----BEGIN PRIVATE KEY-----\nMII", "key=***"),
    ("privateKey: \"-----BEGIN PRIVATE KEY-----\nMII", "privateKey: \"***"),
    // What is none
    ("unexpected token: else", "unexpected token: else"), ("Auth.swift:12: error: x", "Auth.swift:12: error: x"),
    ("Token.swift:12", "Token.swift:12"), ("token == expected", "token == expected"), ("auth::login", "auth::login"),
    ("password=nil token=null", "password=nil token=null"), ("pass: 3, fail: 0", "pass: 3, fail: 0"),
    ("Basic programming", "Basic programming"), ("path=/usr/bin keyboard=us", "path=/usr/bin keyboard=us"),
    ("-----BEGIN CERTIFICATE-----\nMII", "-----BEGIN CERTIFICATE-----\nMII"), ("sk-learn", "sk-learn"), ("", ""),
    ("DidEnterBackground", "DidEnterBackground"), ("12:30:00 - ok", "12:30:00 - ok"), ("é=ü: ß", "é=ü: ß"),
  ])
  func texts(_ text: String, _ masked: String) {
    #expect(Self.recorded("note", text) == masked)
    #expect(text.withoutCredentials == masked)
    #expect(masked.withoutCredentials == masked)
  }

  /// Rules that disagree would do so in a corner that nobody wrote down.
  @Test func bothLanguagesAgree() {
    let parts = [
      "password", "token", "auth", "Cookie", "sig", "x", "=", ":", "://", "@", "\"", "'", "\\", " ", "\n", ";", "&",
      "?",
      "/", "[", ">", "Bearer ", "Basic ", "a1B2c3D4e5", "nil", "ghp_", "eyJ", ".", "-----BEGIN ", "PRIVATE KEY-----",
      "-----END ", "12", "é", "-", "_",
    ]
    var generator = SplitMix(state: 12)
    var masked = 0
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1...14, using: &generator)).map { _ in parts.randomElement(using: &generator)! }
        .joined()
      let swift = text.withoutCredentials
      masked += swift == text ? 0 : 1
      guard swift.utf8.count < 200 else { continue }
      #expect(Self.recorded("note", text) == swift, "\(text.debugDescription)")
    }
    #expect((1_000..<19_000).contains(masked))
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  @Test func longTextsAreCutAndShowIt() {
    let text = "password=hunter2 " + String(repeating: "x", count: 5000)
    let kept = Self.recorded("note", text)
    #expect(kept?.hasPrefix("password=*** xxx") == true && kept?.hasSuffix("x…") == true)
    #expect(kept?.utf8.count == 256)
    let url = "postgres://u:" + String(repeating: "p", count: 5000) + "@db"
    #expect(Self.recorded("note", url)?.hasSuffix("…") == true)
  }

  @Test func argumentsOfAProgram() {
    let arguments = ["api", "--token", "abc", "--password=a b c", "PGPASSWORD=x y", "--auth", "--port", "80", "--dsn"]
    let masked = ["api", "--token", "***", "--password=***", "PGPASSWORD=***", "--auth", "--port", "80", "--dsn"]
    #expect(arguments.argumentsWithoutCredentials == masked)
    #expect(["-H", "Authorization: x y"].argumentsWithoutCredentials == ["-H", "Authorization: ***"])
  }
}
