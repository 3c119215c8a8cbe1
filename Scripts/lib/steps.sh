# Sourced by Scripts/test: runs named steps, keeps each result with its commit, and reports at the end which passed.
# shellcheck shell=bash

# What a step ends with that had nothing to try here; as EX_TEMPFAIL.
readonly EX_SKIPPED=75

declare -a step_names=() step_results=() step_seconds=() step_ends=() step_skips=()
# Set by Scripts/test: the tier, the one step to run if any, and whether steps that passed at this commit run again.
tier=quick only='' continues=no

# The commit, and for a tree with changes a checksum of these: what a result is true of.
commit_of_tree() {
  local head changes
  head=$(git -C "$root" rev-parse --short=12 HEAD 2>/dev/null) || { echo unknown && return; }
  changes=$(git -C "$root" status --porcelain --untracked-files=all -- . ':!Docs/test-results.md' 2>/dev/null)
  [ -z "$changes" ] && { echo "$head" && return; }
  echo "$head+$({
    git -C "$root" diff HEAD -- . ':!Docs/test-results.md'
    git -C "$root" ls-files -z --others --exclude-standard | (cd "$root" && xargs -0 -r cat)
  } | cksum | cut -d ' ' -f 1)"
}

# Where the result of a step is kept: one line RESULT SECONDS COMMIT, then the names of what it skipped.
record_of() { printf '%s/.build/test-records/%s-%s' "$root" "$tier" "$1"; }

# The lines by which a step says what it skipped: of the checks in Python, of Swift Testing, of a script.
skips_in() {
  sed -nE 's/^skipped (.*)$/\1/p; s/^SKIPPED: (.*)$/\1/p; s/^➜ +(Test|Suite) (.*) skipped(: .*)?\.?$/\2\3/p' "$1" |
    cut -c 1-200 | sort -u
}

keep_step() {
  step_names+=("$1")
  step_results+=("$2")
  step_seconds+=("$3")
  step_skips+=("$4")
  step_ends+=("$5")
}

# Takes the result of an earlier run that was cut off, if the step did not fail and the tree is the same.
take_record() {
  local file result seconds commit
  file=$(record_of "$1")
  [ "$continues" = yes ] && [ "$commit_tested" != unknown ] && [ -f "$file" ] || return 1
  read -r result seconds commit <"$file"
  [ "$commit" = "$commit_tested" ] && [ "$result" != failed ] || return 1
  keep_step "$1" "$result" "$seconds" "$(tail -n +2 "$file")" ''
  say "--- $1 $result before, after $seconds s"
}

# step NAME COMMAND…: runs the command and keeps its result, and of a failed one the last lines.
step() {
  local name=$1
  shift
  [ -z "$only" ] || [ "$only" = "$name" ] || return 0
  take_record "$name" && return
  run_step "$name" "$@"
}

# base NAME COMMAND…: a step that others need, so it always runs; what is built already takes it little time.
base() { run_step "$@"; }

run_step() {
  local name=$1 start=$SECONDS result=passed log end='' skips status record
  shift
  log=$(mktemp)
  say "" "=== $name: $*"
  "$@" 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  skips=$(skips_in "$log")
  case $status in
    0) ;;
    "$EX_SKIPPED") result=skipped ;;
    *) result=failed end=$(tail -n 40 "$log" | cut -c 1-1000) ;;
  esac
  rm -f "$log"
  keep_step "$name" "$result" "$((SECONDS - start))" "$skips" "$end"
  record=$(record_of "$name")
  mkdir -p "$(dirname "$record")"
  printf '%s %s %s\n%s' "$result" "$((SECONDS - start))" "$commit_tested" "${skips:+$skips$'\n'}" >"$record"
  say "--- $name $result after $((SECONDS - start)) s"
}

# beside FUNCTION: runs the function's steps in a process of their own, beside those that follow, until `meet`.
beside() {
  beside_folder=$(mktemp -d)
  # A group of its own, so that nothing of it outlives a run that is interrupted.
  set -m
  (
    step_names=() step_results=() step_seconds=() step_ends=() step_skips=()
    "$1" &>"$beside_folder/log"
    declare -p step_names step_results step_seconds step_ends step_skips | sed 's/^declare -a step_/declare -a other_/' \
      >"$beside_folder/results"
  ) </dev/null &
  beside_group=$!
  set +m
  trap 'kill -- -"$beside_group" 2>/dev/null' EXIT
}

# Waits for what `beside` began, prints what it said, and takes its results.
meet() {
  local i
  wait "$beside_group"
  trap - EXIT
  cat "$beside_folder/log" >&2
  # shellcheck source=/dev/null
  . "$beside_folder/results"
  for i in "${!other_names[@]}"; do
    keep_step "${other_names[$i]}" "${other_results[$i]}" "${other_seconds[$i]}" "${other_skips[$i]}" "${other_ends[$i]}"
  done
  rm -rf "$beside_folder"
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
sources() { # sources ENDINGS FOLDER…: the files with these endings, each followed by a zero byte
  local endings=$1
  shift
  find "$@" -name .build -prune -o -type f -regextype posix-extended -regex ".*\\.($endings)" -print0
}

check_format() {
  local failed=0 version
  sources swift "$@" | xargs -0 swift format lint --strict --parallel || failed=1
  # Comments as well, which clang-format does not wrap, and the tables.
  sources 'c|h|cpp|hpp|cc|def' "$@" | xargs -0 grep -HnE '^.{121}' && failed=1
  version=$(clang-format --version 2>/dev/null | grep -oE 'version [0-9]+')
  if [ "$version" = "version 14" ]; then
    sources 'c|h|cpp|hpp|cc' "$@" | xargs -0 clang-format --dry-run -Werror || failed=1
  else
    echo "skipped the layout of C: clang-format 14 lays it out, and here is ${version:-none}"
  fi
  return $failed
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

# crashsym stream under Spark and GNU parallel. Spark comes from PyPI: if that is out of reach, there is nothing to try.
fleet_sample() {
  local status=0
  Samples/fleet/run "$@" || status=$?
  [ "$status" -eq "$EX_SKIPPED" ] && say "SKIPPED: PyPI cannot be reached, so crashsym stream was not tried under Spark"
  return "$status"
}

minutes() { awk -v seconds="$1" 'BEGIN { printf "%.1f", seconds / 60 }'; }

# How many lines a text has.
lines_in() { if [ -z "$1" ]; then echo 0; else printf '%s\n' "$1" | wc -l; fi; }

# The last result, for the documentation.
record_results() {
  local file=$1 i sum=0
  for i in "${!step_names[@]}"; do sum=$((sum + step_seconds[i])); done
  {
    printf '# The last full test run\n\n'
    printf 'Written by `Scripts/test --%s --record`.\n\n' "$tier"
    printf '%s, commit %s, %s, %s, %s cores: %s minutes.\n\n' "$(date -u +%Y-%m-%d)" "$commit_tested" \
      "$(swift --version 2>/dev/null | grep -o 'Swift version [0-9.]*')" \
      "$(. /etc/os-release && printf '%s' "$PRETTY_NAME")" "$(nproc)" "$(minutes "$sum")"
    printf '| step | result | minutes | skipped |\n| --- | --- | ---: | ---: |\n'
    for i in "${!step_names[@]}"; do
      printf '| %s | %s | %s | %s |\n' "${step_names[$i]}" "${step_results[$i]}" "$(minutes "${step_seconds[$i]}")" \
        "$(lines_in "${step_skips[$i]}")"
    done
    printf '\nSkipped:\n\n'
    print_skips '- '
  } >"$file"
}

# What was skipped, with its step and reason; PREFIX before each line.
print_skips() {
  local i line any=no
  for i in "${!step_names[@]}"; do
    [ -z "${step_skips[$i]}" ] && continue
    any=yes
    while IFS= read -r line; do printf '%s%s: %s\n' "$1" "${step_names[$i]}" "$line"; done <<<"${step_skips[$i]}"
  done
  [ $any = yes ] || printf '%snothing\n' "$1"
}

# Prints the ends of the failed steps, what was skipped, every step's result, and as the last line the counts.
# 0 if none failed and at least one step ran.
report_steps() {
  local i passed=0 failed=0 skipped=0 unmade=0
  for i in "${!step_names[@]}"; do
    [ "${step_results[$i]}" = failed ] && printf '\n=== the end of %s\n%s\n' "${step_names[$i]}" "${step_ends[$i]}"
    unmade=$((unmade + $(lines_in "${step_skips[$i]}")))
  done
  if [ "$unmade" -gt 0 ]; then printf '\nskipped:\n' && print_skips '  '; fi
  printf '\n'
  for i in "${!step_names[@]}"; do
    printf '%-24s %-8s %s min\n' "${step_names[$i]}" "${step_results[$i]}" "$(minutes "${step_seconds[$i]}")"
    case ${step_results[$i]} in
      passed) passed=$((passed + 1)) ;;
      skipped) skipped=$((skipped + 1)) ;;
      *) failed=$((failed + 1)) ;;
    esac
  done
  if [ -n "$only" ] && [[ " ${step_names[*]} " != *" $only "* ]]; then
    printf 'no step of this tier is called %s, or a build before it failed\n' "$only"
    failed=$((failed + 1))
  fi
  printf '%s passed, %s failed, %s skipped; in these, %s tests and checks were skipped\n' \
    "$passed" "$failed" "$skipped" "$unmade"
  [ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
}
