#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Writes `text` to standard error without a buffer in between: what follows may be the program's death.
func printToStandardError(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
