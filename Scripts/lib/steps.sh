# Sourced by Scripts/test: runs named steps, and tells at the end which passed.
# shellcheck shell=bash

declare -a step_names=() step_results=() step_seconds=() step_ends=()

# step NAME COMMAND…: runs the command and keeps its result, and of a failed one the last lines.
step() {
  local name=$1 start=$SECONDS result=passed log end=
  shift
  log=$(mktemp)
  say "" "=== $name: $*"
  "$@" 2>&1 | tee "$log"
  if [ "${PIPESTATUS[0]}" -ne 0 ]; then
    result=failed
    end=$(tail -n 40 "$log" | cut -c 1-1000)
  fi
  rm -f "$log"
  step_names+=("$name")
  step_results+=("$result")
  step_seconds+=("$((SECONDS - start))")
  step_ends+=("$end")
  say "--- $name $result after $((SECONDS - start)) s"
}

# Whether the named step ran and passed.
passed() {
  local i
  for i in "${!step_names[@]}"; do
    [ "${step_names[$i]}" = "$1" ] && [ "${step_results[$i]}" = passed ] && return 0
  done
  return 1
}

# swift format over every source below the given folders, but for what was fetched and built.
check_format() {
  find "$@" -name .build -prune -o -name '*.swift' -print0 | xargs -0 swift format lint --strict --parallel
}

# swift build with the given arguments; a warning about a file of this package is a failure, as an error is.
# Only what is compiled can warn: a build directory that is up to date says nothing.
build_without_warnings() {
  local log status
  log=$(mktemp)
  swift build "$@" 2>&1 | tee "$log" | grep -Ev '^\[[0-9]+/[0-9]+\] (Compiling|Emitting|Write|Wrapping|Copying) ' >&2
  status=${PIPESTATUS[0]}
  if grep -F "warning:" "$log" | grep -vE '/checkouts/|/usr/lib/swift_static/' | sort -u | grep -q .; then
    say "these warnings count as failures:"
    grep -F "warning:" "$log" | grep -vE '/checkouts/|/usr/lib/swift_static/' | sort -u >&2
    status=1
  fi
  rm -f "$log"
  return "$status"
}

# crashsym stream under Spark and GNU parallel. Spark comes from PyPI: where that is out of reach, there is nothing to try.
fleet_sample() {
  local status=0
  Samples/fleet/run "$@" || status=$?
  [ "$status" -eq 75 ] || return "$status"
  say "SKIPPED: PyPI cannot be reached, so crashsym stream was not tried under Spark"
}

# The last result, for the documentation.
record_results() {
  local file=$1 i
  {
    printf '# The last full test run\n\n'
    printf 'Written by `Scripts/test --full --record`.\n\n'
    printf '%s, %s, %s, %s cores.\n\n' "$(date -u +%Y-%m-%d)" \
      "$(swift --version 2>/dev/null | grep -o 'Swift version [0-9.]*')" \
      "$(. /etc/os-release && printf '%s' "$PRETTY_NAME")" "$(nproc)"
    printf '| step | result | seconds |\n| --- | --- | ---: |\n'
    for i in "${!step_names[@]}"; do
      printf '| %s | %s | %s |\n' "${step_names[$i]}" "${step_results[$i]}" "${step_seconds[$i]}"
    done
  } >"$file"
}

# Prints the ends of the failed steps, every step's result, and as the last line the count. 0 if none failed.
report_steps() {
  local i passed=0 failed=0
  for i in "${!step_names[@]}"; do
    [ "${step_results[$i]}" = passed ] || printf '\n=== the end of %s\n%s\n' "${step_names[$i]}" "${step_ends[$i]}"
  done
  printf '\n'
  for i in "${!step_names[@]}"; do
    printf '%-14s %s (%s s)\n' "${step_names[$i]}" "${step_results[$i]}" "${step_seconds[$i]}"
    if [ "${step_results[$i]}" = passed ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  done
  printf '%s passed, %s failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}
