extension CrashKit {
  /// Who the reports are about.
  public struct Application: Sendable, Hashable {
    /// The name in the report, and that of the default report folder.
    public var name: String
    /// The version that people know, such as "2.1".
    public var version: String?
    /// The exact build, such as a commit.
    public var build: String?

    /// Describes the application.
    public init(name: String, version: String? = nil, build: String? = nil) {
      self.name = name
      self.version = version
      self.build = build
    }
  }

  /// What the program chooses. The environment (`CRASHKIT_DIRECTORY`, `CRASHKIT_OPTIONS`) goes before it.
  public struct Configuration: Sendable {
    /// The folder for reports and breadcrumbs; made, with mode 0700, where it is missing. `nil`: `$STATE_DIRECTORY`,
    /// else `$XDG_STATE_HOME/crashkit/NAME`, else `~/.local/state/crashkit/NAME`, else a private folder under the
    /// temporary directory.
    public var directory: String?
    /// The application; `nil` names it after the executable.
    public var application: Application?
    /// How many reports the folder keeps.
    public var retention: Retention
    /// Whether CrashKit keeps the last errors that each thread threw, with their stacks, so that a crash by `try!` shows
    /// where its error was thrown. `nil`: in debug builds alone. `CRASHKIT_OPTIONS=thrown=yes` and `thrown=no` go before
    /// it.
    public var keepsThrownErrors: Bool?
    /// Is given each report that was not yet handled, those of earlier runs that were killed included, oldest first.
    ///
    /// Called on a thread of its own after ``install(_:)`` has returned, one report after the other. A report stays
    /// new, and comes again at the next launch, until ``StoredReport/markHandled()`` or ``StoredReport/remove()`` is called, here or later. If the
    /// process dies in the closure, that report comes last at the next launch; after three such deaths it is set aside.
    /// After three deaths in a row, of whichever reports, none is given for a day, or until the executable is replaced.
    /// Of several processes that share a folder, one at a time is given a report.
    public var onPreviousCrash: (@Sendable (StoredReport) -> Void)?

    /// Describes an installation; the defaults suit most programs.
    public init(
      directory: String? = nil, application: Application? = nil, retention: Retention = .init(),
      keepsThrownErrors: Bool? = nil, onPreviousCrash: (@Sendable (StoredReport) -> Void)? = nil
    ) {
      self.directory = directory
      self.application = application
      self.retention = retention
      self.keepsThrownErrors = keepsThrownErrors
      self.onPreviousCrash = onPreviousCrash
    }
  }

  /// What `install` came to.
  public struct Installation: Sendable, Hashable {
    /// The folder where reports go; `nil` where none can be written to, or where CrashKit is switched off. A report then
    /// goes to stderr as numbered lines.
    public let directory: String?
    /// Whether crashes are captured: `false` with `CRASHKIT_OPTIONS=enable=no`.
    public let isEnabled: Bool
  }
}
