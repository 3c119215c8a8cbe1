import CLibdw

/// What debug information says of types: what a pointer points to, and what lies where in it.
struct TypeMembers {
  /// The way from a type to something inside it, and the type of that.
  struct Path {
    /// `items.count`, `[3].x`; empty for the whole.
    var text: String
    /// Nil if it is not known.
    var type: Entry?
  }

  let budget: EntryBudget

  // MARK: - Types

  /// The type without the names and qualifiers around it.
  func stripped(_ type: Entry) -> Entry? {
    var current = type
    for _ in 0..<Limits.typeHops {
      switch current.tag {
      case DW_TAG_typedef, DW_TAG_const_type, DW_TAG_volatile_type, DW_TAG_restrict_type, DW_TAG_atomic_type:
        guard let next = current.target(of: current.type, budget) else { return nil }
        current = next
      default: return current
      }
    }
    return nil
  }

  /// What values of a type point to: nil if they are no pointers, an entry of nil if it is not known what is there.
  func pointee(_ type: Entry) -> Entry?? {
    guard let type = stripped(type) else { return nil }
    switch type.tag {
    case DW_TAG_pointer_type, DW_TAG_reference_type, DW_TAG_rvalue_reference_type:
      return .some(type.target(of: type.type, budget))
    case DW_TAG_structure_type where type.unit.isSwift: return swiftPointee(type)
    default: return nil
    }
  }

  /// A value of a Swift class is a pointer to an object of it. Of optional ones no more is known than that they are
  /// pointers, and of unsafe pointers which type they point to.
  private func swiftPointee(_ type: Entry) -> Entry?? {
    let type = soleMember(of: type) ?? type
    guard let name = type.unit.string(type.linkageName) ?? type.unit.string(type.name), name.hasPrefix("$s") else {
      return nil
    }
    if name.hasSuffix("CD") { return .some(type) }
    if name.hasSuffix("CSgD") { return .some(nil) }
    guard ["$sSP", "$sSp", "$sSV", "$sSv"].contains(where: { name.hasPrefix($0) }) else { return nil }
    guard name.hasSuffix("GD") else { return .some(nil) }
    var arguments: [Entry] = []
    type.forEachChild(budget) { if $0.tag == DW_TAG_template_type_parameter { arguments.append($0) } }
    return .some(arguments.count == 1 ? arguments[0].target(of: arguments[0].type, budget) : nil)
  }

  /// What is in a struct without a name, which Swift writes around types with generic arguments.
  private func soleMember(of type: Entry) -> Entry? {
    guard type.unit.string(type.name) == nil else { return nil }
    let parts = parts(of: type)
    return parts.count == 1 && parts[0].start == 0 ? parts[0].type : nil
  }

  /// How a type is called in the source; nil for one without a name.
  func name(_ type: Entry) -> String? {
    var current = type
    var suffix = ""
    for _ in 0..<Limits.typeHops {
      if let name = current.unit.string(current.name), !name.isEmpty { return name + suffix }
      switch current.tag {
      case DW_TAG_pointer_type: suffix = suffix.isEmpty ? " *" : " *" + suffix.dropFirst()
      case DW_TAG_const_type, DW_TAG_volatile_type, DW_TAG_restrict_type, DW_TAG_atomic_type: break
      default: return nil
      }
      guard let next = current.target(of: current.type, budget) else { return nil }
      current = next
    }
    return nil
  }

  func size(_ type: Entry) -> UInt64? {
    guard let type = stripped(type) else { return nil }
    switch type.tag {
    case DW_TAG_pointer_type, DW_TAG_reference_type, DW_TAG_rvalue_reference_type:
      return type.byteSize ?? UInt64(type.unit.encoding.addressSize)
    case DW_TAG_array_type:
      if let size = type.byteSize { return size }
      guard let (element, count) = array(type), let count, let size = elementSize(element) else { return nil }
      let (product, isTooLarge) = size.multipliedReportingOverflow(by: count)
      return isTooLarge ? nil : product
    default: return type.byteSize
    }
  }

  /// Arrays in arrays are written as such or, in C, with several bounds. Of the latter nothing is said.
  private func elementSize(_ element: Entry) -> UInt64? {
    guard let element = stripped(element) else { return nil }
    return element.tag == DW_TAG_array_type ? element.byteSize : size(element)
  }

  /// The element type of an array with one bound, and how many elements it has if that is known.
  private func array(_ type: Entry) -> (element: Entry, count: UInt64?)? {
    guard let element = type.target(of: type.type, budget) else { return nil }
    var bounds: [Entry] = []
    type.forEachChild(budget) { if $0.tag == DW_TAG_subrange_type { bounds.append($0) } }
    guard bounds.count == 1 else { return nil }
    return (element, bounds[0].count ?? bounds[0].upperBound.map { $0 &+ 1 })
  }

  // MARK: - Members

  /// What begins at an offset of a value of a type: the innermost part that has a name of its own. Nil if nothing begins
  /// there, or more than one thing does.
  func path(in type: Entry, at offset: UInt64) -> Path? {
    var path = Path(text: "", type: type)
    var offset = offset
    for _ in 0..<Limits.typeHops {
      guard let whole = path.type.flatMap(stripped) else { return offset == 0 ? path : nil }
      let inner: (path: Path, offset: UInt64)?
      switch whole.tag {
      case DW_TAG_structure_type, DW_TAG_class_type: inner = member(of: whole, at: offset)
      case DW_TAG_array_type: inner = element(of: whole, at: offset)
      default: inner = nil
      }
      guard let inner else {
        let isWhole = offset == 0 && (!path.text.isEmpty || !hasMembers(whole))
        return isWhole ? path : nil
      }
      path = Path(text: Self.join(path.text, inner.path.text), type: inner.path.type)
      offset = inner.offset
    }
    return nil
  }

  /// The path to what a pointer leads to, if it may point to the first of several.
  func path(behind pointee: Entry, at offset: UInt64) -> Path? {
    if let path = path(in: pointee, at: offset) { return path }
    // An object of a Swift class is not as large as its type says, which is the size of a pointer to it.
    guard !pointee.unit.isSwift, let size = size(pointee), size > 0, offset >= size,
      let inner = path(in: pointee, at: offset % size)
    else { return nil }
    return Path(text: Self.join("[\(offset / size)]", inner.text), type: inner.type)
  }

  static func join(_ outer: String, _ inner: String) -> String {
    outer.isEmpty || inner.isEmpty || inner.hasPrefix("[") ? outer + inner : "\(outer).\(inner)"
  }

  private func hasMembers(_ type: Entry) -> Bool {
    [DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_union_type, DW_TAG_array_type].contains(type.tag)
  }

  /// The one member or base class that an offset lies in, and how far in.
  private func member(of type: Entry, at offset: UInt64) -> (path: Path, offset: UInt64)? {
    let found = parts(of: type).filter { part in
      part.start <= offset
        && (part.type.map { occupies($0, offset - part.start) } ?? (offset - part.start < part.bytes))
    }
    guard found.count == 1, let type = found[0].type else { return nil }
    return (Path(text: found[0].name, type: type), offset - found[0].start)
  }

  /// A member or a base class. The type of bits is nil: they have no place of their own.
  private typealias Part = (name: String, start: UInt64, type: Entry?, bytes: UInt64)

  private func parts(of type: Entry) -> [Part] {
    var parts: [Part] = []
    type.forEachChild(budget) { child in
      guard child.tag == DW_TAG_member || child.tag == DW_TAG_inheritance, !child.isExternal, !child.isDeclaration
      else { return }
      if let bits = child.bits { return parts.append(("", bits.start, nil, bits.count)) }
      guard let start = child.memberLocation, let type = child.target(of: child.type, budget) else { return }
      parts.append((child.tag == DW_TAG_member ? child.unit.string(child.name) ?? "" : "", start, type, 0))
    }
    return parts
  }

  /// Whether a value that begins with offset 0 has something of its own at an offset. The members of the class around it
  /// may lie where a base class has nothing; the last member may be an array without end.
  private func occupies(_ type: Entry, _ offset: UInt64, hops: Int = 0) -> Bool {
    guard hops < Limits.typeHops, let type = stripped(type) else { return false }
    switch type.tag {
    case DW_TAG_structure_type, DW_TAG_class_type:
      return parts(of: type).contains { part in
        guard part.start <= offset else { return false }
        return part.type.map { occupies($0, offset - part.start, hops: hops + 1) } ?? (offset - part.start < part.bytes)
      }
    case DW_TAG_array_type:
      guard let size = size(type), size > 0 else { return array(type).map { ($0.count ?? 0) == 0 } ?? false }
      return offset < size
    default: return size(type).map { offset < $0 } ?? false
    }
  }

  private func element(of type: Entry, at offset: UInt64) -> (path: Path, offset: UInt64)? {
    guard let (element, count) = array(type), let size = elementSize(element), size > 0 else { return nil }
    let index = offset / size
    guard count.map({ $0 == 0 || index < $0 }) ?? true else { return nil }
    return (Path(text: "[\(index)]", type: element), offset % size)
  }
}

extension Unit {
  var isSwift: Bool { language == UInt64(DW_LANG_Swift) }
}
