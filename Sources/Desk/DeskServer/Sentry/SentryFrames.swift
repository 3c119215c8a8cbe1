#if Desk
  import CrashReportModel

  /// The stacks and images of an event of Sentry's protocol.
  struct SentryFrames {
    private static let mostFrames = 2000
    private static let mostImages = 5000

    /// As Swift names it.
    let architecture: String?
    let images: [CrashReport.Image]?

    init(_ event: JSONObject) {
      let meta = event["debug_meta"].flatMap(JSONObject.init(json:))
      let listed = meta?["images"].flatMap([JSONObject].init(json:))?.prefix(Self.mostImages) ?? []
      let images = listed.compactMap(Self.image)
      self.images = images.isEmpty ? nil : images
      architecture = listed.lazy.compactMap { SentryReport.text($0["arch"]) }.first.map {
        $0 == "amd64" ? "x86_64" : $0
      }
    }

    private static func image(_ object: JSONObject) -> CrashReport.Image? {
      guard let base = address(object["image_addr"]) else { return nil }
      var image = CrashReport.Image()
      image.path = SentryReport.text(object["code_file"])
      image.name = image.path.map(fileName) ?? "?"
      image.buildID = SentryReport.text(object["code_id"]).flatMap(buildID)
      image.baseAddress = base
      if let size = object["image_size"].flatMap(Int.init(json:)), size > 0 {
        image.endOfText = Address(base.value &+ UInt64(size))
      }
      return image
    }

    private static func buildID(_ text: String) -> String? {
      let digits = text.lowercased()
      return (4...64).contains(digits.utf8.count) && digits.allSatisfy(\.isHexDigit) ? digits : nil
    }

    // MARK: Frames

    /// The stack, innermost entry first; `nil` if there is no stack. Sentry has the innermost last.
    func frames(_ stack: JSONValue?) -> [CrashReport.Frame]? {
      guard let stack = stack.flatMap(JSONObject.init(json:)),
        let listed = stack["frames"].flatMap([JSONObject].init(json:)), !listed.isEmpty
      else { return nil }
      let adjustment = SentryReport.text(stack["instruction_addr_adjustment"]) ?? "auto"
      return listed.suffix(Self.mostFrames).reversed().enumerated().map { index, object in
        frame(object, isReturnAddress: adjustment == "all" || (index > 0 && adjustment != "none"))
      }
    }

    private func frame(_ object: JSONObject, isReturnAddress: Bool) -> CrashReport.Frame {
      var frame = CrashReport.Frame()
      frame.kind = isReturnAddress ? .returnAddress : .programCounter
      // What counts from the start of an image is no address of the process.
      let mode = SentryReport.text(object["addr_mode"])
      if mode == nil || mode == "abs" { frame.address = Self.address(object["instruction_addr"]) }
      let function = SentryReport.text(object["function"])
      frame.symbol = SentryReport.text(object["raw_function"]) ?? function
      frame.description = function ?? frame.symbol
      frame.image = SentryReport.text(object["package"]).map(Self.fileName)
      if object["in_app"].flatMap(Bool.init(json:)) == false { frame.isSystem = true }
      if let file = SentryReport.text(object["abs_path"]) ?? SentryReport.text(object["filename"]) {
        var place = CrashReport.SourceLocation()
        place.file = file
        place.line = object["lineno"].flatMap(Int.init(json:)) ?? 0
        place.column = object["colno"].flatMap(Int.init(json:)) ?? 0
        frame.sourceLocation = place
      }
      return frame
    }

    /// `0x…`, or a number.
    private static func address(_ value: JSONValue?) -> Address? {
      guard let value else { return nil }
      if let address = Address(json: value) { return address }
      guard let number = Int(json: value), number >= 0 else { return nil }
      return Address(UInt64(number))
    }

    private static func fileName(_ path: String) -> String {
      path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? path
    }
  }
#endif
