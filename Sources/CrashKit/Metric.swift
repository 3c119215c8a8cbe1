import CProcessHooks

extension CrashKit {
  /// A metric. Every report has its last value. ``CrashKit/registerMetric(_:unit:)`` makes it.
  public struct Metric: Sendable, Hashable {
    /// The metric's place in the table, or -1 when the table was full.
    let slot: Int32

    /// Stores the metric's current value, with the current time.
    ///
    /// You may call `update` from any thread. It never waits and does not allocate. It also stores values that are not
    /// finite.
    ///
    /// - Parameters:
    ///   - value: The value, in the unit of the registration.
    ///   - state: Whether the value is normal or critical for the program.
    ///   - threshold: The value beyond which the state is critical; `nil` if there is no such value.
    public func update(_ value: Double, state: State = .unknown, threshold: Double? = nil) {
      cph_metric_update(
        slot, value, cph_metric_state(rawValue: state.rawValue), threshold != nil, threshold ?? 0)
    }
  }

  /// Registers a metric. The metric's last value is part of every report. This includes the report that the next launch
  /// makes if the process is killed.
  ///
  /// ```swift
  /// let load = CrashKit.registerMetric("cpu.load", unit: "ratio")
  /// load.update(0.4, state: .nominal, threshold: 0.8)
  /// ```
  ///
  /// You may call `registerMetric` from any thread, before and after the installation. The same name gives the same
  /// metric, with its first unit. Reports have at most 64 metrics. You can register and update more metrics, but
  /// reports do not have them.
  ///
  /// - Parameters:
  ///   - name: At most 64 bytes of UTF-8; a longer name is cut.
  ///   - unit: At most 32 bytes: "ratio", "bytes", "seconds", …
  public static func registerMetric(_ name: String, unit: String) -> Metric {
    withCharacters(of: name) { name in
      withCharacters(of: unit) { unit in
        Metric(slot: cph_metric_register(name.baseAddress, name.count, unit.baseAddress, unit.count))
      }
    }
  }
}
