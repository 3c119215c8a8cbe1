extension CrashReport {
  /// One entry of a stack. A symbolicated report has one entry for each inlined call, all with the same address,
  /// innermost first.
  public struct Frame: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The kind of entry.
    public var kind: Kind? {
      get { self["kind"] }
      set { self["kind"] = newValue }
    }

    /// The address; a return address points after the call.
    public var address: Address? {
      get { self["address"] }
      set { self["address"] = newValue }
    }

    /// How many frames an entry of kind `omittedFrames` replaces.
    public var count: Int? {
      get { self["count"] }
      set { self["count"] = newValue }
    }

    /// Whether the frame was found by following frame pointers only.
    public var byFramePointer: Bool? {
      get { self["byFramePointer"] }
      set { self["byFramePointer"] = newValue }
    }

    /// The mangled name of the function.
    public var symbol: String? {
      get { self["symbol"] }
      set { self["symbol"] = newValue }
    }

    /// The distance in bytes from the symbol's start to the address.
    public var offset: Int? {
      get { self["offset"] }
      set { self["offset"] = newValue }
    }

    /// The readable name of the function.
    public var description: String? {
      get { self["description"] }
      set { self["description"] = newValue }
    }

    /// The name of the image that holds the address.
    public var image: String? {
      get { self["image"] }
      set { self["image"] = newValue }
    }

    /// Whether the call was inlined into the next entry's function.
    public var isInlined: Bool? {
      get { self["inlined"] }
      set { self["inlined"] = newValue }
    }

    /// Whether the function belongs to the runtime or the system.
    public var isSystem: Bool? {
      get { self["system"] }
      set { self["system"] = newValue }
    }

    /// The place of the address in the source.
    public var sourceLocation: SourceLocation? {
      get { self["sourceLocation"] }
      set { self["sourceLocation"] = newValue }
    }

    /// The kind of an entry of a stack.
    public enum Kind: String, JSONRepresentable, Sendable, CaseIterable {
      /// The instruction that was running.
      case programCounter
      /// The instruction after a call.
      case returnAddress
      /// The place where a suspended async function continues.
      case asyncResumePoint
      /// Frames that were left out; `count` says how many.
      case omittedFrames
      /// The stack could not be followed further.
      case truncated
    }
  }
}

extension CrashReport {
  /// A place in a source file.
  public struct SourceLocation: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The path of the file as the compiler saw it.
    public var file: String? {
      get { self["file"] }
      set { self["file"] = newValue }
    }

    /// The line, from 1; 0 if the compiler named none.
    public var line: Int? {
      get { self["line"] }
      set { self["line"] = newValue }
    }

    /// The column in bytes, from 1; 0 if the compiler named none.
    public var column: Int? {
      get { self["column"] }
      set { self["column"] = newValue }
    }

    /// Whether this is only the nearest known line of the same function.
    public var isApproximate: Bool? {
      get { self["approximate"] }
      set { self["approximate"] = newValue }
    }
  }
}

extension CrashReport.Frame {
  /// Whether only the image's name in the frame can identify the frame's image, because the frame's address cannot
  /// identify it.
  ///
  /// In a report that was made from a summary, every image has the base address 0. So an address in such a report
  /// identifies no image.
  ///
  /// - Parameters:
  ///   - base: The base address of the image in which the frame's address seems to be.
  ///   - count: How many images of the report have this base address.
  public func needsItsImagesName(at base: Address?, among count: Int) -> Bool {
    image == nil ? count > 1 && base == Address(0) : count > 1 || base == Address(0)
  }
}
