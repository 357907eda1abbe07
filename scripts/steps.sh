# Sourced by test: runs steps, counts what passed and failed, and prints the closing line.
passed=0 failed=0 skipped=0 failures=()

# One check or build, counted as one test: step NAME COMMAND…
step() {
  local name=$1 begin=$SECONDS
  shift
  echo "== $name"
  if "$@"; then
    passed=$((passed + 1))
    echo "== $name: ok ($((SECONDS - begin)) s)"
  else
    failed=$((failed + 1)) failures+=("$name")
    echo "== $name: FAILED"
    return 1
  fi
}

# All tests of a preset, each counted: suite PRESET [CTEST OPTION…]
suite() {
  local preset=$1 report=$root/build/results-$1.xml counts begin=$SECONDS
  shift
  rm -f "$report"
  echo "== tests ($preset)"
  ctest --preset "$preset" --output-junit "$report" "$@" | grep -vE '^ +Start +[0-9]+:|^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed '
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
