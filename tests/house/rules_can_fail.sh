#!/usr/bin/env bash
# rules_can_fail.sh ROOT: plants breaches in a small house and checks that rules.sh names each; without them it is
# silent.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT
licence='// SPDX-License-Identifier: Apache-2.0'

mkdir -p "$house/tests"
cp -r "$1/src" "$1/include" "$1/docs" "$house"
rm -rf "$house"/src/*/ "$house"/include/tesserec/*
while read -r name; do
  mkdir -p "$house/src/$name" "$house/include/tesserec/$name"
  printf '| file | what |\n|---|---|\n| `x.hpp`, `x.cpp` | all |\n\nnot a list:\n\n| name |\n| y |\n' >"$house/src/$name/README.md"
  echo "$licence" >"$house/include/tesserec/$name/x.hpp"
  printf '%s\n#include <tesserec/%s/x.hpp>\n' "$licence" "$name" >"$house/include/tesserec/$name.hpp"
  echo "$licence" >"$house/src/$name/x.cpp"
done < <(grep -oE '^tesserec_folder\([a-z_]+' "$house/src/CMakeLists.txt" | sed 's/.*(//')
cat >>"$house/src/jagged/x.cpp" <<'END'
#include <tesserec/jagged/x.hpp>
namespace tesserec::jagged {
// Is b ? c : d, or c ? b : d?
struct Pair { Pair(int b, int c) : b(b), c(c) {} std::array<int, 2> both() { return {b, c}; } int b, c = 2; };
// x.hpp, jagged/x.cpp and jagged.hpp are there, and so are Pair::both and tesserec::jagged::Apart; std::gone is not ours.
class Large : public Pair {
  Large(const Large&) = delete; void (*call)(int, int); std::map<int, int> a, b{1, 2}; enum Kind { one, two }; struct Part {};
  template <class T, class U> std::array<T, 2> g(std::map<T, U> a, std::map<T, U> b = {}, int c = h<1, 2>(3)) const;
  bool operator==(const Large&) const = default; explicit operator bool() const; using Pair::both; friend class Part;
  int x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18, x19, x20, x21, x22, x23, x24, x25, x26;
};
void seven(int a, std::array<int, 2> b, std::function<void(int, int, int)> c, int d, int e, int f, int g = h(1, 2));
void excepted(int a, int b, int c, int d, int e, int f, int g, int h);
int Apart::f() { return 1; }
int f(int b, int c) {
  for (const char *s = "?:?:, ", *t = s; b < c; ++b, --c) g(std::array<int, 1 + 1>{b, c}, [&] { return s; });
  const int d = b > 0 ? c : b;
  return c > 0 ? d : c;
}
}  // namespace tesserec::jagged
END
printf '%s\n' 'class Apart { int f(); int g(); };' '/// Returns a half.' 'int halved(int number);' >>"$house/include/tesserec/jagged/x.hpp"
mkdir "$house/tests/house"
echo 'parameters excepted' >"$house/tests/house/exceptions.txt"
bash "$here/rules.sh" "$house" >"$house/log" || { cat "$house/log"; echo "FAILED: the clean house is refused"; exit 1; }

failures=0
# plant FILE LINE "part of a complaint"...: plants one line and checks the complaint.
plant() {
  mkdir -p "$(dirname "$house/$1")"
  local kept=
  if [ -f "$house/$1" ]; then kept=yes; cp "$house/$1" "$house/kept"; fi
  printf '%s\n' "$2" >>"$house/$1"
  if bash "$here/rules.sh" "$house" >"$house/log"; then echo "FAILED: not refused: $1: $2"; failures=$((failures + 1)); fi
  local complaint
  for complaint in "${@:3}"; do
    grep -qF "$complaint" "$house/log" || { echo "FAILED: no \"$complaint\" for $1: $2"; cat "$house/log"; failures=$((failures + 1)); }
  done
  if [ -n "$kept" ]; then mv "$house/kept" "$house/$1"; else rm "$house/$1"; fi
}
plant src/core/x.cpp '#include <tesserec/data/x.hpp>' 'src/core/x.cpp:2: core may not include data'
plant src/train/x.cpp '  #  include "tesserec/deck.hpp"' 'src/train/x.cpp:2: train may not include deck'
plant include/tesserec/layers/x.hpp '#include <tesserec/comm/x.hpp>' 'layers may not include comm'
plant src/data/x.cpp '#include "../store/x.hpp"' 'leaves its folder'
plant src/data/x.cpp '#include <mpi.h>' '<mpi.h> belongs'
plant src/layers/x.cpp '#include <cublasLt.h>' '<cublasLt.h> belongs'
plant src/data/x.cpp '// Apart from it.
std::vector<jagged::Apart> apart;' 'src/data/x.cpp:3: uses Apart without a header that declares it: include tesserec/jagged/x.hpp'
plant src/data/x.cpp 'int own(int halved); int one = own(halved(2));
int two = jagged::halved(4);' 'src/data/x.cpp:3: calls halved() without a header that declares it: include tesserec/jagged/x.hpp'
plant src/data/x.cpp '#include <tesserec/core/kokkos.hpp>' 'src/data/x.cpp:1: uses nothing of'
plant include/tesserec/planning/x.hpp '#include <tesserec/embedding/x.hpp>
#include <tesserec/core/kokkos.hpp>
Exec exec;' "planning/x.hpp:1: reaches Kokkos' headers"
plant include/tesserec/core/x.hpp '  over(n, KOKKOS_LAMBDA(Index i) { x[i] = 0; });  // a loop' 'include/tesserec/core/x.hpp:2: a KOKKOS_LAMBDA in a header'
plant include/tesserec/core/x.hpp '/// The sum of both.
int f(int a, int b);' 'x.hpp:2: a public function'
plant src/core/x.cpp '// Of the two, the larger.
int f(int a, int b);' 'src/core/x.cpp:2: a comment that hangs'
plant src/bench/x.cpp 'MPI_Comm one = MPI_COMM_SELF;' 'src/bench/x.cpp:2: MPI belongs behind comm'
plant src/data/x.cpp '#include <hdf5.h>' '<hdf5.h> belongs'
plant src/schema/x.cpp '#include <toml++/toml.h>' 'toml++ belongs'
plant src/model/x.cpp '#include <Kokkos_Core.hpp>' 'Kokkos headers belong'
plant src/store/x.cpp '#include <nlohmann/json_fwd.hpp>' 'nlohmann-json belongs'
plant include/tesserec/store/x.hpp '  std::snprintf(text, 9, "%d", 3);' 'include/tesserec/store/x.hpp:2: no printf into text'
plant src/data/x.cpp 'sscanf(a, "%d", &b);' 'src/data/x.cpp:2: no printf into text'
plant src/optim/x.cpp 'double f(double x) { return std::pow(x, 3); }' 'src/optim/x.cpp:2: other bits on other processors'
plant include/tesserec/core/x.hpp 'float f(float x) { return std::log1p (x) + std::sqrt(x); }' 'include/tesserec/core/x.hpp:2: other bits'
plant src/data/x.cpp 'int f(int a) { return a < 0 ? -1 : a > 0 ? 1 : 0; }' 'src/data/x.cpp:2: two conditional operators'
plant include/tesserec/model/x.hpp 'void f(int a, bool b) {
  g(b ? "1" : "2", b ? a :
    std::abs(a)); }' 'include/tesserec/model/x.hpp:3: two conditional operators'
plant src/train/x.cpp 'void f(int a, int b) {
  if (a < b) a = 1, b = 2; }' 'src/train/x.cpp:3: commas between statements'
plant include/tesserec/core/x.hpp 'inline int f(int& a) { return g<int, 2>(++a), 2 * a; }' 'x.hpp:2: commas between statements'
plant src/store/x.cpp 'auto f = [](auto& a) { a[g(1, 2)].clear(),
  ++a; };' 'src/store/x.cpp:2: commas between statements'
eight='int a, int b, int c, int d, int e, int f, int g, std::map<int, int> h'
plant include/tesserec/core/x.hpp "struct A { template <class T> A($eight) : x{a} {} int x; };
class B { struct C { int f(); int f(int); int b$(seq -s ', b' 29); }; };" 'x.hpp:2: A::A has 8 parameters' 'x.hpp:3: B::C has 31 members'
plant src/data/x.cpp "int f($eight);
struct A : public std::vector<int> {
  int f($(seq -s ', int x' 5)) { return 1; } std::map<int, int> m = {}; bool x$(seq -s '{true}, x' 30); };
struct Pair { int a, b; };  // as in jagged/gone.hpp
/* As in gone.cpp. */
int a;  // as jagged::Pair::gone does" 'src/data/x.cpp:2: f has 8 parameters' 'src/data/x.cpp:3: A has 32 members' \
  'src/jagged/x.cpp:5: Pair is a type of data and jagged' 'src/data/x.cpp:5: there is no jagged/gone.hpp' \
  'src/data/x.cpp:6: there is no gone.cpp in this folder' 'src/data/x.cpp:7: there is no jagged::Pair::gone'
plant src/jagged/y.cpp "$licence
int Apart::g() { return 2; }" 'src/jagged/y.cpp:2: functions of jagged/Apart, as in src/jagged/x.cpp'
plant tests/house/exceptions.txt 'types Pair=data,jagged' 'tests/house/exceptions.txt:2: types Pair=data,jagged breaches its rule no more'
plant src/train/x.cpp 'void f() { MPI_Abort(c, 1); }' 'only app starts or ends'
plant src/train/x.cpp 'void f() { fill(Exec(), view); }' "take the caller's"
plant src/data/new.cpp 'int x;' 'src/data/new.cpp:1: the first line'
plant include/tesserec/data/new.hpp "$licence" 'include/tesserec/data.hpp: lacks <tesserec/data/new.hpp>'
plant src/novel/x.cpp "$licence" 'src/novel/: no README.md'
rm -rf "$house/src/novel"
plant src/core/unlisted.cpp "$licence" 'src/core/README.md: does not list unlisted'
sed -i 's/`x.cpp`/`x.cpp`, `gone.cpp`/' "$house/src/jagged/README.md"
plant src/core/x.cpp '// nothing' 'src/jagged/README.md: lists gone, which is not there'
sed -i 's/, `gone.cpp`//' "$house/src/jagged/README.md"
plant src/core/x.cpp "$(yes '//' | head -n 300)" 'src/core/x.cpp: 301 lines'
sed -i 's/^| parallel_io | \(.*\) | core, comm, store |/| parallel_io | \1 | core, comm |/' "$house/docs/design/code.md"
plant src/core/x.cpp '// nothing' 'docs/design/code.md: parallel_io may include core comm store by src/CMakeLists.txt, not core, comm'
plant src/novel/x.cpp "$licence" 'docs/design/code.md: the table lacks novel'
plant src/novel/x.cpp "$licence" 'docs/pictures/house.svg: the picture lacks novel'
rm -rf "$house/src/novel"
words=$(printf 'word %.0s' {1..36})
plant src/core/x.cpp "// A ${words% }." 'src/core/x.cpp:2: a sentence of more than 35 words'
plant docs/x.md "$(printf 'A word. %.0s' {1..16})" 'docs/x.md:1: a line of more than 110 characters'
plant tests/app/x.sh 'finish

run again' 'tests/app/x.sh:3: lines behind "finish" never run'
[ $failures = 0 ] && echo "every planted breach was named"
exit $((failures > 0))
