extension CrashKit {
  /// The application that the reports are about.
  public struct Application: Sendable, Hashable {
    /// The name in the report, and the name of the default report folder.
    public var name: String
    /// The version for people, such as "2.1".
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

  /// The program's settings. The environment (`CRASHKIT_DIRECTORY`, `CRASHKIT_OPTIONS`) overrides them.
  public struct Configuration: Sendable {
    /// The folder for reports and breadcrumbs. If it is missing, CrashKit makes it with mode 0700. `nil` means
    /// `$STATE_DIRECTORY`, else `$XDG_STATE_HOME/crashkit/NAME`, else `~/.local/state/crashkit/NAME`, else a private
    /// folder under the temporary directory.
    public var directory: String?
    /// The application. If it is `nil`, the application has the name of the executable.
    public var application: Application?
    /// How many reports the folder keeps, for how long, and how many bytes they may take.
    public var retention: Retention
    /// Whether CrashKit keeps the last errors that each thread threw, with their stacks. The report of a crash by
    /// `try!` then shows where the error was thrown. With `nil`, CrashKit keeps the errors only in debug builds. If
    /// `CRASHKIT_OPTIONS` has `thrown=yes` or `thrown=no`, CrashKit uses that value and not the value of this property.
    public var keepsThrownErrors: Bool?
    /// CrashKit passes each report that is not yet handled to this closure, oldest first. If an earlier run was killed,
    /// its report is among them.
    ///
    /// CrashKit calls the closure on a separate thread after ``install(_:)`` has returned: once for each report, one
    /// after the other. A report stays new, and CrashKit passes it again at the next launch, until you call
    /// ``StoredReport/markHandled()`` or ``StoredReport/remove()``. You may call these in the closure or later.
    ///
    /// If the process dies while the closure runs, CrashKit passes that report last at the next launch. If this happens
    /// three times with the same report, CrashKit sets the report aside. If it happens three times in a row, even with
    /// different reports, CrashKit does not call the closure for a day, or until the executable is replaced.
    ///
    /// If several processes share a folder, only one of them gets reports at a time.
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

  /// The result of `install`.
  public struct Installation: Sendable, Hashable {
    /// The folder of reports. `nil` if no folder is writable, or if CrashKit is turned off. A report then goes to
    /// stderr as numbered lines.
    public let directory: String?
    /// Whether crashes are captured: `false` with `CRASHKIT_OPTIONS=enable=no`.
    public let isEnabled: Bool
  }
}
