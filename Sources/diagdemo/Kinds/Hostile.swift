import CDiagdemoCrashes
import CrashKit

extension CrashKind {
  /// Crashes in circumstances that work against the report.
  static let hostile: [CrashKind] =
    heldLocks + exhausted + otherThreads + places + refusals + ownHandlers

  private static let heldLocks = [
    CrashKind("malloc-locked", "crash inside malloc, with its lock held") { crash_with_malloc_locked() },
    CrashKind("loader-locked", "crash while other threads are inside the loader") { crash_with_loader_locked() },
    CrashKind("stdio-locked", "crash while another thread holds stdout and stderr") { crash_with_stdio_locked() },
  ]

  private static let exhausted = [
    CrashKind("descriptors-used-up", "crash with every file descriptor in use") { crash_without_descriptors() },
    CrashKind(
      "descriptors-reopened",
      "crash after the program closed all descriptors and opened its own files with the same numbers"
    ) {
      crash_with_descriptors_reopened()
    },
    CrashKind("address-space-used-up", "crash when no memory can be mapped") { crash_without_address_space() }
      .afterLaunchWork(),
    CrashKind("disk-full", "fill the report folder's disk, which must be a small one, then crash") {
      crash_with_disk_full(reportFolder)
    },
    CrashKind("folder-removed", "remove the report folder, then crash") { crash_with_folder_removed(reportFolder) },
    CrashKind("ring-cut", "truncate the breadcrumbs' file to zero bytes, continue, then crash") {
      let count = cut_rings(reportFolder)
      CrashKit.setAttribute("kind", "ring-cut")  // the earlier ones are gone with the file
      CrashKit.record("files cut: \(count)", category: "diagdemo")
      crash_null_write()
    },
  ]

  private static let otherThreads = [
    CrashKind("unloading", "crash while another thread unloads a library") { crash_while_unloading() },
    CrashKind("bystanders-blocked", "crash while eight threads block all signals") {
      crash_beside_threads(8, true)
    },
    CrashKind("thousand-threads", "crash while a thousand threads run") { crash_beside_threads(1000, false) },
    CrashKind("vfork-wait", "crash while a thread waits uninterruptibly for the child of its vfork") {
      crash_beside_vfork()
    },
    CrashKind("main-thread-gone", "crash on a thread that outlives the main thread") { crash_without_main_thread() },
    CrashKind("threads-starting", "crash while threads start and end") { crash_while_starting_threads() },
    CrashKind("profiled", "crash while a profiler's SIGPROF interrupts busy threads") { crash_while_profiling() },
  ]

  private static let places = [
    CrashKind("forked-child", "crash in the child of a fork") {
      crash_in_forked_child {
        CrashKit.setAttribute("threads", "1")
        CrashKit.record("about to crash, as a child", category: "diagdemo")
      }
    },
    CrashKind("forking-parent", "crash in the parent of a fork") { crash_in_forking_parent() },
    CrashKind("signal-handler", "crash inside the program's handler for SIGUSR1") { crash_in_signal_handler() },
    CrashKind("coroutine", "crash on a stack that pthreads does not know") { crash_on_coroutine() },
    CrashKind("no-frame-pointers", "crash in a callback whose caller (qsort) sets no frame pointer") {
      crash_without_frame_pointers()
    },
    CrashKind("sent-from-outside", "get SIGSEGV from another process") { crash_by_other_process() },
  ]

  private static let refusals = [
    CrashKind("not-dumpable", "crash with PR_SET_DUMPABLE 0") { crash_not_dumpable() },
    CrashKind("no-readv", "crash while a filter refuses process_vm_readv") { crash_with_calls_refused(true, false) },
    CrashKind("no-ptrace", "crash while a filter refuses ptrace") { crash_with_calls_refused(false, true) },
    CrashKind("no-readv-no-ptrace", "crash while a filter refuses process_vm_readv and ptrace") {
      crash_with_calls_refused(true, true)
    },
    CrashKind(
      "container-filter",
      "crash while a filter, installed before CrashKit, refuses the system calls that container engines refuse",
      .synchronous { crash_null_write() }, preparation: { refuse_container_calls() }),
    CrashKind("folder-closed", "take away all rights to the report folder, then crash") {
      crash_with_folder_closed(reportFolder)
    },
  ]

  private static let ownHandlers = [
    ("chaining", "calls the previous action", install_chaining_handler),
    ("reraising", "raises the signal again", install_reraising_handler),
    ("exiting", "calls _exit", install_exiting_handler),
  ].flatMap { (name, what, install: @escaping @Sendable @convention(c) () -> Void) in
    [
      CrashKind(
        "\(name)-handler-before", "crash with a handler, installed before CrashKit's, that \(what)",
        .synchronous { crash_null_write() }, preparation: { install() }),
      CrashKind("\(name)-handler-after", "crash with a handler, installed after CrashKit's, that \(what)") {
        install()
        crash_null_write()
      },
    ]
  }
}
