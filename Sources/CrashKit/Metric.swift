import CProcessHooks

extension CrashKit {
  /// A metric whose last value every report carries. Made by ``CrashKit/registerMetric(_:unit:)``.
  public struct Metric: Sendable, Hashable {
    /// The metric's place in the table, or -1 when the table was full.
    let slot: Int32

    /// Stores the metric's present value, with the present time.
    ///
    /// Callable from any thread; wait-free, does not allocate. Values that are not finite are kept and shown as such.
    ///
    /// - Parameters:
    ///   - value: In the unit that the metric was registered with.
    ///   - state: What the value means.
    ///   - threshold: The value beyond which the state is critical, if there is one.
    public func update(_ value: Double, state: State = .unknown, threshold: Double? = nil) {
      cph_metric_update(
        slot, value, cph_metric_state(rawValue: state.rawValue), threshold != nil, threshold ?? 0)
    }
  }

  /// Registers a metric, so that its last value is part of every report and is known after a death without one.
  ///
  /// ```swift
  /// let load = CrashKit.registerMetric("cpu.load", unit: "ratio")
  /// load.update(0.4, state: .nominal, threshold: 0.8)
  /// ```
  ///
  /// Callable from any thread, before and after the installation. The same name gives the same metric, with the unit that it
  /// had first. There is room for 64: further ones can be updated, and are not reported.
  ///
  /// - Parameters:
  ///   - name: At most 64 bytes of UTF-8; what is longer is cut.
  ///   - unit: At most 32 bytes: "ratio", "bytes", "seconds", …
  public static func registerMetric(_ name: String, unit: String) -> Metric {
    withCharacters(of: name) { name in
      withCharacters(of: unit) { unit in
        Metric(slot: cph_metric_register(name.baseAddress, name.count, unit.baseAddress, unit.count))
      }
    }
  }
}
