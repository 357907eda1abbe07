# Sourced by benchmarks that are scripts.
median() { sort -n | awk '{all[NR] = $1} END {print all[int((NR + 1) / 2)]}'; }
# Both of one file each, a number a line. compare TITLE OURS THEIRS
compare() {
  local ours theirs
  ours=$(median < "$2") theirs=$(median < "$3")
  awk -v title="$1" -v ours="$ours" -v theirs="$theirs" 'BEGIN {printf "%-40s %7.2f s, bare restic %7.2f s: %.2f\n", title, ours, theirs, ours / theirs}'
}
