#if Desk
  import DeskStore
  import Glibc
  import LinuxCalls
  import SymbolStore
  import Symbolication
  import Synchronization

  /// The symbols of a desk. They come from files that were sent to the desk, and from folders that the desk's options
  /// name.
  public final class DeskSymbols: Sendable {
    /// What became of a file that was sent.
    struct Filed: Sendable {
      var buildID: String
      /// Whether the desk had as much of this build before.
      var isKnown: Bool
    }

    private let folder: String
    private let make: @Sendable (_ folder: String) -> Symbolicator
    private let current: Mutex<CachedSymbolicator>

    /// - Parameters:
    ///   - folder: The folder for files that are sent. It is made if it is missing.
    ///   - make: Makes a symbolicator that looks in this folder. It may also look in other folders.
    /// - Throws: `StoreError` if the folder cannot be made or opened.
    public init(
      _ folder: String, make: @escaping @Sendable (_ folder: String) -> Symbolicator
    ) throws(StoreError) {
      (self.folder, self.make) = (folder, make)
      try DataFolder.make(folder)
      current = Mutex(CachedSymbolicator(make(folder)))
      try removeUnfinished()
    }

    /// It sees what was filed before it was asked for.
    var symbolicator: CachedSymbolicator { current.withLock { $0 } }

    // MARK: Files that are sent

    private static let unfinished = ".part"

    /// Makes a new file for symbols that are sent. Returns its path and descriptor.
    func newFile() throws(StoreError) -> (path: String, descriptor: Int32) {
      let path = "\(folder)/\(RandomText.digits(bytes: 16))\(Self.unfinished)"
      let file = LinuxCalls.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw StoreError(path, errorText(errno)) }
      return (path, file)
    }

    /// Files a program, a library or a debug file by its build ID. Names within it lead to no other file.
    ///
    /// - Throws: ``Refusal`` if it is not of that kind, and `StoreError`.
    func file(_ path: String) throws -> Filed {
      guard let facts = SymbolFacts(path: path) else {
        throw Refusal(.unprocessable, "not an ELF executable, library or debug file")
      }
      guard let buildID = facts.buildIDText, buildID.utf8.count > 2 else {
        throw Refusal(.unprocessable, "the file has no build ID: link with -Wl,--build-id")
      }
      guard facts.rank > 0 else {
        throw Refusal(.unprocessable, "the file has neither debug information nor symbols")
      }
      guard facts.alternateName == nil else {
        throw Refusal(.unprocessable, "the file shares debug information with another one (dwz)")
      }
      do throws(FilingFailure) {
        let outcomes = try SymbolStore(path: folder).add(path)?.outcomes ?? []
        let isFiled = outcomes.contains { if case .filed = $0 { true } else { false } }
        if isFiled { renew() }
        return Filed(buildID: buildID, isKnown: !isFiled)
      } catch {
        guard error.kind == .inputOutput else {
          throw Refusal(.unprocessable, "the file cannot be added to the symbols of this desk: \(error.what)")
        }
        throw StoreError(error.path, error.what)
      }
    }

    /// A symbolicator knows the files that were there when it was made.
    private func renew() {
      let fresh = CachedSymbolicator(make(folder))
      current.withLock { $0 = fresh }
    }

    /// What an earlier process did not finish.
    private func removeUnfinished() throws(StoreError) {
      let descriptor = LinuxCalls.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw StoreError(folder, errorText(errno)) }
      defer { close(descriptor) }
      for name in folderNames(descriptor) ?? [] where name.hasSuffix(Self.unfinished) {
        _ = unlink("\(folder)/\(name)")
      }
    }
  }
#endif
