import CCrashCapture
import Glibc

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
  public struct Configuration: Sendable, Hashable {
    /// The folder for reports and breadcrumbs; made, with mode 0700, where it is missing. `nil`: `$STATE_DIRECTORY`,
    /// else `$XDG_STATE_HOME/crashkit/NAME`, else `~/.local/state/crashkit/NAME`, else a private folder under the
    /// temporary directory.
    public var directory: String?
    /// The application; `nil` names it after the executable.
    public var application: Application?

    /// Describes an installation; the defaults suit most programs.
    public init(directory: String? = nil, application: Application? = nil) {
      self.directory = directory
      self.application = application
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

    public var description: String { "CrashKit cannot be installed: \(String(cString: strerror(code)))" }
  }

  /// Installs the handlers for SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT and SIGSYS. Call it first thing in
  /// `main`: threads that start later get an alternate signal stack of their own. A second call changes nothing.
  ///
  /// Where no folder can be written to, it says so in one line on stderr and does not fail.
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
              is_preloaded: false)
            ck_install(&wanted, &result)
          }
        }
      }
    }
    if result.result == CK_FAILED { throw InstallError(code: result.error) }
    return Installation(
      directory: text(of: result.directory), isEnabled: result.result != CK_SWITCHED_OFF)
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
