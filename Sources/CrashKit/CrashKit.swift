import CCrashCapture
import Glibc
import LinuxCalls

/// Captures the crashes of this process. If the process dies of a signal that a program can handle, CrashKit writes a
/// complete report.
///
/// You may call all functions from any thread.
public enum CrashKit {
  /// Whether CrashKit works on this system: Linux with glibc. On other systems it compiles, and behaves as if it is
  /// turned off.
  public static let isSupported = true

  /// Why `install` failed.
  public struct InstallError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The `errno` of the system call that was refused.
    public let code: Int32

    /// The reason, with the system's text for ``code``.
    public var description: String { "CrashKit cannot be installed: \(errorText(code))" }
  }

  /// Installs the handlers for SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT and SIGSYS. A second call changes
  /// nothing.
  ///
  /// Call it at the beginning of `main`, before other threads start. A thread that already runs gets its alternate
  /// signal stack only later, for example when it records a breadcrumb.
  ///
  /// If no folder is writable, `install` prints one line on stderr and does not fail.
  ///
  /// After the installation, a thread of CrashKit looks for earlier runs that ended without a report, and writes their
  /// reports. It also lists on stderr the reports that are not yet handled; `CRASHKIT_OPTIONS=summary=no` turns this
  /// list off.
  ///
  /// - Throws: `InstallError` if the system refuses memory or the handlers.
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
