# SPDX-License-Identifier: Apache-2.0
# awk -v what=program -f extract.awk docs/tutorial.md    the cpp listings one after the other, a program. Each but the first is
#                                                        preceded by the printing of "#### number".
# awk -v what=output -v ranks=N -f extract.awk FILE      what it prints on N ranks: all blocks text, and those with title="N ranks".
/^```/ && inside { inside = ""; next }
/^```/ {
  inside = "other"
  if ($0 == "```text" || ($1 == "```text" && $2 == "title=\"" ranks)) inside = "output"
  if ($0 == "```cpp") {
    inside = "program"
    if (++listing > 1) print what == "program" ? "  out << \"#### " listing "\" << std::endl;" : "#### " listing
    if (what == "program") print "#line " (NR + 1) " \"docs/tutorial.md\""
  }
  next
}
inside == what { print }
