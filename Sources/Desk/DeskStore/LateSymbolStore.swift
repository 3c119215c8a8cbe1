#if Desk
  /// A store's functions for symbols that arrive after the reports that need them.
  public protocol LateSymbolStore: Sendable {
    /// Notes that the symbols of a build are there, until ``forgetSymbols(of:)``.
    func noteSymbols(of buildID: String) throws

    /// The builds whose symbols were noted and not forgotten.
    func notedSymbols() throws -> [String]

    /// Forgets the note of a build: its reports have their functions.
    func forgetSymbols(of buildID: String) throws

    /// Some reports that lack the symbols of a build, in the order of their numbers.
    func reports(lacking buildID: String, after number: Int64) throws -> [(number: Int64, id: ReportID)]

    /// Takes over what is known of a report now. Its old group if it is in another one now.
    func update(_ report: ArrivedReport) throws -> String?
  }
#endif
