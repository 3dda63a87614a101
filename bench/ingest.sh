#!/usr/bin/env bash
# Measures an embedded database over a folder or a file: what an ingest costs, what it takes on the disk, and what a
# fresh process costs for `stats`, `ask` and `recall`. Prints one row per command: CPU seconds, wall seconds and peak
# memory, then the bytes on the disk per byte of text.
#
#     cargo build --release -p quiver-command
#     bench/ingest.sh target/release/quiver FOLDER_OR_FILE "A question"
#
# Needs GNU time. The three fresh processes are run five times each; the row is the one with the median CPU time.
set -euo pipefail
quiver=$(realpath "$1") input=$2 question=${3:-"Which port does the server use?"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=$work/rows

# One run: adds "CPU wall memory" to the rows.
run() {
    command time -o "$work/time" -f '%U %S %e %M' "$quiver" --path "$work/data" "$@" >"$work/out" 2>"$work/err" || true
    tail -n 1 "$work/time" | awk '{ printf "%.2f %.2f %.0f\n", $1 + $2, $3, $4 / 1024 }' >>"$rows"
}

# The median row of a command's runs.
median() {
    sort -n "$rows" | awk '{ row[NR] = $0 } END { print row[int((NR + 1) / 2)] }'
    rm "$rows"
}

row() { printf '%-14s %8s s CPU %8s s wall %6s MB\n' "$@"; }

run ingest "$input"
row ingest $(median)
sed -n 's/^\(.*passages\? written\).*/               \1/p' "$work/out"
disk=$(du -sB1 "$work/data" | cut -f1)
text=$("$quiver" --path "$work/data" export |
    python3 -c 'import json, sys; print(sum(len(json.loads(l)["payload"]["text"].encode()) for l in sys.stdin if l.startswith("{\"collection\":\"passages\"")))')
printf 'disk           %d MB, %.1f times the text of the passages (%.1f MB)\n' \
    $((disk / 1000000)) "$(echo "$disk / $text" | bc -l)" "$(echo "$text / 1000000" | bc -l)"
for command in stats ask recall; do
    for _ in 1 2 3 4 5; do
        if [ "$command" = stats ]; then run stats; else run "$command" "$question"; fi
    done
    row "$command" $(median)
done
