# Sourced by run, test and the scripts: the same settings for every build of this checkout.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Objects are found again in the compiler cache from any checkout, wherever it lies.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-10G}
# Headers that are compiled once (cmake/landfall_module.cmake) are found in the cache by their contents.
export CCACHE_SLOPPINESS=pch_defines,time_macros
export LANDFALL_CACHE=${LANDFALL_CACHE:-$HOME/.cache/landfall}

# Configures (which is quick when nothing changed) and builds targets of a preset: build PRESET [TARGET…]
build() {
  local preset=$1 log
  shift
  log=$(mktemp)
  if ! (cd "$root" && cmake --preset "$preset") >"$log" 2>&1; then
    cat "$log" >&2; rm -f "$log"
    return 1
  fi
  rm -f "$log"
  (cd "$root" && cmake --build --preset "$preset" ${1:+--target "$@"})
}
