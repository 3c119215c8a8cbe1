#if Desk
  import CrashReportModel
  import DeskStore
  import Glibc
  import LinuxCalls

  /// `POST /api/symbols`: takes an ELF file with debug information or symbols.
  struct SymbolIntake: Sendable {
    let symbols: DeskSymbols
    let late: LateSymbols
    let queue: WorkQueue
    /// Bytes of a file.
    let limit: Int

    /// - Throws: ``Refusal``, or the error of the store.
    func answer(to request: DeskRequest) async throws -> DeskAnswer {
      // A form of another site's page cannot have this type without asking first.
      guard request.contentType == "application/octet-stream" else {
        throw Refusal(.wrongType, "Content-Type must be application/octet-stream")
      }
      guard ["identity", nil].contains(request.headers[.contentEncoding]?.lowercased()) else {
        throw Refusal(.wrongType, "a file of symbols must be sent unchanged, without Content-Encoding")
      }
      let (path, descriptor) = try symbols.newFile()
      defer {
        close(descriptor)
        _ = unlink(path)
      }
      try await request.save(limit) { bytes in
        guard DurableFile.fill(descriptor, bytes) else { throw StoreError(path, errorText(errno)) }
      }
      let filed = try await queue.run { [symbols] in try symbols.file(path) }
      if !filed.isKnown { try await queue.run { [late] in try late.add(filed.buildID) } }
      var object = JSONObject()
      object["status"] = (filed.isKnown ? "known" : "new").json
      object["buildId"] = filed.buildID.json
      return DeskAnswer(filed.isKnown ? .ok : .accepted, "application/json", object.json.utf8 + [0x0A])
    }
  }
#endif
