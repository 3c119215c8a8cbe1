import CCrashCapture
import CSecrets
import CrashReportModel
import TestEnvironment
import Testing

/// What CrashKit masks as it records, and what crashsym masks for a ticket.
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
    "encKey", "recovery_code", "backupCodes", "accessCode", "preshared", "unseal", "signKey", "apiKeys", "dbPwds",
    "tokens", "пароль", "Пароль", "contraseña", "mot de passe", "dbPasswort", "Kennwort", "senha", "密码", "パスワード",
    "SAMLResponse", "code_verifier", "PHPSESSID", "seed words", "backup phrase", "pass\u{200b}word",
    "contrasen\u{303}a",
    "x-functions-key", "Fastly-Key", "X-JFrog-Art-Api", "x-honeycomb-team", "X-Vendor-Key", "BASICAUTH", "APNS_P8",
    "token_value", "password_hash", "session_id_2", "typePassword", "count_secret",
    "OP_SESSION_my", "unsealKey", "recovery-key",
    "CF_Key", "ORG_GRADLE_PROJECT_signingInMemoryKey", "OVH_AK", "JF_SHARED_SECURITY_JOINKEY", "ETCDCTL_USER",
    "BUNDLE_GEMS__CONTRIBSYS__COM", "CSC_LINK", "BUILD_CERTIFICATE_BASE64", "AGORA_APP_CERTIFICATE", "PLEX_CLAIM",
    "NEW_RELIC_LICENSE",
    "cvv", "CVC2", "cardCvv", "creditCard", "card_number", "cardNumber", "cc_number", "iban", "IBAN", "ssn", "user.ssn",
    "KEK", "data_dek", "JWK", "ID_RSA", "SSH_PRIVATE", "SSL_PRIVATE", "RSA_PRIVATE", "GPG_PRIVATE", "WG_PRIVATE",
    "VAPID_PRIVATE", "CONSUL_ENCRYPT", "KUBECONFIG_BASE64", "KUBE_CONFIG_DATA",
    "LOZINKA", "JELSZO", "KATA_SANDI", "kataLaluan", "MAT_KHAU", "slaptazodis", "fjalekalimi", "pasahitza",
    "contrasinal",
    "contrasenya", "lykilord", "wagwoord", "salasona", "nenosiri", "GESLO", "parool",
    "SONAR_LOGIN", "pаssword", "dbPаsswоrd", "аpi_key", "tοken",
  ]

  static let plainKeys = [
    "tokenizer", "tokenization", "tokenised", "tokenizer_name", "secretary", "secretariat", "author", "authority",
    "passenger", "compass", "bypass", "key", "keyboard", "session", "session_count", "side", "inside", "sidecar",
    "optional", "monkey", "primary_key", "tenant", "crypto", "hotplug", "a", "_", "é",
    "PATH", "COMPAT", "DISPATCH_QUEUE", "SKU", "SKIP", "PATCH", "pattern", "dispatch", "GIT_ASKPASS",
    "PGPASSFILE", "encompass", "renderpass.name", "hostkeyboard", "keypath", "risk", "task", "DSNAP", "totps",
    "tokenCount", "token_count", "MAX_TOKENS", "promptTokens", "tokens_per_second", "SSH_AUTH_SOCK", "COOKIE_DOMAIN",
    "PASS_COUNT", "passwordLength", "token-type", "authMethod", "cookie.path", "PASSWORD_FILE", "tokenTTL",
    "statusCode",
    "Idempotency-Key", "Sec-WebSocket-Key", "x-cache-key", "sort-key", "vendor-key", "CACHE_KEY",
    "password_hash_rounds",
    "parole", "senhas", "密码学", "clavemaestra",
    "XDG_SESSION_ID", "SECRET_NAME", "secretName", "CSRF_COOKIE_NAME", "shopSession",
    "sessions", "keywords", "words", "exitCode", "countryCode", "zip_code", "hotkeys", "pubKey",
    "Date_Key", "Sort_Key", "routing_key", "EVENT_KEY", "RECORD_KEY", "X-Event-Key", "BUNDLE_BUILD__IO", "BUNDLE_PATH",
    "DB_SECRET_ARN", "PASSWORD_HASHER", "ORACLE_SID",
    "signature", "sig", "nonce", "webhook", "refresh", "login", "design", "signal", "assignment", "card", "number",
    "issueNumber", "cvv_status", "cvcount", "assn", "libanon", "signatureVersion", "Страница", "pаge", "сессия",
  ]

  @Test(arguments: secretKeys) func masked(key: String) {
    #expect(Self.recorded(key) == "***")
    #expect(csec_key_is_secret(key, key.utf8.count))
  }

  @Test(arguments: plainKeys) func shown(key: String) {
    #expect(Self.recorded(key) == "canary")
    #expect(!csec_key_is_secret(key, key.utf8.count))
  }

  /// Names of other things too: a value that is long and looks random is a secret.
  @Test(arguments: ["signature", "X-Signature", "sig", "nonce", "refresh", "webhook", "session", "routing_key"])
  func longRandomValuesAreMasked(_ key: String) {
    #expect(Self.recorded(key, "a1b2c3d4e5f6a7b8c9d0") == "***")
    #expect(Self.recorded(key, "MEUCIQDkz1Z7Yt0qS8h+ab/cdEFGH12345==") == "***")
    let plain = ["42", "RS256", "checkout-2", "every five minutes", "f(a:b:)", "/usr/lib/x86_64/libA1b2c3d4e5f6g7h8"]
    for value in plain { #expect(Self.recorded(key, value) == value) }
  }

  /// Ids of sessions are short, and have digits between their letters.
  @Test(arguments: ["session", "user_session"]) func idsOfSessionsAreMasked(_ key: String) {
    for id in ["7f3a9c1e", "7f3a9c1e2b", "xK9fQ2mLp0"] { #expect(Self.recorded(key, id) == "***") }
    for plain in ["abc123", "12", "started", "release2026", "run-2026-11-28", "2026-11-28T10:00", "web-1"] {
      #expect(Self.recorded(key, plain) == plain)
    }
  }

  /// Some have a part that begins as a token does.
  @Test(arguments: ["E3A86B34-1057-ACCA-F5B2-C1ABE30C1A7D", "0af76519-16cd-43dd-8448-eb211c80319c"])
  func idsOfRequestsStay(_ id: String) {
    #expect(Self.recorded("request.id", id) == id)
    #expect(Self.recorded("api_key", id) == "***")
    #expect(Self.recorded("note", "password=\(id)") == "password=***")
  }

  @Test func longKeysAreLookedAtWhole() {
    #expect(Self.recorded(String(repeating: "x", count: 200) + "_password") == "***")
  }

  /// Every row of Secrets/texts.json: what is masked stands between « and ».
  @Test(arguments: SecretRows.read().texts) func texts(_ row: SecretRow) {
    if row.text.utf8.count <= 256, row.masked.utf8.count <= 256 {
      #expect(Self.recorded("note", row.text) == row.masked)
    }
    #expect(row.text.withoutCredentials == row.masked)
    #expect(row.masked.withoutCredentials == row.masked, "a second time")
  }

  /// Enough of both, so that a rule that masks everything or nothing fails.
  @Test func thereAreManyRows() {
    let rows = SecretRows.read()
    #expect(rows.texts.count { $0.text != $0.masked } >= 200)
    #expect(rows.texts.count { $0.text == $0.masked } >= 150)
  }

  @Test(arguments: SecretRows.read().arguments) func arguments(_ row: [String]) {
    let masked = row.map { SecretRow($0).masked }
    #expect(row.map { SecretRow($0).text }.argumentsWithoutCredentials == masked)
  }

  @Test(arguments: SecretRows.read().environment) func environment(_ row: String) throws {
    let row = SecretRow(row)
    let sign = try #require(row.text.firstIndex(of: "="))
    let name = String(row.text[..<sign])
    let value = String(row.text[row.text.index(after: sign)...])
    let isSecret = csec_variable_is_secret(name, name.utf8.count, value, value.utf8.count)
    let shown = isSecret ? "***" : value.withoutCredentials
    #expect("\(name)=\(shown)" == row.masked)
  }

  /// Each line of the table: one character less is no token.
  @Test(arguments: SecretRows.shapes) func shapes(_ shape: SecretRows.Shape) {
    let body = String(String(repeating: "a1B2c3D4e5", count: 10).prefix(shape.least))
    #expect("got \(shape.prefix)\(body) there".withoutCredentials == "got *** there")
    let short = "got \(shape.prefix)\(body.dropLast()) there"
    #expect(short.withoutCredentials == short)
  }

  /// Each line of the table with parts: one character less is no token.
  @Test(arguments: SecretRows.forms) func forms(_ form: SecretRows.Form) {
    #expect("got \(form.token) there".withoutCredentials == "got *** there")
    let short = "got \(form.token.dropLast()) there"
    #expect(short.withoutCredentials == short)
  }

  @Test func theTablesAreRead() {
    #expect(SecretRows.shapes.count >= 140)
    #expect(SecretRows.forms.count >= 20)
    #expect(SecretRows.logs.count >= 200)
  }

  @Test(arguments: SecretRows.logs) func logsStayReadable(_ line: String) {
    #expect(line.withoutCredentials == line)
  }

  /// The handler's copy is bounded, crashsym's is not: both are the same text.
  @Test func randomTextsStayBounded() {
    var generator = SplitMix(state: 12)
    var masked = 0
    for _ in 0..<20_000 {
      let parts = (0..<Int.random(in: 1...14, using: &generator)).map { _ in
        SecretRows.parts.randomElement(using: &generator)!
      }
      let text = parts.joined()
      let whole = text.withoutCredentials
      masked += whole == text ? 0 : 1
      #expect(whole.utf8.count <= text.utf8.count * 4, "\(text.debugDescription)")
      guard whole.utf8.count < 200 else { continue }
      #expect(Self.recorded("note", text) == whole, "\(text.debugDescription)")
    }
    #expect((1_000..<19_500).contains(masked))
  }

  /// Four times the text takes four times as long, and not sixteen times.
  @Test(arguments: SecretRows.hostile + SecretRows.hostileHalves) func timeIsLinear(_ text: HostileText) {
    func time(_ size: Int) -> UInt64 {
      let text = text.text(size)
      return (0..<3).map { _ in
        let start = thread_time_ns()
        _ = text.withoutCredentials
        return thread_time_ns() - start
      }.min()!
    }
    #expect(time(64 << 10) < 9 * max(time(16 << 10), 500_000))
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

  /// What the handler keeps of a text.
  private func kept(_ text: String) -> String {
    var text = text
    var room = [CChar](repeating: 0, count: Int(CSEC_SECRET_TEXT_MAX) + 64)
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        room.withUnsafeMutableBufferPointer { room in
          let safe = csec_without_secrets(bytes.baseAddress!, bytes.count, room.baseAddress!, room.count)
          return String(
            decoding: UnsafeRawBufferPointer(start: safe.bytes, count: safe.size), as: UTF8.self)
        }
      }
    }
  }

  private static let cutOnes = [
    "postgres://u:Swordfish77@h/d", "ghp_Swordfish7292c6912E7710c838347Ae178B4a", "password=Swordfish77",
    "u:Swordfish77@db:5432", "eyJhbGciOiJIUzI1NiJ9.eyJTd29yZGZpc2giOjF9.Swordfish77Swordfish77",
    "http%3A%2F%2Fu%3ASwordfish%40h",
    #"{"value": "Swordfish77", "name": "password"}"#, "-----BEGIN PRIVATE KEY-----\nSwordfish77Swordfish77\n",
  ]

  /// Where a text is cut, the rest of a credential is missing: its beginning must not stay.
  @Test(arguments: cutOnes) func aCutLeavesNoHalfOfACredential(_ secret: String) {
    for start in stride(from: Int(CSEC_SECRET_TEXT_MAX) - 90, through: Int(CSEC_SECRET_TEXT_MAX) + 4, by: 1) {
      let text = String(repeating: "x", count: start - 1) + " " + secret + String(repeating: " y", count: 3000)
      let kept = kept(text)
      #expect(!kept.contains("Sword") && !kept.contains("eyJTd"), "\(start)")
      #expect(kept.hasSuffix("…"))
    }
  }

  @Test func textBeyondTheCutIsNotKept() {
    for secret in Self.cutOnes {
      let kept = kept(String(repeating: "x", count: 5000) + " " + secret)
      #expect(!kept.contains("Sword") && kept.hasSuffix("…"))
    }
  }
}
