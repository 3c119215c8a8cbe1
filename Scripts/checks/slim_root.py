"""A container as slim and as closed as they come, for a row of the matrix of deaths to die in.

Its root is made by debootstrap once and kept under the temporary folder. The program is PID 1 there, of a user without
a name, with no HOME, no temporary folder, nothing that can be written to, and no libunwind.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import places_to_die

building = threading.Lock()

# $1 is the root, $2 the folder with the program and its libraries; the rest is the command, inside.
FURNISH = """
root=$1 program=$2; shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$program" "$root/opt"
mount -t proc proc "$root/proc"
mount -o remount,ro,bind "$root/opt"
mount -o remount,ro,bind "$root"
cd /
exec env -i PATH=/usr/sbin:/usr/bin CRASHKIT_DIRECTORY="$CRASHKIT_DIRECTORY" SWIFT_BACKTRACE="$SWIFT_BACKTRACE" LD_LIBRARY_PATH=/opt \
  chroot "$root" setpriv --reuid 54321 --regid 54321 --clear-groups "$@"
"""


class SlimRoot(places_to_die.Place):
    def __init__(self, products, own):
        super().__init__(products, own)
        self.folder = own / "program"
        self.program = "/opt/diagdemo"
        self.symbols = self.folder
        self.root = pathlib.Path(tempfile.gettempdir(), f"crashkit-slim-root-{os.geteuid()}")

    def missing(self):
        if os.geteuid() != 0:
            return "needs root"
        if shutil.which("debootstrap") is None:
            return "debootstrap is missing"
        with building:
            return None if self.root.is_dir() and self.root.stat().st_uid == 0 else self.build()

    def build(self):
        """Makes the root; why it could not, where it could not."""
        made = pathlib.Path(tempfile.mkdtemp(prefix="crashkit-slim-root-"))
        release = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.MULTILINE)
        command = ["debootstrap", "--variant=minbase", release[1] if release else "stable", made]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode:
            shutil.rmtree(made)
            return f"debootstrap failed: {' '.join(ended.stdout.split())[-200:]}"
        for folder in ["tmp", "var/tmp", "run", "dev/shm"]:
            shutil.rmtree(made / folder, ignore_errors=True)
        made.chmod(0o755)
        made.rename(self.root)

    def prepare(self, reports):
        if self.folder.exists():
            return
        self.folder.mkdir(parents=True)
        shutil.copy(self.products / "diagdemo", self.folder)
        linked = subprocess.run(["ldd", self.products / "diagdemo"], check=True, capture_output=True, text=True)
        for library in re.findall(r"=> (/\S+)", linked.stdout):
            # The root's own libraries are what it would be linked with there.
            if not any((self.root / folder / pathlib.Path(library).name).exists()
                       for folder in ["lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"]):
                shutil.copy(library, self.folder)

    def launcher(self, reports):
        namespaces = ["unshare", "--mount", "--pid", "--fork", "--uts", "--ipc", "--net"]
        return places_to_die.alone_with_its_core(namespaces) + ["sh", "-ec", FURNISH, "sh", self.root, self.folder]
