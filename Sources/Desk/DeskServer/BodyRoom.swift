#if Desk
  import Synchronization

  /// How many bytes of bodies the desk holds at a time, of all requests.
  final class BodyRoom: Sendable {
    /// What one request holds of it.
    final class Share: Sendable {
      private let room: BodyRoom
      private let held = Atomic(0)

      fileprivate init(_ room: BodyRoom) { self.room = room }

      /// Takes room for more bytes, until the share is gone.
      ///
      /// - Throws: ``Refusal`` if other requests hold too much.
      func take(_ count: Int) throws {
        let isThere = room.held.withLock { held in
          guard held + count <= room.limit else { return false }
          held += count
          return true
        }
        guard isThere else {
          throw Refusal(.busy, "the desk is receiving too many bytes from all senders; send this request again later")
        }
        held.add(count, ordering: .relaxed)
      }

      deinit { room.held.withLock { $0 -= held.load(ordering: .relaxed) } }
    }

    private let limit: Int
    private let held = Mutex(0)

    init(limit: Int) { self.limit = limit }

    func share() -> Share { Share(self) }

    /// How many bytes all requests hold.
    var count: Int { held.withLock { $0 } }
  }
#endif
