/// The only list of destinations. The help of `crashsym send --to` is made from it.
public enum Destinations {
  public static let all: [any Destination.Type] = [
    SentryDestination.self, OTLPDestination.self, DatadogDestination.self, WebhookDestination.self,
    SlackDestination.self, JournalDestination.self, DeskDestination.self,
  ]

  /// The destination that `--to` names: `KIND:PLACE`, `KIND:env:NAME`, `KIND:file:PATH`, or `KIND` alone, if the
  /// environment has the address or the destination needs no address.
  ///
  /// - Throws: `DestinationError` if the kind or the address is unknown, or if the address has a secret that must not
  ///   be on a command line.
  public static func named(_ text: String, _ settings: DestinationSettings) throws(DestinationError) -> any Destination
  {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let type = all.first(where: { $0.kind == parts[0] }) else {
      throw DestinationError("there is no such destination; there are \(all.map { $0.kind }.joined(separator: ", "))")
    }
    guard settings.key == nil || type.takesKey else {
      throw DestinationError("\(type.kind) takes no --key")
    }
    guard parts.count == 2, !parts[1].isEmpty else {
      return try type.init(Self.fromEnvironment(type, settings), settings)
    }
    return try type.init(try SecretPlace(parts[1]).read(settings, type.kind), settings)
  }

  private static func fromEnvironment(
    _ type: any Destination.Type, _ settings: DestinationSettings
  ) throws(DestinationError) -> String {
    guard !type.place.isEmpty else { return "" }
    guard let name = type.variable else {
      throw DestinationError(
        "\(type.kind) needs a destination: write \(type.kind):\(type.place), \(type.kind):env:NAME or \(type.kind):file:PATH"
      )
    }
    return settings.variable(name) ?? ""
  }
}
