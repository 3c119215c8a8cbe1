#if CrashKitUpload
  import CReportParts
  import LinuxCalls
  import ReportSending

  extension CrashKitUpload {
    /// What CrashKitUpload sends, and where.
    public struct Configuration: Sendable {
      /// The destination, written as for the option `--to` of `crashsym send`, such as `sentry:env:SENTRY_DSN`, `otlp`,
      /// `datadog`, `webhook:file:/run/secrets/hook`. With `nil`, the environment variable `CRASHKIT_UPLOAD` names the
      /// destination. If it is not set either, nothing is sent.
      public var destination: String?
      /// The folder of the reports; `nil` means the folder of CrashKit's installation.
      public var directory: String?
      /// Whether the program's own texts and values are removed before a report is sent.
      public var scrubs: Bool
      /// Attributes with these keys, such as `request.id`, keep their values in a scrubbed report.
      public var keptKeys: Set<String>
      /// Where to find the key that the destination requires: `env:NAME` or `file:PATH`. Set it only if the destination
      /// needs a key in addition to its URL.
      public var key: String?
      /// Where to find additional HTTP headers, which the upload adds to each request: `env:NAME` or `file:PATH`. The
      /// variable or the file has one header on each line.
      public var headers: String?
      /// A file of certificates. The upload trusts these certificates and not the system's.
      public var certificateFile: String?
      /// The host and port of a proxy.
      public var proxy: (host: String, port: Int)?
      /// How long a request may take.
      public var timeLimit: Duration

      /// Describes an upload.
      public init(
        to destination: String? = nil, directory: String? = nil, scrubs: Bool = true,
        keeping keptKeys: Set<String> = [],
        key: String? = nil, headers: String? = nil, certificateFile: String? = nil,
        proxy: (host: String, port: Int)? = nil, timeLimit: Duration = .seconds(30)
      ) {
        self.destination = destination
        self.directory = directory
        self.scrubs = scrubs
        self.keptKeys = keptKeys
        self.key = key
        self.headers = headers
        self.certificateFile = certificateFile
        self.proxy = proxy
        self.timeLimit = timeLimit
      }
    }

    /// An error in a ``Configuration``, described without any secret.
    public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
      /// What is wrong, in words.
      public let description: String
    }
  }

  /// A configuration whose destination is known.
  struct UploadPlan: Sendable {
    private static let variable = "CRASHKIT_UPLOAD"

    let configuration: CrashKitUpload.Configuration
    let destination: any Destination

    /// `nil` if nothing is to be sent.
    init?(_ configuration: CrashKitUpload.Configuration) throws(CrashKitUpload.ConfigurationError) {
      let named = configuration.destination ?? environment(Self.variable)
      guard let named, !named.isEmpty else { return nil }
      self.configuration = configuration
      var settings = DestinationSettings(variable: { environment($0) }, client: Self.client)
      do throws(DestinationError) {
        if let headers = configuration.headers {
          settings.headers = try HeaderLines.read(SecretPlace(headers), settings)
        }
        if let key = configuration.key { settings.key = try SecretPlace(key).readHidden(settings, "key") }
        destination = try Destinations.named(named, settings)
      } catch {
        throw .init(description: error.what)
      }
    }

    static let client = "crashkit/\(CRP_VERSION)"
  }
#endif
