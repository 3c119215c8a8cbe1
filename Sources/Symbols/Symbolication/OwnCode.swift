import CReportTerms

extension term_own {
  /// The names of this kind in `own_code.def`.
  var names: [String] {
    (0...).lazy.map { term_own_name(self, $0) }.prefix { $0 != nil }.compactMap { $0.map { String(cString: $0) } }
  }
}
