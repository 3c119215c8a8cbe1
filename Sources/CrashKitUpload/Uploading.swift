#if CrashKitUpload
  import CReportParts
  import CrashKit
  import CrashReportModel
  import ReportSending

  /// Sends the reports of one folder, on a separate thread.
  final class Uploading: Sendable {
    private let plan: UploadPlan
    private let directory: String
    private let transport: ClientTransport
    private let stopSignal = StopSignal()
    private let ending = Ending()

    /// Begins to send; `nil` if there is no folder of reports, or if the system gives no thread.
    init?(_ plan: UploadPlan, follows: Bool) {
      guard let directory = plan.configuration.directory ?? CrashKit.reportDirectory else {
        CrashKit.say("reports are not sent: CrashKit is not installed, or has no folder for reports")
        return nil
      }
      do {
        transport = try ClientTransport(plan.configuration)
      } catch {
        CrashKit.say("reports are not sent: \(error)")
        return nil
      }
      self.plan = plan
      self.directory = directory
      let isStarted = CrashKit.runOnOwnThread {
        self.send(follows: follows)
        self.transport.close()
        self.ending.end()
      }
      guard isStarted else {
        CrashKit.say("reports are not sent: no thread could be started")
        transport.close()
        return nil
      }
    }

    /// Waits until all reports are sent. Only for an upload that does not follow.
    func wait() { ending.wait() }

    /// Begins no more requests, and waits for the current request, at most for `limit`. Then it cancels the request.
    func stop(within limit: Duration) async {
      stopSignal.stop()
      transport.stop()
      if await ending.comes(within: limit) { return }
      transport.cancel()
      // What does not end now waits for a disk: it is left behind.
      _ = await ending.comes(within: limit)
    }

    // MARK: On the thread

    private func send(follows: Bool) {
      let surroundings = Surroundings { CrashKit.say("\($1): \($0)") }
      do throws(SendFailure) {
        let drainer = try Drainer(
          folder: directory, destination: plan.destination, transport: plan.destination.ownTransport ?? transport,
          preparation: preparation,
          surroundings: surroundings, reader: CRP_VERSION)
        // A second process that shares the folder need not say so: it sends nothing, and nothing is lost.
        guard try drainer.begin(waits: false) else { return }
        let run = SendRun([drainer], surroundings)
        if follows { try run.follow(until: stopSignal) } else { _ = try run.once() }
      } catch {
        CrashKit.say("reports are not sent: \(error.what)")
      }
    }

    /// Functions have no names here, so the build's fingerprint groups the reports.
    private var preparation: ReportPreparation {
      let (scrubs, kept) = (plan.configuration.scrubs, plan.configuration.keptKeys)
      return ReportPreparation(fingerprint: BuildFingerprint.of) { report in
        var report = report
        report.fingerprint = BuildFingerprint.of(report)
        return scrubs ? report.scrubbed(keeping: kept) : report
      }
    }
  }
#endif
