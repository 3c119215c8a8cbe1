#if Desk
  import DeskStore
  import Synchronization

  /// The counts since the start and of the store, in Prometheus's text format.
  final class DeskCounters: Sendable {
    private let known = Atomic(0)
    private let new = Atomic(0)
    private let refused = Atomic(0)
    private let bytes = Atomic(0)

    func count(_ acceptance: Acceptance, bytes count: Int) {
      switch acceptance {
      case .known: known.add(1, ordering: .relaxed)
      case .new: new.add(1, ordering: .relaxed)
      }
      bytes.add(count, ordering: .relaxed)
    }

    func countRefusal() { refused.add(1, ordering: .relaxed) }

    func text(_ totals: Totals, waiting: Int, held: Int) -> String {
      let results = [
        ("new", new.load(ordering: .relaxed)), ("known", known.load(ordering: .relaxed)),
        ("refused", refused.load(ordering: .relaxed)),
      ].map { "crashsym_desk_intake_total{result=\"\($0)\"} \($1)\n" }.joined()
      let groups = ["open", "resolved", "muted"]
        .map { "crashsym_desk_groups{state=\"\($0)\"} \(totals.groups[$0] ?? 0)\n" }.joined()
      return """
        # HELP crashsym_desk_intake_total Reports that came in since the start.
        # TYPE crashsym_desk_intake_total counter
        \(results)# HELP crashsym_desk_intake_bytes_total Unpacked bytes of the reports that were accepted since the start.
        # TYPE crashsym_desk_intake_bytes_total counter
        crashsym_desk_intake_bytes_total \(bytes.load(ordering: .relaxed))
        # HELP crashsym_desk_reports Reports in the store.
        # TYPE crashsym_desk_reports gauge
        crashsym_desk_reports \(totals.reports)
        # HELP crashsym_desk_waiting_reports Reports that were accepted and have no group yet.
        # TYPE crashsym_desk_waiting_reports gauge
        crashsym_desk_waiting_reports \(waiting)
        # HELP crashsym_desk_body_bytes Bytes of bodies that are being received and stored.
        # TYPE crashsym_desk_body_bytes gauge
        crashsym_desk_body_bytes \(held)
        # HELP crashsym_desk_groups Groups in the store.
        # TYPE crashsym_desk_groups gauge
        \(groups)
        """
    }
  }
#endif
