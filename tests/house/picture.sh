#!/usr/bin/env bash
# picture.sh ROOT: compares the step in docs/design/code.md with src/train/step.cpp line by line, except for comments, spaces and
# the names of phases.
set -euo pipefail
cd "$1"
plain() { sed -E 's://.*$::' | grep -vE '^ *phase\(' | tr -d ' \n'; }
shown=$(sed -n '/^## The step/,/^## /p' docs/design/code.md | sed -n '/^```cpp/,/^```/p' | sed '/^```/d' | plain)
done_=$(sed -n '/code.md shows what follows/,/^  return loss;/p' src/train/step.cpp | sed '1d;$d' | plain)
if [ -z "$shown" ] || [ "$shown" != "$done_" ]; then
  echo "docs/design/code.md, The step, and src/train/step.cpp differ:"
  diff <(sed 's/;/;\n/g' <<<"$shown") <(sed 's/;/;\n/g' <<<"$done_") || true
  exit 1
fi
