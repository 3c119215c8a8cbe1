import CCrashCapture
import Glibc
import LinuxCalls

/// Captures the crashes of this process: every death by a signal that user space can handle leaves a complete report.
///
/// All functions may be called from any thread.
public enum CrashKit {
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

  /// Why `install` failed.
  public struct InstallError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The `errno` of the system call that was refused.
    public let code: Int32

    public var description: String { "CrashKit cannot be installed: \(errorText(code))" }
  }

  /// Installs the handlers for SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT and SIGSYS. Call it first thing in
  /// `main`: threads that start later get an alternate signal stack of their own. A second call changes nothing.
  ///
  /// Where no folder can be written to, it says so in one line on stderr and does not fail. Shortly after, on a thread of
  /// its own, it makes reports of earlier runs that ended without one, and names on stderr what was not yet handled;
  /// `CRASHKIT_OPTIONS=summary=no` silences that.
  ///
  /// - Throws: `InstallError` where the system refuses memory or the handlers.
  @discardableResult
  public static func install(_ configuration: Configuration = .init()) throws(InstallError) -> Installation {
    var result = ck_installation()
    withOptionalCString(configuration.directory) { directory in
      withOptionalCString(configuration.application?.name) { name in
        withOptionalCString(configuration.application?.version) { version in
          withOptionalCString(configuration.application?.build) { build in
            var wanted = ck_configuration(
              directory: directory, application_name: name, application_version: version, application_build: build,
              keeps_throws: configuration.keepsThrownErrors ?? isDebugBuild, is_preloaded: false)
            ck_install(&wanted, &result)
          }
        }
      }
    }
    if result.result == CK_FAILED { throw InstallError(code: result.error) }
    let directory = result.result == CK_SWITCHED_OFF ? nil : reportDirectory
    if result.result == CK_INSTALLED, let directory {
      LaunchWork(
        path: directory, retention: configuration.retention, onPreviousCrash: configuration.onPreviousCrash
      ).start()
    }
    return Installation(directory: directory, isEnabled: result.result != CK_SWITCHED_OFF)
  }

  private static var isDebugBuild: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  private static func withOptionalCString(_ string: String?, _ body: (UnsafePointer<CChar>?) -> Void) {
    guard let string else { return body(nil) }
    string.withCString(body)
  }

  static func text<Characters>(of characters: Characters) -> String? {
    let text = withUnsafeBytes(of: characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return text.isEmpty ? nil : text
  }
}
