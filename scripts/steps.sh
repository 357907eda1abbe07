# Sourced by test: runs steps, counts what passed and failed, and prints the closing line.
passed=0 failed=0 skipped=0 failures=()

# Time may be short: nothing begins after $LANDFALL_STOP_AT, and nothing goes on after $LANDFALL_END_AT (seconds since 1970;
# none: there is all the time). Such a step is named and counts as skipped: late is not wrong, but nobody is to take it for passed.
late() {
  skipped=$((skipped + 1))
  echo "== $1: $2, for want of time"
}
is_late() {
  [ -n "${LANDFALL_STOP_AT:-}" ] && [ "$(date +%s)" -ge "$LANDFALL_STOP_AT" ] || return 1
  late "$1" "NOT RUN"
}

# A command, or a function of environment.sh, that is ended when the time is over: code 124, and 137 for what does not obey.
in_time() {
  if [ -z "${LANDFALL_END_AT:-}" ]; then
    "$@"
    return
  fi
  local left=$((LANDFALL_END_AT - $(date +%s)))
  [ "$left" -gt 0 ] || return 124
  timeout -k 30 "$left" bash -c 'source "$0"; "$@"' "$root/scripts/environment.sh" "$@"
}
was_cut_off() { [ -n "${LANDFALL_END_AT:-}" ] && { [ "$1" = 124 ] || [ "$1" = 137 ]; }; }

# One check or build, counted as one test: step NAME COMMAND…
step() {
  local name=$1 begin=$SECONDS code=0
  is_late "$name" && return 1
  shift
  echo "== $name"
  in_time "$@" || code=$?
  if [ $code = 0 ]; then
    passed=$((passed + 1))
    echo "== $name: ok ($((SECONDS - begin)) s)"
  elif was_cut_off $code; then
    late "$name" "CUT OFF"
    return 1
  else
    failed=$((failed + 1)) failures+=("$name")
    echo "== $name: FAILED"
    return 1
  fi
}

# All tests of a preset, each counted: suite PRESET [CTEST OPTION…]
suite() {
  local preset=$1 report=$root/build/results-$1.xml counts begin=$SECONDS code
  is_late "tests ($preset)" && return 1
  shift
  rm -f "$report"
  echo "== tests ($preset)"
  in_time ctest --preset "$preset" --output-junit "$report" "$@" | grep -vE '^ +Start +[0-9]+:|^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed '
  code=${PIPESTATUS[0]}
  if was_cut_off "$code"; then
    late "tests ($preset)" "CUT OFF"
    return 1
  fi
  if ! counts=$(python3 "$root/scripts/count-results" "$report"); then
    failed=$((failed + 1)) failures+=("$preset tests gave no results")
    return 1
  fi
  read -r p f s <<<"$counts"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  echo "== tests ($preset): $p passed, $f failed, $s skipped ($((SECONDS - begin)) s)"
  [ "$f" = 0 ] || { failures+=("$f tests of $preset"); return 1; }
}

finish() {
  local name
  for name in "${failures[@]}"; do echo "FAILED: $name"; done
  if [ "$skipped" = 0 ]; then echo "$passed passed, $failed failed"; else echo "$passed passed, $failed failed, $skipped skipped"; fi
  [ "$failed" = 0 ]
  exit
}
