import CrashReportModel
import TestEnvironment
import Testing

@Suite struct UserNameTests {
  /// Users of paths, each between « and ».
  private static let rows = [
    "/home/«alice»", "/home/«alice»/api", "/home/«alice»: permission denied", "open /home/«alice», then wait",
    "/home//«bob»", "/home///«bob»/x", "/home/./«bob»/x", "/Users/«Bob»/x", "/var/home/«al.ice-1»/x",
    "file:///home/«bob»/x",
    "path=/home/«bob»", "(/home/«bob»)", "\"/home/«bob»\"", "home/«bob»/x", "at /home/«bob».", "/home/«jürgen»/x",
    "/home/«a»:/home/«b»/bin:/usr/bin", "\\/home\\/«bob»\\/x", "C:\\Users\\«bob»\\x", "/home/«al%20ice»/x",
    "wellhome/x", "/wellhome/x", "/home", "/home/", "/home/ is full", "/my-home/x", "/my.home/x", "/homes/x",
    "/home2/«bob»/x", "/home2/«bob»", "/home10/«bob»/x", "/home1234/x", "myhome2/x", "/export/home/«bob»/x",
    "/nfs/home/«bob»",
    "/mnt/c/Users/«bob»/x", "/home/students/«alice»/x", "/home/staff/«bob»", "/home/students/«al»: denied",
    "/home/«students»",
    "/Users/«Alice Smithson»/x", "\"/Users/«Alice Smithson»\"", "'/Users/«Ann Mary Lee»'",
    "/Users/«bob» and /Users/«al»",
    "/Users/«bob» Reads it", "C:\\Users\\«Alice Smithson»\\x", "C:\\Documents and Settings\\«bob»\\x",
    "C:\\Documents and Settings\\«Alice Smithson»\\x", "/media/«bob»/usb", "/run/media/«bob»/usb",
    "open /media/«bob»/usb",
    "/media/cdrom", "/srv/media/img/x", "media/img/x", "https://h/media/img/x", "/run/user/1000/bus", "~«bob»/x",
    "cd ~«al.ice-1»/x", "http://h/~«bob»/x", "~/x", "~bob", "a~b/c", "~1/x", "~ /x",
    "/homes/«bob»/x", "/nfs/homes/«bob»/x", "/homes/bob", "/u/«bob»/x", "open /u/«al.ice-1»/x", "/u/bob", "/u/1/x",
    "/u/apps/x",
    "https://h/u/bob/x", "/srv/u/bob/x", "/var/mail/«bob»", "/var/mail/«bob»: denied", "/var/spool/mail/«bob»",
    "/var/spool/cron/crontabs/«bob»", "/var/spool/cron/crontabs", "/var/spool/cron/x", "/tmp/hsperfdata_«bob»/123",
    "hsperfdata_«bob»", "hsperfdata_", "/x/myhsperfdata_bob", "path=%2Fhome%2F«alice»", "%2fhome%2f«bob»%2Fx",
    "file%3A%2F%2F%2FUsers%2F«bob»%2Fx", "%2Fhome%2F", "%2Fhomes%2Fbob", "%2Fsrv%2Fx",
    "/srv/var/mail/x", "/var/mailman/x", "/var/mail", "u/bob/x", "ubuntu/x/y", "/usr/bin/x",
    "no home\\nand more", "/usr/Usersguide/x", "/home/../etc", "/home/: denied", "/home/[user]/x", "home", "Users", "",
  ]

  @Test(arguments: rows) func users(_ row: String) {
    let text = row.replacing("«", with: "").replacing("»", with: "")
    let scrubbed = row.replacing(/«[^»]*»/, with: "[user]")
    #expect(text.withUsersScrubbed == scrubbed)
    #expect(scrubbed.withUsersScrubbed == scrubbed, "a second time")
  }

  /// A report is hostile: four times the text takes four times as long, and not sixteen times.
  @Test(arguments: [
    "/home/", "/home/.", "/home//", "home", "/home/..", "/home/./", "/home/a/", "/Users/a B ", "/media/", "~a", "~",
    "/homes/a", "/u/a", "/u/", "/var/mail/",
    "%2Fhome%2F", "%2Fhome", "%2Fhome%2Fa", "hsperfdata_", "hsperfdata_a", "/home1",
  ])
  func timeIsLinear(_ piece: String) {
    func time(_ size: Int) -> UInt64 {
      let text = String(repeating: piece, count: size / piece.utf8.count)
      return (0..<5).map { _ in
        let start = thread_time_ns()
        _ = text.withUsersScrubbed
        return thread_time_ns() - start
      }.min()!
    }
    #expect(time(64 << 10) < max(time(16 << 10), 1_000_000) * 9)
  }
}
