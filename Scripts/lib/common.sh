# Sourced by the scripts of this folder: where the package is, and what it needs on the machine.
# shellcheck shell=bash

# Exit statuses, as in sysexits.h where it has one.
readonly EX_FAILED=1 EX_USAGE=64 EX_UNAVAILABLE=69

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root

# SwiftPM writes the traits into each command line in the order of a set. Without this the order differs from one plan
# to the next, and swift build after swift test compiles everything again.
export SWIFT_DETERMINISTIC_HASHING=1

say() { printf '%s\n' "$@" >&2; }

# Says why the script cannot go on, and ends it: fail STATUS LINE…
fail() {
  local status=$1
  shift
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  shift
  for line in "$@"; do say "$line"; done
  exit "$status"
}

# Swift is too large, and too much the user's choice, to be installed in passing.
need_swift() {
  command -v swift >/dev/null && return
  fail $EX_UNAVAILABLE "Swift is missing: there is no 'swift' on PATH." \
    "Install Swift 6.2 or later for Linux as https://www.swift.org/install/linux describes," \
    "put its usr/bin on PATH, and run this again. What was tried is Swift 6.3.1 on Debian 12."
}

# Those of the named Debian packages that are not installed. dpkg reads all that it knows at each start: once is enough.
missing_packages() {
  local known package
  # It fails if it does not know one of them: a script with errexit would end here, and nothing would be missing.
  known=" $(dpkg-query -W -f='${Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)"
  for package; do [[ $known == *" $package=installed "* ]] || printf '%s\n' "$package"; done
}

# Installs those of the named Debian packages that are missing. Without any missing it needs no network.
need_packages() {
  local missing=() sudo=()
  command -v dpkg-query >/dev/null ||
    fail $EX_UNAVAILABLE "this is no Debian: install the equivalents of these packages by hand:" "  $*"
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail $EX_UNAVAILABLE "these packages are missing, and there is no sudo to install them; as root, run:" \
        "  apt-get install ${missing[*]}"
    sudo=(sudo)
  fi
  say "installing ${missing[*]}"
  # The lists of a fresh machine are empty or old: fetch them first, but let a mirror that fails here fail below.
  "${sudo[@]}" apt-get update -q >&2 || true
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 ||
    fail $EX_UNAVAILABLE "these packages could not be installed: ${missing[*]}" \
      "Install them by hand (apt-get install ${missing[*]}) and run this again."
}

# A Python that has the jsonschema package; Debian's own where the first one on PATH has none.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import jsonschema' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

need_python() {
  find_python >/dev/null || need_packages python3 python3-jsonschema
  python=$(find_python) || fail $EX_UNAVAILABLE "no Python 3 here has the package jsonschema"
  export CRASHKIT_TEST_PYTHON=$python
}

# What the package needs to be built, beside Swift: headers of elfutils, of two libraries that decompress (liblzma's
# come with libdw-dev) and of libunwind, and a C++ standard library.
need_build_packages() { need_packages g++ libdw-dev libzstd-dev libunwind-dev libunwind8 "$@"; }
