# Sourced by other scripts: finds a compiler, CMake and Ninja of sufficient versions.

cmake_needed=3.25

# first_new_enough NAME VERSION: the first NAME in PATH, then in /usr/bin, whose version is at least VERSION.
first_new_enough() {
  local candidate version
  for candidate in $(type -ap "$1") "/usr/bin/$1"; do
    [[ -x $candidate ]] || continue
    version=$("$candidate" --version 2> /dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1) || continue
    if [[ $(printf '%s\n%s\n' "$2" "$version" | sort -V | head -n 1) == "$2" ]]; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

have_compiler() { command -v g++ > /dev/null || [[ -n ${CXX:-} ]]; }
have_cmake() { first_new_enough cmake "$cmake_needed" > /dev/null; }
have_ninja() { first_new_enough ninja 1.10 > /dev/null; }

# use_ccache [SOURCES]: shares objects between the tests' build and the wheel, which is built from a copy of the sources: relative to
# build/NAME, all paths are equal.
use_ccache() {
  if command -v ccache > /dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_DEPEND=1 CCACHE_BASEDIR=${1:-$PWD}; fi
}

# Puts the chosen CMake and Ninja first in PATH.
use_tools() {
  local tool path
  for tool in cmake:$cmake_needed ninja:1.10; do
    path=$(first_new_enough "${tool%:*}" "${tool#*:}") || {
      echo "${tool%:*} ${tool#*:} or newer is needed, and not to be found" >&2
      return 1
    }
    [[ $(command -v "${tool%:*}") == "$path" ]] || PATH=$(dirname "$path"):$PATH
  done
}
