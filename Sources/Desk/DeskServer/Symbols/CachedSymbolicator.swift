#if Desk
  import Symbolication
  import Synchronization

  /// A symbolicator that remembers addresses: many reports have the same ones.
  final class CachedSymbolicator: Sendable {
    private struct Key: Hashable {
      var buildID: [UInt8]
      var machine: UInt16?
    }

    private struct Place: Hashable {
      var address: UInt64
      var kind: AddressKind
    }

    private struct Image {
      var status: ImageStatus
      var lookups: [Place: Lookup] = [:]
      /// When the files are searched again; `nil` if there is nothing better to find.
      var end: ContinuousClock.Instant?
    }

    private struct State {
      var images: [Key: Image] = [:]
      var places = 0
    }

    private static let mostImages = 2000
    /// No linker makes a longer build ID.
    private static let longestBuildID = 64
    private static let mostPlaces = 50_000
    /// Debug information may come to a folder or a server at any time.
    private static let patience = Duration.seconds(10)

    private let symbolicator: Symbolicator
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(_ symbolicator: Symbolicator, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
      (self.symbolicator, self.now) = (symbolicator, now)
    }

    /// Looks up addresses of a build, counted from its first byte.
    func symbolicate(
      _ addresses: [(address: UInt64, kind: AddressKind)], of buildID: [UInt8], machine: UInt16?
    ) -> (lookups: [Lookup], status: ImageStatus) {
      let key = Key(buildID: buildID, machine: machine)
      let places = addresses.map { Place(address: $0.address, kind: $0.kind) }
      let known = known(places, of: key)
      let missing = places.filter { known?.lookups[$0] == nil }
      if let known, missing.isEmpty { return (places.map { known.lookups[$0] ?? Lookup() }, known.status) }
      let reference = ImageReference(name: "image", buildID: buildID, baseAddress: 0, machine: machine)
      let (found, status) = symbolicator.symbolicate(missing.map { ($0.address, $0.kind) }, in: reference)
      var lookups = known?.lookups ?? [:]
      for (index, place) in missing.enumerated() {
        lookups[place] = index < found.count ? found[index] : Lookup()
      }
      note(missing.map { ($0, lookups[$0] ?? Lookup()) }, status, of: key)
      return (places.map { lookups[$0] ?? Lookup() }, status)
    }

    /// What is known of these places alone: a copy of all that is known of the image may be large.
    private func known(_ places: [Place], of key: Key) -> Image? {
      let now = now()
      return state.withLock { state in
        guard let image = state.images[key] else { return nil }
        if let end = image.end, end <= now {
          state.places -= image.lookups.count
          state.images[key] = nil
          return nil
        }
        var known = Image(status: image.status, end: image.end)
        for place in places { known.lookups[place] = image.lookups[place] }
        return known
      }
    }

    private func note(_ lookups: [(Place, Lookup)], _ status: ImageStatus, of key: Key) {
      let isFinal = if case .found(_, .dwarf, _) = status { true } else { false }
      let end = isFinal ? nil : now() + Self.patience
      state.withLock { state in
        if state.places + lookups.count > Self.mostPlaces || state.images.count >= Self.mostImages { state = State() }
        guard key.buildID.count <= Self.longestBuildID else { return }
        var image = state.images.removeValue(forKey: key) ?? Image(status: status, end: end)
        state.places -= image.lookups.count
        image.status = status
        for (place, lookup) in lookups { image.lookups[place] = lookup }
        state.places += image.lookups.count
        state.images[key] = image
      }
    }
  }
#endif
