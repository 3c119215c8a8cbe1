import CCrashCapture
import Testing

@Suite struct SecretTests {
  /// What a breadcrumb keeps of a value under this key.
  private func recorded(_ key: String) -> String? {
    var encoded = ck_crumb_attributes()
    encoded.length = 0
    ck_crumb_attributes_add(&encoded, key, key.utf8.count, "canary", 6)
    var crumb = ck_breadcrumb()
    return withUnsafeBytes(of: &encoded.bytes) { bytes in
      crumb.attributes = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      crumb.attributes_length = encoded.length
      var (offset, foundKey, value) = (0, ck_slice(), ck_slice())
      guard ck_breadcrumb_attribute(&crumb, &offset, &foundKey, &value) else { return nil }
      return Crumb.text(value.bytes, value.length)
    }
  }

  @Test(arguments: [
    "password", "PASSWORD", "userPassword", "db_password", "db.passwd", "pass", "DB_PASS", "pwd", "passphrase",
    "secret", "client_secret", "clientSecret", "AWS_SECRET_ACCESS_KEY", "token", "Token", "x-csrf-token",
    "accessToken", "access_token", "token_id", "tokenId", "refreshtoken", "Authorization", "proxy-authorization",
    "auth", "x-auth", "Cookie", "Set-Cookie", "sessionCookie", "apikey", "api_key", "API-Key", "apiKey",
    "x.api.key", "credential", "credentials", "private_key", "privateKey", "PRIVATE KEY", "session id",
    "session_id", "sessionID", "sid", "connect.sid", "jwt", "bearer", "otp",
  ])
  func masked(key: String) { #expect(recorded(key) == "***") }

  @Test(arguments: [
    "tokenizer", "tokenization", "tokenised", "tokenizer_name", "secretary", "secretariat", "author", "authority",
    "passenger", "compass", "bypass", "key", "keyboard", "session", "session_count", "side", "inside", "sidecar",
    "optional", "monkey", "primary_key", "tenant", "crypto", "hotplug", "a", "_", "é",
  ])
  func shown(key: String) { #expect(recorded(key) == "canary") }

  @Test func longKeysAreLookedAtWhole() {
    #expect(recorded(String(repeating: "x", count: 200) + "_password") == "***")
  }
}
