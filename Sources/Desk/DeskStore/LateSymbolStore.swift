#if Desk
  /// A store's functions for symbols that arrive after the reports that need them.
  public protocol LateSymbolStore: Sendable {
    /// Records that the symbols of a build have arrived, until ``forgetSymbols(of:)``.
    func noteSymbols(of buildID: String) throws

    /// The build IDs that are recorded.
    func notedSymbols() throws -> [String]

    /// Removes the record of a build. Call it after the reports of this build have got their functions.
    func forgetSymbols(of buildID: String) throws

    /// Some reports that lack the symbols of a build, in the order of their numbers.
    func reports(lacking buildID: String, after number: Int64) throws -> [(number: Int64, id: ReportID)]

    /// Replaces the stored facts of a report. If this moves the report to another group, returns the old group;
    /// otherwise `nil`.
    func update(_ report: ArrivedReport) throws -> String?
  }
#endif
