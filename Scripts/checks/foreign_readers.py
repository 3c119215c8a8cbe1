"""What checks by other people's readers share: the readers from PyPI, and reports in which every text is hostile."""

import subprocess
import sys
import venv

# Texts that crashsym compares with words of its own: with others a part would not be shown at all.
KEPT_KEYS = {"schema", "kind", "timestamp", "time", "state", "address", "faultAddress", "baseAddress", "endOfText", "subject",
             "severity"}


def install(folder, packages, alone=()):
    """Installs packages, some of them alone, without what they need, and makes them importable.

    Returns why that failed, or None.
    """
    marker = folder / "installed"
    wanted = "\n".join([*packages, *alone])
    if not marker.exists() or marker.read_text() != wanted:
        venv.create(folder, with_pip=True, clear=True)
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check", "-q"]
        for words in [packages, *(["--no-deps", package] for package in alone)]:
            done = subprocess.run([*pip, *words], capture_output=True, text=True)
            if done.returncode:
                return "PyPI cannot be reached" if "onnect" in done.stderr else done.stderr.strip().splitlines()[-1]
        marker.write_text(wanted)
    sys.path.insert(0, str(next((folder / "lib").glob("python*/site-packages"))))
    return None


def hostile(value, text, kept_keys=frozenset(KEPT_KEYS), key=None):
    """A report with this text in place of each of its own, but for those of some keys."""
    if isinstance(value, dict):
        return {name: hostile(member, text, kept_keys, name) for name, member in value.items()}
    if isinstance(value, list):
        return [hostile(member, text, kept_keys, key) for member in value]
    return text if isinstance(value, str) and key not in kept_keys else value
