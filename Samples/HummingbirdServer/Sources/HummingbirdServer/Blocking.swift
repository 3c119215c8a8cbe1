#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Blocks the calling thread in the kernel, as a synchronous database driver does.
func block(milliseconds: Int) {
  _ = poll(nil, 0, Int32(clamping: milliseconds))
}

/// What was printed becomes visible to whoever waits for it, also where standard output is a pipe.
func flushStandardOutput() {
  fflush(nil)
}
