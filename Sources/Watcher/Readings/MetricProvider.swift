extension Watcher {
  /// Takes samples of a metric. A provider keeps no previous sample. A caller that needs rates computes them with a
  /// ``RateMeter``.
  ///
  /// The folder `Providers` has the providers of the metrics that ``Metric`` lists.
  public protocol MetricProvider: Sendable {
    /// The metric.
    var metric: Metric { get }

    /// Takes a sample now. Watcher calls it from any thread, also from several threads at once. It may read small
    /// files, but it must not wait for anything else.
    func sample() -> Sample
  }

  /// A provider of Watcher that reads only data that the kernel generates in memory, so that several providers can
  /// share a queue. A battery's level comes from firmware, and a disk may be remote: both are too slow for that.
  protocol PromptProvider: MetricProvider {}
}
