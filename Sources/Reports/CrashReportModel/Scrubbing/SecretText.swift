import CSecrets

/// Lets C write the text without its credentials; `mask` gets the text, room for the copy, and the room's size.
private func masking(
  _ text: String, _ mask: (UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>, Int) -> csec_safe_text
) -> String {
  var text = text
  return text.withUTF8 { bytes in
    // Each byte is masked once at most, by three characters.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count * 4 + 8) { room in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        guard let start = characters.baseAddress, let copy = room.baseAddress else { return "" }
        let masked = mask(start, bytes.count, copy, room.count)
        let kept = UnsafeRawBufferPointer(start: masked.bytes, count: masked.size)
        return String(decoding: kept, as: UTF8.self)
      }
    }
  }
}

extension String {
  /// The text with each credential replaced by "***": the user and the password of a URL, values after keys that look like
  /// secrets, bearer tokens, tokens of known services and private keys.
  package var withoutCredentials: String { masking(self, csec_whole_without_secrets) }

  /// The name of a function, or a path, without its credentials. Pairs such as `password: String` are labels there. So
  /// only texts in the form of a credential are replaced: tokens of known services, private keys, users of URLs.
  package var nameWithoutCredentials: String { masking(self, csec_name_without_secrets) }
}

/// The memory in which a credential is searched: the text around it identifies a credential.
package enum CredentialsInMemory {
  /// How many bytes before the shown bytes are searched, and how many from the first shown byte on.
  package static let (before, behind) = (CSEC_MEMORY_BEFORE, CSEC_MEMORY_BEHIND)

  /// The bytes with `*` for each that belongs to a credential.
  package static func masked(_ bytes: [UInt8]) -> [UInt8] {
    var marks = [Bool](repeating: false, count: bytes.count)
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      csec_mark_secrets_in_memory(start.assumingMemoryBound(to: CChar.self), buffer.count, &marks)
    }
    return zip(bytes, marks).map { $1 ? UInt8(ascii: "*") : $0 }
  }
}

extension [String] {
  /// A program's arguments without credentials, also those that are the value of an option such as "--token".
  package var argumentsWithoutCredentials: [String] {
    var arguments = csec_arguments()
    return map { argument in
      masking(argument) { csec_argument_without_secrets($0, $1, &arguments, $2, $3) }
    }
  }
}
