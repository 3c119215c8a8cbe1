import CCrashCapture
import CProcessHooks
import Foundation

struct Crumb: Hashable {
  var message: String
  var category: String
  var level: UInt8
  var thread: UInt32
  var isCut: Bool
  var attributes: [String: String]
}

/// The bytes of a region's file, at the very end of accessible memory when `guarded`: one byte too far traps.
final class RegionBytes {
  private let mapping: UnsafeMutableRawPointer
  private let mappingSize: Int
  let base: UnsafeMutableRawPointer
  let count: Int

  init(_ data: some Collection<UInt8>) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    count = data.count
    let body = (count + page - 1) / page * page
    mappingSize = body + page
    mapping = mmap(nil, mappingSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    mprotect(mapping + body, page, PROT_NONE)
    // As near to the guard page as the alignment that readers ask for allows.
    base = mapping + (body - count) / 8 * 8
    UnsafeMutableRawBufferPointer(start: base, count: count).copyBytes(from: data)
  }

  deinit { munmap(mapping, mappingSize) }

  /// What the first bytes hold, or nil when they are no region.
  func contents(first: Int? = nil) -> RegionContents? {
    withExtendedLifetime(self) {
      var view = ck_region_view()
      return ck_region_view_bytes(&view, base, first ?? count) ? RegionContents(&view) : nil
    }
  }
}

/// Everything that a region tells.
struct RegionContents {
  var header: ck_region_view
  var crumbs: [Crumb] = []
  var omitted: UInt64 = 0
  var attributes: [String: String] = [:]
  var metrics: [String: cph_metric] = [:]

  /// This process's own.
  static func own() -> RegionContents? {
    var view = ck_region_view()
    return ck_region_view_self(&view) ? RegionContents(&view) : nil
  }

  fileprivate init(_ view: inout ck_region_view) {
    header = view
    withUnsafeTemporaryAllocation(of: ck_ring_reader.self, capacity: 1) { reader in
      var crumb = ck_breadcrumb()
      ck_ring_reader_init(reader.baseAddress!, &view)
      while ck_ring_next(reader.baseAddress!, &crumb) { crumbs.append(Crumb(&crumb)) }
      omitted = ck_ring_omitted(reader.baseAddress!)
    }
    var attribute = ck_attribute()
    for slot in 0..<Int32(CK_ATTRIBUTE_SLOTS) where ck_attribute_read(&view, slot, &attribute) {
      let key = RegionContents.text(of: attribute.key, Int(attribute.key_length))
      attributes[key] = RegionContents.text(of: attribute.value, Int(attribute.value_length))
    }
    var metric = cph_metric()
    for slot in 0..<Int32(CPH_METRIC_SLOTS) where ck_metric_read(&view, slot, &metric) {
      metrics[RegionContents.text(of: metric.name, Int(metric.name_length))] = metric
    }
  }

  /// The first bytes of a C array as text.
  static func text<Bytes>(of bytes: Bytes, _ count: Int) -> String {
    withUnsafeBytes(of: bytes) { String(decoding: $0.prefix(count), as: UTF8.self) }
  }
}

extension Crumb {
  init(_ crumb: inout ck_breadcrumb) {
    message = Crumb.text(crumb.message, Int(crumb.message_length))
    category = Crumb.text(crumb.category, Int(crumb.category_length))
    level = crumb.level.rawValue
    thread = crumb.thread
    isCut = crumb.is_cut
    attributes = [:]
    var offset = 0
    var key = ck_slice()
    var value = ck_slice()
    while ck_breadcrumb_attribute(&crumb, &offset, &key, &value) {
      attributes[Crumb.text(key.bytes, key.length)] = Crumb.text(value.bytes, value.length)
    }
  }

  static func text(_ bytes: UnsafePointer<CChar>, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
