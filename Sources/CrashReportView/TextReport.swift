import CrashReportModel

/// Shows a report to a person.
public struct TextReport: Sendable {
  /// What the text looks like and where its sources are.
  public struct Options: Sendable {
    /// Whether to use a terminal's colours; without them own code is marked with `>` only.
    public var usesColor: Bool
    /// Paths inside this folder are shown relative to it.
    public var workingDirectory: String?
    /// Whether to show lines of source files.
    public var showsSource: Bool

    /// Whether all breadcrumbs are shown, or only the last 40.
    public var showsAllBreadcrumbs: Bool

    /// Sets the options.
    public init(
      usesColor: Bool = false, workingDirectory: String? = nil, showsSource: Bool = true,
      showsAllBreadcrumbs: Bool = false
    ) {
      self.usesColor = usesColor
      self.workingDirectory = workingDirectory
      self.showsSource = showsSource
      self.showsAllBreadcrumbs = showsAllBreadcrumbs
    }
  }

  /// What it looks like.
  public let options: Options

  /// Makes a view.
  public init(options: Options = .init()) {
    self.options = options
  }

  /// The text of a report, with a line end after each line.
  ///
  /// Whatever stands in the report, the text holds no control character but line ends and, where asked for, colours.
  public func text(of report: CrashReport) -> String {
    var printer = Printer(usesColor: options.usesColor)
    HeadlineSection(report: report).print(to: &printer)
    EndingSection(report: report).print(to: &printer)
    HangSection(report: report, options: options).print(to: &printer)
    ViolationSection(report: report, options: options).print(to: &printer)
    ThreadsSection(report: report, options: options).print(to: &printer)
    RegistersSection(report: report).print(to: &printer)
    HistorySection(report: report, showsAllBreadcrumbs: options.showsAllBreadcrumbs).print(to: &printer)
    SurroundingsSection(report: report).print(to: &printer)
    GapsSection(report: report).print(to: &printer)
    return printer.text
  }
}
