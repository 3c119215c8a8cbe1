extension CrashReport {
  /// Where three addresses of a crash are in the memory map: the fault address, the program counter and the stack
  /// pointer.
  public struct Fault: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The fault address, the program counter and the stack pointer.
    public var places: [Place]? {
      get { self["places"] }
      set { self["places"] = newValue }
    }

    /// The mapping of the crashed thread's normal stack. It is present only if the stack pointer is outside of three
    /// stacks: this one, the main thread's stack, and the thread's alternate signal stack. The stack pointer of a
    /// coroutine is also outside of them, because a coroutine has its own stack.
    public var leftStack: Mapping? {
      get { self["leftStack"] }
      set { self["leftStack"] = newValue }
    }

    /// The pointer near zero that caused the fault; only in symbolicated reports.
    public var pointer: Pointer? {
      get { self["pointer"] }
      set { self["pointer"] = newValue }
    }
  }
}

extension CrashReport.Fault {
  /// A pointer near zero.
  public struct Pointer: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The register from which the instruction read the pointer.
    public var register: String? {
      get { self["register"] }
      set { self["register"] = newValue }
    }

    /// The pointer's value; absent if it is not known.
    public var value: Address? {
      get { self["value"] }
      set { self["value"] = newValue }
    }

    /// The distance in bytes from the pointer's value to the accessed address; absent if this is not known.
    public var offset: Int? {
      get { self["offset"] }
      set { self["offset"] = newValue }
    }

    /// The pointer's name in the source, such as `order` or `order.customer`.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The type to which it points.
    public var type: String? {
      get { self["type"] }
      set { self["type"] = newValue }
    }

    /// The member at the offset, such as `items.count`.
    public var member: String? {
      get { self["member"] }
      set { self["member"] = newValue }
    }
  }
}

extension CrashReport.Fault {
  /// An address of the crash, and the mapping there.
  public struct Place: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Which address it is: `faultAddress`, `programCounter` or `stackPointer`.
    public var of: String? {
      get { self["of"] }
      set { self["of"] = newValue }
    }

    /// The address.
    public var address: Address? {
      get { self["address"] }
      set { self["address"] = newValue }
    }

    /// The mapping at the address, if there is one.
    public var mapping: CrashReport.Mapping? {
      get { self["mapping"] }
      set { self["mapping"] = newValue }
    }

    /// The next mapping at lower addresses, if there is no mapping at the address.
    public var below: CrashReport.Mapping? {
      get { self["below"] }
      set { self["below"] = newValue }
    }

    /// The next mapping at higher addresses, if there is no mapping at the address.
    public var above: CrashReport.Mapping? {
      get { self["above"] }
      set { self["above"] = newValue }
    }
  }
}

extension CrashReport {
  /// An area of the process's memory, from one line of its memory map.
  public struct Mapping: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Its first byte.
    public var start: Address? {
      get { self["start"] }
      set { self["start"] = newValue }
    }

    /// The address after its last byte.
    public var end: Address? {
      get { self["end"] }
      set { self["end"] = newValue }
    }

    /// Its permissions in the kernel's form, such as `r-xp`.
    public var permissions: String? {
      get { self["permissions"] }
      set { self["permissions"] = newValue }
    }

    /// The path of the file that is mapped here, or the kernel's name for this memory, such as `[heap]`; absent if there
    /// is neither.
    public var path: String? {
      get { self["path"] }
      set { self["path"] = newValue }
    }
  }
}
