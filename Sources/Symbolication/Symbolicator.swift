import Synchronization

/// Turns addresses of a process into functions, source lines and inlined calls.
///
/// Thread-safe: calls for different images run side by side, those for one image wait for each other. Opened images are
/// kept, the most recently used up to a limit, so that later addresses cost little.
public final class Symbolicator: Sendable {
  private struct Cache {
    var images: [ImageReference: Entry] = [:]
    var clock = 0
  }

  private struct Entry {
    var image: Image
    var lastUse: Int
  }

  /// How many images stay open.
  private static let mostImages = 256

  private let options: SymbolicationOptions
  private let folders: SymbolFolders
  private let cache = Mutex(Cache())

  /// Makes a symbolicator; files are opened when their first address is asked for.
  public init(options: SymbolicationOptions = .init()) {
    self.options = options
    folders = SymbolFolders(options.symbolDirectories)
  }

  /// Looks up addresses of one image.
  ///
  /// - Parameters:
  ///   - addresses: As the process had them, in any order.
  ///   - image: The image that they lie in. A file of another build than `image.buildID` says is never used.
  /// - Returns: One result for each address, in their order, and what became of the image's file.
  public func symbolicate(
    _ addresses: [(address: UInt64, kind: AddressKind)], in image: ImageReference
  ) -> (lookups: [Lookup], status: ImageStatus) {
    self.image(for: image).symbolicate(addresses)
  }

  private func image(for reference: ImageReference) -> Image {
    cache.withLock { cache in
      cache.clock += 1
      if let entry = cache.images[reference] {
        cache.images[reference]?.lastUse = cache.clock
        return entry.image
      }
      if cache.images.count >= Self.mostImages,
        let oldest = cache.images.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        cache.images[oldest.key] = nil
      }
      let image = Image(reference, options, folders)
      cache.images[reference] = Entry(image: image, lastUse: cache.clock)
      return image
    }
  }
}

/// One image, opened on first use.
private final class Image: Sendable {
  private let reference: ImageReference
  private let options: SymbolicationOptions
  private let folders: SymbolFolders
  /// libelf's handles belong to one thread at a time.
  private let reader = Mutex<ImageReader?>(nil)

  init(_ reference: ImageReference, _ options: SymbolicationOptions, _ folders: SymbolFolders) {
    self.reference = reference
    self.folders = folders
    self.options = options
  }

  func symbolicate(_ addresses: [(address: UInt64, kind: AddressKind)]) -> ([Lookup], ImageStatus) {
    reader.withLock { slot in
      let reader = slot ?? ImageReader(reference, options, folders)
      slot = reader
      // In their order: neighbours share what was decoded, and what the processor has at hand.
      let order = addresses.indices.sorted { addresses[$0].address < addresses[$1].address }
      var lookups = Array(repeating: Lookup(), count: addresses.count)
      for index in order { lookups[index] = reader.lookUp(addresses[index].address, addresses[index].kind) }
      return (lookups, reader.status)
    }
  }
}
