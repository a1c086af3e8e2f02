#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# topobind place --batch: the tables of placements, bad rows, rubbish
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

tab=$(printf '\t')
columns="id${tab}topology${tab}bunit${tab}bamount${tab}btype${tab}nslots${tab}bstrategy${tab}bsort${tab}bstart${tab}bstop${tab}bfilter"
out_columns="id${tab}slots${tab}granted${tab}inuse_after${tab}slot_threads"

# lines LINE... - a table of the header and the lines
lines() {
	printf '%s\n' "$columns" "$@"
}

# same_as FILE - the last run printed this
same_as() {
	ended 0 && cmp -s "$1" "$work/out"
}

# --- the tables ---

vectors=$data/binding_vectors.tsv
cut -f 1,13- "$vectors" >"$work/expected"
cut -f 1-12 "$vectors" >"$work/input"
run place --batch <"$work/input"
check 'all vectors, from stdin' same_as "$work/expected"
run place --batch "$vectors"
check 'all vectors, from a file with the result columns' \
	same_as "$work/expected"
check 'the vectors are many' [ "$(wc -l <"$work/expected")" -gt 1000 ]

cut -f 1,3-12 "$vectors" >"$work/input"
run place --batch <"$work/input"
check 'without the shape column' same_as "$work/expected"

awk -F '\t' -v OFS='\t' '{ for (i = 12; i > 1; i--) printf "%s\t", $i; print $1 }' \
	"$vectors" >"$work/input"
run place --batch <"$work/input"
check 'columns in another order' same_as "$work/expected"

sed 's/$/\r/' "$vectors" >"$work/input"
run place --batch <"$work/input"
check 'lines that end as on Windows' same_as "$work/expected"

# These have another name for the id and no units in use afterwards.
seeds=$data/seed_examples.tsv
cut -f 1,12-14 "$seeds" | sed '1s/^ref/id/' >"$work/expected"
sed '1s/^ref/id/' "$seeds" >"$work/input"
run place --batch <"$work/input"
cut -f 1-3,5 "$work/out" >"$work/cut"
check 'all rows of seed_examples.tsv' cmp -s "$work/cut" "$work/expected"


# --- bad rows ---

lines "a${tab}NSCC${tab}C${tab}1${tab}-${tab}1${tab}-${tab}-${tab}-${tab}-${tab}-" \
	"b${tab}NSCC${tab}Q${tab}1${tab}-${tab}1${tab}-${tab}-${tab}-${tab}-${tab}-" \
	"c${tab}NSCC(${tab}C${tab}1${tab}-${tab}1${tab}-${tab}-${tab}-${tab}-${tab}-" \
	"d${tab}NSCC${tab}C" \
	"e${tab}NSCC${tab}C${tab}0${tab}-${tab}1${tab}-${tab}-${tab}-${tab}-${tab}-" \
	"f${tab}NSCC${tab}C${tab}1${tab}-${tab}0${tab}-${tab}-${tab}-${tab}-${tab}-" \
	"g${tab}NSCC${tab}C${tab}1${tab}-${tab}1${tab}-${tab}Ss${tab}-${tab}-${tab}-" \
	"" \
	"h${tab}NSCc${tab}C${tab}1${tab}-${tab}2${tab}-${tab}-${tab}-${tab}-${tab}-" \
	"i${tab}NSCC${tab}C${tab}1${tab}-${tab}2${tab}-${tab}-${tab}-${tab}-${tab}NSCcC" \
	>"$work/input"
cat >"$work/expected" <<END
$out_columns
a${tab}1${tab}NScC${tab}NScC${tab}0
b${tab}0${tab}ERROR${tab}-${tab}-
c${tab}0${tab}ERROR${tab}-${tab}-
d${tab}0${tab}ERROR${tab}-${tab}-
e${tab}0${tab}ERROR${tab}-${tab}-
f${tab}0${tab}ERROR${tab}-${tab}-
g${tab}0${tab}ERROR${tab}-${tab}-
h${tab}1${tab}NScC${tab}nscc${tab}0
i${tab}0${tab}FAIL:FILTER_MISMATCH${tab}-${tab}-
END
run place --batch <"$work/input"
check 'bad rows: exit code 2' [ "$code" -eq 2 ]
check 'bad rows are marked, the others are placed' \
	cmp -s "$work/expected" "$work/out"
sed -n 's/^topobind place: line \([0-9]*\): ..*/\1/p' "$work/err" |
	tr '\n' ' ' >"$work/numbers"
check 'a sentence with the line number for each' \
	[ "$(cat "$work/numbers")" = '3 4 5 6 7 8 ' ]
check 'and nothing else on stderr' [ "$(wc -l <"$work/err")" -eq 6 ]

# --- no table ---

run place --batch </dev/null
check 'an empty table' refused_for 'empty'
printf 'id\tbunit\n' >"$work/input"
run place --batch <"$work/input"
check 'a header without topology' refused_for '"topology"'
run place --batch "$work/missing"
check 'a file that is not there' refused_for 'No such file'
run place --batch "$work"
check 'a directory' [ "$code" -eq 2 ]
run place --batch "$vectors" surplus
check 'one argument too many' refused_for 'surplus'
for option in --json '--slots 3' '--topology SCC' '--bunit X' \
	'--topobind bunit=X'; do
	# shellcheck disable=SC2086 # an option and its value
	run place --batch "$vectors" $option
	check "$option beside the table" refused_for 'leave out'
done

# --- rubbish ---

rubbish >"$work/rubbish"
run place --batch <"$work/rubbish"
check '64 KiB of rubbish as table' refused
{
	lines
	cat "$work/rubbish"
} >"$work/input"
run place --batch <"$work/input"
check '64 KiB of rubbish as row' [ "$code" -eq 2 ]
lines "x${tab}$(cat "$work/rubbish")${tab}C${tab}1${tab}-${tab}1${tab}-${tab}-${tab}-${tab}-${tab}-" \
	>"$work/input"
run place --batch <"$work/input"
check '64 KiB of rubbish as topology' [ "$code" -eq 2 ]
lines "x${tab}NSCC${tab}C${tab}1${tab}-${tab}1${tab}-${tab}-${tab}-${tab}-${tab}$(cat "$work/rubbish")" \
	>"$work/input"
run place --batch <"$work/input"
check '64 KiB of rubbish as filter' [ "$code" -eq 2 ]
{
	lines
	head -c 65536 "$program"
} >"$work/input"
run place --batch <"$work/input"
check 'a binary file' [ "$code" -eq 2 ]
printf '%s\n' "$columns" >"$work/input"
printf 'z\tNSCC\0\tC\t1\t-\t1\t-\t-\t-\t-\t-\n' >>"$work/input"
run place --batch <"$work/input"
check 'a zero byte in a row' [ "$code" -eq 2 ]

report
