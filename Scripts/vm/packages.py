"""Packages of Debian, fetched by an apt with folders of its own: the machine's apt and dpkg stay as they are."""

import pathlib
import subprocess

import failures

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def mirror():
    """Where this machine's apt gets Debian from."""
    try:
        said = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"],
                              capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        raise failures.Unavailable("there is no apt-get: the machine is made of Debian's packages") from None
    found = [line for line in said.split() if line.endswith("/debian/")]
    if not found:
        raise failures.Unavailable("apt's sources name no mirror of Debian")
    return found[0]


class Apt:
    """An apt for one release and one processor. It takes for installed what `status` lists, or nothing."""

    def __init__(self, folder, source, release, architecture, status=None):
        self.folder = folder
        for name in ("lists/partial", "archives/partial", "etc/apt.conf.d", "etc/preferences.d",
                     "etc/sources.list.d", "state"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        if status is None:
            status = folder / "status"
            status.write_text("")
        (folder / "etc/sources.list").write_text(f"deb [signed-by={KEYRING}] {source} {release} main\n")
        settings = {
            "APT::Architecture": architecture, "APT::Architectures::": architecture,
            "APT::Install-Recommends": "false", "APT::Sandbox::User": "root", "Acquire::Languages": "none",
            "Dir::Etc": folder / "etc", "Dir::Etc::sourcelist": folder / "etc/sources.list",
            "Dir::State": folder / "state", "Dir::State::lists": folder / "lists", "Dir::State::status": status,
            "Dir::Cache": folder, "Dir::Cache::archives": folder / "archives",
        }
        self.settings = folder / "apt.conf"
        self.settings.write_text("#clear APT::Architectures;\n"
                                 + "".join(f'{name} "{value}";\n' for name, value in settings.items()))
        self.run("apt-get", "-qq", "update")

    def run(self, *command, folder=None):
        environment = {"APT_CONFIG": str(self.settings), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
        ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            reason = (ended.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise failures.Unavailable(f"{' '.join(command[:3])}: {reason}")
        return ended.stdout

    def depends(self, package):
        """The first package that a package depends on: what a name without a version stands for."""
        found = [line.split(": ")[1] for line in self.run("apt-cache", "depends", package).splitlines()
                 if "Depends: " in line]
        if not found:
            raise failures.Unavailable(f"{package} depends on no package")
        return found

    def unpack(self, packages, root):
        """Downloads packages with all that they depend on, and unpacks them below `root`; runs none of their scripts."""
        self.run("apt-get", "-qq", "-y", "-d", "install", *packages)
        for package in sorted((self.folder / "archives").glob("*.deb")):
            unpack(package, root)

    def unpack_alone(self, package, root, only=()):
        """The same without what it depends on; of its files only those that match a pattern, if there are patterns."""
        self.run("apt-get", "-qq", "download", package, folder=self.folder)
        unpack(next(self.folder.glob(f"{package}_*.deb")), root, only)


def unpack(package, root, only=()):
    pathlib.Path(root).mkdir(parents=True, exist_ok=True)
    reader = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE)
    # A package may still have its files in /lib, which is a link in the root.
    writer = subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", str(root), "--wildcards", *only],
                            stdin=reader.stdout, check=False)
    reader.stdout.close()
    if reader.wait() != 0 or writer.returncode != 0:
        raise failures.Unavailable(f"{package.name} cannot be unpacked")
