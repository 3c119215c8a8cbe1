import CrashReportModel

/// Shows a report to a person.
public struct TextReport: Sendable {
  /// The options of the text, and the folders of source files on this machine.
  public struct Options: Sendable {
    /// Whether to use a terminal's colours. Without colours, only `>` marks the program's own code.
    public var usesColor: Bool
    /// The folders of sources on this machine. Paths inside the working folder are shown relative to it.
    public var sources: SourceFolders
    /// Whether to show lines of source files.
    public var showsSource: Bool

    /// Whether to show all breadcrumbs. If not, the text shows the last 40.
    public var showsAllBreadcrumbs: Bool
    /// Whether to show only breadcrumbs of the crashed thread's task.
    public var showsTaskAlone: Bool

    /// Sets the options.
    public init(
      usesColor: Bool = false, sources: SourceFolders = SourceFolders(), showsSource: Bool = true,
      showsAllBreadcrumbs: Bool = false, showsTaskAlone: Bool = false
    ) {
      self.usesColor = usesColor
      self.sources = sources
      self.showsSource = showsSource
      self.showsAllBreadcrumbs = showsAllBreadcrumbs
      self.showsTaskAlone = showsTaskAlone
    }
  }

  /// The options.
  public let options: Options

  /// Makes a view.
  public init(options: Options = .init()) {
    self.options = options
  }

  /// The text of a report without source lines, with a line end after each line.
  public func text(of report: CrashReport) -> String { text(of: VerifiedReport(report: report)) }

  /// The text of a report with the lines of its verified locations, with a line end after each line.
  ///
  /// The text never has control characters, except line ends and colours.
  public func text(of verified: VerifiedReport) -> String {
    let report = verified.report
    let excerpts = Excerpts(verified, options)
    var printer = Printer(usesColor: options.usesColor)
    HeadlineSection(report: report).print(to: &printer, sources: options.sources)
    EndingSection(report: report).print(to: &printer)
    DeadlockSection(report: report, options: options).print(to: &printer)
    HangSection(report: report, options: options).print(to: &printer)
    ViolationSection(report: report, options: options, excerpts: excerpts).print(to: &printer)
    let tasks = TasksSection(report: report, options: options, excerpts: excerpts)
    let threads = ThreadsSection(report: report, options: options, excerpts: excerpts)
    let thrown = ThrownSection(report: report, options: options, excerpts: excerpts)
    switch report.kind {
    case .stuckTask:
      tasks.print(to: &printer)
      threads.print(to: &printer)
    case .capture, .error:
      // A captured program often hangs in a task, while its threads wait for work.
      thrown.printCause(to: &printer)
      tasks.printSummary(to: &printer)
      threads.print(to: &printer)
      tasks.printChains(to: &printer)
    default:
      threads.print(to: &printer)
      tasks.print(to: &printer)
    }
    RegistersSection(report: report).print(to: &printer)
    HistorySection(report: report, options: options).print(to: &printer)
    thrown.printOthers(to: &printer)
    SurroundingsSection(report: report).print(to: &printer)
    GapsSection(report: report).print(to: &printer)
    return printer.text
  }

  /// The text about the report's Swift tasks, and about nothing else. If there are no tasks, the text says so, with the
  /// reason if the report has one. Every line, including the last, has a line end.
  public func taskText(of verified: VerifiedReport) -> String {
    let report = verified.report
    var printer = Printer(usesColor: options.usesColor)
    if let reason = report.capture?.tasks?.none {
      printer.line("no Swift tasks: \(reason)")
    } else if report.tasks?.isEmpty != false {
      printer.line("no Swift tasks")
    }
    DeadlockSection(report: report, options: options).printTasks(to: &printer)
    TasksSection(report: report, options: options, excerpts: Excerpts(verified, options)).print(to: &printer)
    return printer.text
  }
}
