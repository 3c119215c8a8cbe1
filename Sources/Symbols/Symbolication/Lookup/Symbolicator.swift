import Dispatch
import Glibc
import Synchronization

/// Turns addresses of a process into functions, source lines and inlined calls.
///
/// Thread-safe: calls for different images run in parallel, and calls for one image wait for each other. The most
/// recently used images stay open, up to a limit, so that later addresses cost little.
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
  private let sources: SymbolSources
  private let cache = Mutex(Cache())

  /// Makes a symbolicator. It opens the file of an image when you first look up an address of this image.
  ///
  /// - Parameter onDownload: Gets the progress of a download from a debuginfod server, several times a second, on any
  ///   thread.
  public init(
    options: SymbolicationOptions = .init(), onDownload: (@Sendable (DownloadProgress) -> Void)? = nil
  ) {
    self.options = options
    sources = SymbolSources(
      folders: SymbolFolders(options.symbolDirectories), debuginfod: Debuginfod(options.debuginfod, report: onDownload))
  }

  /// Looks up addresses of one image.
  ///
  /// - Parameters:
  ///   - addresses: The addresses in the process, in any order.
  ///   - image: The image that contains them. A file with another build ID than `image.buildID` is never used.
  /// - Returns: One result for each address, in the order of `addresses`, and the status of the image's file.
  public func symbolicate(
    _ addresses: [(address: UInt64, kind: AddressKind)], in image: ImageReference
  ) -> (lookups: [Lookup], status: ImageStatus) {
    self.image(for: image).symbolicate(addresses)
  }

  /// Looks up the variables at addresses of an image's data, all in one pass.
  ///
  /// - Parameters:
  ///   - addresses: The addresses in the process.
  ///   - image: The image that may contain them. A file with another build ID than `image.buildID` is never used.
  /// - Returns: The variable at each address. An address without a symbol is left out.
  public func variables(at addresses: Set<UInt64>, in image: ImageReference) -> [UInt64: Variable] {
    self.image(for: image).variables(at: addresses)
  }

  /// Finds the pointer near zero that caused a failed memory access.
  ///
  /// - Parameters:
  ///   - access: The access, with addresses in the process.
  ///   - image: The image that contains the code.
  /// - Returns: Only facts that are certain; nil if the instruction does not show which register held the pointer, or
  ///   if the image's file is missing or may be from another build.
  public func nilPointer(_ access: FailedAccess, in image: ImageReference) -> NilPointer? {
    self.image(for: image).nilPointer(access)
  }

  /// Tests the debuginfod servers: asks them for a random build ID, which they do not have. Returns whether a server
  /// answered, and each server with the result in words; nil if there is no server to ask.
  public func askServers() -> (isAnswered: Bool, asked: [String])? {
    sources.debuginfod.map { $0.probe() }.map { ($0.isAnswered, $0.searched) }
  }

  /// Adds newly decoded data to the indexes. Without `options.index` it does nothing.
  ///
  /// This function does not change the results of look-ups. Call it at the end of a command, after the output. After
  /// few look-ups the function takes a few milliseconds. After many look-ups it takes about as long as the look-ups
  /// themselves.
  public func saveIndex() {
    guard let folder = options.index.map(IndexFolder.init) else { return }
    let images = cache.withLock { $0.images.values.map(\.image) }
    DispatchQueue.concurrentPerform(iterations: images.count) { images[$0].saveIndex(in: folder) }
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
      let image = Image(reference, options, sources)
      cache.images[reference] = Entry(image: image, lastUse: cache.clock)
      return image
    }
  }
}

/// One image, opened on first use.
private final class Image: Sendable {
  private let reference: ImageReference
  private let options: SymbolicationOptions
  private let sources: SymbolSources
  private let opened = Mutex<Opened?>(nil)

  private struct Opened {
    var files: ImageFiles
    var readers: [SharedReader]
  }

  /// If each reader gets at least this many addresses, several readers share the work.
  private static let addressesPerReader = 512
  /// More readers take more memory than they save time.
  private static let mostReaders = 4
  /// A unit where two stretches meet is decoded twice, so they are few.
  private static let stretchesPerReader = 4

  init(_ reference: ImageReference, _ options: SymbolicationOptions, _ sources: SymbolSources) {
    self.reference = reference
    self.sources = sources
    self.options = options
  }

  func variables(at addresses: Set<UInt64>) -> [UInt64: Variable] {
    opened.withLock { slot in
      let opened = slot ?? Opened(files: ImageFiles(reference, options, sources), readers: [])
      slot = opened
      return Variable.all(at: addresses, in: opened.files)
    }
  }

  func nilPointer(_ access: FailedAccess) -> NilPointer? {
    opened.withLock { slot in
      var opened = slot ?? Opened(files: ImageFiles(reference, options, sources), readers: [])
      if opened.readers.isEmpty { opened.readers.append(SharedReader(opened.files)) }
      slot = opened
      return opened.readers[0].withReader { $0.nilPointer(access) }
    }
  }

  func symbolicate(_ addresses: [(address: UInt64, kind: AddressKind)]) -> ([Lookup], ImageStatus) {
    opened.withLock { slot in
      var opened = slot ?? Opened(files: ImageFiles(reference, options, sources), readers: [])
      let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
      let wanted = min(addresses.count / Self.addressesPerReader, processors, Self.mostReaders)
      while opened.readers.count < max(wanted, 1) { opened.readers.append(SharedReader(opened.files)) }
      slot = opened
      return (Self.lookUp(addresses, opened.readers.prefix(max(wanted, 1))), opened.files.status)
    }
  }

  func saveIndex(in folder: IndexFolder) {
    opened.withLock { opened in
      guard let opened, let key = opened.files.indexKey else { return }
      IndexUpdate(opened.files, opened.readers).write(to: folder, as: key)
    }
  }

  /// In the addresses' order: neighbours share what was decoded, and what the processor has at hand. Each reader takes
  /// one stretch after the other, as some cost far more than others.
  private static func lookUp(
    _ addresses: [(address: UInt64, kind: AddressKind)], _ readers: ArraySlice<SharedReader>
  ) -> [Lookup] {
    let order = addresses.indices.sorted { addresses[$0].address < addresses[$1].address }
    let stretchCount = readers.count == 1 ? 1 : readers.count * stretchesPerReader
    let length = max(order.count / stretchCount, addressesPerReader / 2)
    let stretches = stride(from: 0, to: order.count, by: length).map {
      order[$0..<min($0 + length, order.count)]
    }
    let next = Mutex(0)
    let answers = Mutex(Array(repeating: Lookup(), count: addresses.count))
    DispatchQueue.concurrentPerform(iterations: readers.count) { number in
      while let stretch = next.withLock({ next in
        next += 1
        return next <= stretches.count ? stretches[next - 1] : nil
      }) {
        let lookups = readers[number].lookUp(stretch.map { addresses[$0] })
        answers.withLock { answers in
          for (index, lookup) in zip(stretch, lookups) { answers[index] = lookup }
        }
      }
    }
    return answers.withLock { $0 }
  }
}

/// A reader that threads take turns with.
final class SharedReader: Sendable {
  private let reader: Mutex<ImageReader>

  init(_ files: ImageFiles) {
    reader = Mutex(ImageReader(files))
  }

  func lookUp(_ addresses: [(address: UInt64, kind: AddressKind)]) -> [Lookup] {
    reader.withLock { reader in addresses.map { reader.lookUp($0.address, $0.kind) } }
  }

  func withReader<Result>(_ body: (ImageReader) -> sending Result) -> sending Result {
    reader.withLock { body($0) }
  }
}
