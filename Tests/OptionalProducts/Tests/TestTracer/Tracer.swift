import Instrumentation

/// A tracer that keeps the header's value, as the real ones do in types of their own.
public struct Tracer: Instrument {
  public enum Key: InstrumentationContextKey { public typealias Value = String }

  /// The program's tracer is this one from now on: a program has one tracer, once.
  public static let isBootstrapped: Bool = {
    InstrumentationSystem.bootstrap(Tracer())
    return true
  }()

  public func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}

  public func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let value = context[Key.self] else { return }
    injector.inject("ignored", forKey: "tracestate", into: &carrier)
    injector.inject(value, forKey: "Traceparent", into: &carrier)
  }
}
