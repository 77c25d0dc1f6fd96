#!/usr/bin/env bash
# browser.sh PAGE.html PREFIX: opens a page of `tesserec report` in headless Chromium, light, dark, narrow and as print. Leaves
# PREFIX_light.png, PREFIX_dark.png ($WIDTH x $HEIGHT pixels), PREFIX_narrow.png and PREFIX.pdf for a person to look at; ends with 1 where the
# console has a message, and with 77 where there is no Chromium.
set -euo pipefail
page=$(realpath "$1")
prefix=$2
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "no Chromium here"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# open FLAGS...: the page; what its console says ends the script.
open() {
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
    --enable-logging=stderr --virtual-time-budget=3000 "$@" "file://$page" >/dev/null 2>"$work/log"
  if grep -E 'CONSOLE|Refused|ERR_' "$work/log"; then
    echo "FAILED: the console of $page has messages"
    exit 1
  fi
}
size=${WIDTH:-1230},${HEIGHT:-2600}
rm -f "${prefix}_light.png" "${prefix}_dark.png" "${prefix}_narrow.png" "$prefix.pdf"
open --window-size="$size" --screenshot="${prefix}_light.png"
open --window-size="$size" --blink-settings=preferredColorScheme=0 --screenshot="${prefix}_dark.png"
open --window-size="400,${HEIGHT:-2600}" --screenshot="${prefix}_narrow.png"
open --no-pdf-header-footer --print-to-pdf="$prefix.pdf"
for made in "${prefix}_light.png" "${prefix}_dark.png" "${prefix}_narrow.png" "$prefix.pdf"; do
  [ -s "$made" ] || {
    echo "FAILED: no $made"
    exit 1
  }
done
if cmp -s "${prefix}_light.png" "${prefix}_dark.png"; then
  echo "FAILED: dark looks like light"
  exit 1
fi
echo "$page: no message on the console"
