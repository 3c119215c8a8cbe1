# Sourced by the scripts that install or package: builds what a user runs, optimised, and puts it below a prefix.
# shellcheck shell=bash

readonly preloads=(CrashKitPreload CrashKitGuardPreload ThreadGuardPreload)

# build_products SCRATCH COMMAND…: sets `built` to the folder of the products.
build_products() {
  local options=(--package-path "$root" --scratch-path "$1" -c release --static-swift-stdlib) product
  shift
  say "building (the first time takes a few minutes)"
  for product in "$@" "${preloads[@]}"; do swift build "${options[@]}" --product "$product" >&2; done
  built=$(swift build "${options[@]}" --show-bin-path)
}

# install_products PREFIX COMMAND…: the commands with manual pages and completions, and the libraries that `crashsym run`
# preloads.
install_products() {
  local prefix=$1 library command
  shift
  for library in "${preloads[@]}"; do install -D -m 644 -t "$prefix/lib/crashkit" "$built/lib$library.so"; done
  for command; do
    install -D -m 755 -t "$prefix/bin" "$built/$command"
    python3 "$root/Scripts/lib/manual.py" "$built/$command" "$prefix"
  done
}
