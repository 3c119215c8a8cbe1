import CaptureRequests
import CoreFiles
import Glibc

/// Looks at a running process from outside, without help from the process.
public enum OutsideLook {
  /// Stops all threads of a process, copies the data for a report, and resumes the threads.
  ///
  /// - Throws: `CaptureFailure`. Its status is 66 if there is no such process; 65 if the id belongs to a thread, or if
  ///   the process belongs to the kernel, has ended, or runs a 32-bit or foreign program; 77 if this user may not look
  ///   at the process.
  public static func copy(of process: pid_t) throws(CaptureFailure) -> ProcessCopy {
    let work = Work(process)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        let work = Unmanaged<Work>.fromOpaque(argument!).takeUnretainedValue()
        work.run()
        return nil
      }, Unmanaged.passUnretained(work).toOpaque())
    guard code == 0 else { throw .system("cannot be stopped", code) }
    // Threads that did not stop are let go by the kernel as that one ends.
    pthread_join(thread, nil)
    guard let result = work.result else { throw .failed("was not read") }
    return try result.get()
  }

  private final class Work {
    let process: pid_t
    var result: Result<ProcessCopy, CaptureFailure>?

    init(_ process: pid_t) { self.process = process }

    func run() {
      do throws(CaptureFailure) {
        result = .success(try ProcessLook(process).copy())
      } catch {
        result = .failure(error)
      }
    }
  }
}
