# Sourced by the scripts that install or package: builds what a user runs, optimised, and puts it below a prefix.
# shellcheck shell=bash

readonly preloads=(CrashKitPreload CrashKitGuardPreload ThreadGuardPreload)

# build_products SCRATCH: sets `built` to the folder of the products.
build_products() {
  local options=(--package-path "$root" --scratch-path "$1" -c release --static-swift-stdlib) product
  say "building (the first time takes a few minutes)"
  for product in crashsym "${preloads[@]}"; do swift build "${options[@]}" --product "$product" >&2; done
  built=$(swift build "${options[@]}" --show-bin-path)
}

# install_products PREFIX: crashsym, the libraries that `crashsym run` preloads, manual pages and completions.
install_products() {
  local library
  install -D -m 755 -t "$1/bin" "$built/crashsym"
  for library in "${preloads[@]}"; do install -D -m 644 -t "$1/lib/crashkit" "$built/lib$library.so"; done
  python3 "$root/Scripts/lib/manual.py" "$built/crashsym" "$1"
}
