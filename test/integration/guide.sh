#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guide - the user's guide, doc/guide: its commands print what stands there, its
# pictures are what topobind draws of the nodes then, and it has two pages; the same
# for the two pictures of README.md, doc/pictures
#
# guide.sh --record writes the pictures, and what they are drawn from, instead.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/reader.bash
. "$(dirname "$0")/reader.bash"

guide=$top/doc/guide
page=$guide/guide.html
record=${1:-}

# --- the page -------------------------------------------------------------------

# A line for each block that is run: name, node of its picture, whether the jobs
# of the block before still run.
blocks() {
	sed -n 's/^<pre id="\([a-z]*\)"\([^>]*\)>.*/\1 \2/p' "$page" |
		while read -r name attributes; do
			node=$(sed -n 's/.*data-node="\([a-z]*\)".*/\1/p' \
				<<<"$attributes")
			[[ $attributes == *goes-on* ]] && joined=yes || joined=no
			echo "$name ${node:-ash} $joined"
		done
}

block() {
	sed -n "/^<pre id=\"$1\"/,/<\/pre>/p" "$page" |
		sed -e 's/^<pre[^>]*>//' -e 's/<\/pre>.*//' -e 's/&lt;/</g' \
			-e 's/&gt;/>/g' -e 's/&amp;/\&/g'
}

# of_cluster, of_page - names as they are here, or as they are in the page; whose
# jobs these are is none of its business
of_cluster() {
	sed -E "s/\b(ash|elm)\b/\1$number/g"
}

of_page() {
	sed -E -e "s/\b(ash|elm)$number\b/\1/g" -e 's/\broot\b/ann/g' \
		-e 's/ +$//'
}

# --- running it -----------------------------------------------------------------

# The state of a node, as the picture of the page has it.
state() {
	topobind map --json "$1$number" |
		jq --arg name "$1$number" --arg short "$1" '
		.time = 0
		| .nodes[].node = $short
		| .jobs[] |= (.user = "ann"
			| if has("end") then .end = 600 else . end
			| .grants[].nodes[] |= sub($name; $short)
			| if has("holds") then .holds[].node |= sub($name; $short)
			  else . end)'
}

drawn() {
	topobind map --from "$1" --svg
}

check_picture() {
	local name=$1 node=$2

	[ -n "$record" ] || [ -e "$guide/$name.svg" ] || return 0
	grep -q "src=\"$name.svg\"" "$page" || return 0
	state "$node" >"$work/state"
	if [ -n "$record" ]; then
		cp "$work/state" "$guide/$name.json"
		drawn "$guide/$name.json" >"$guide/$name.svg"
	fi
	diff "$guide/$name.json" "$work/state"
	drawn "$guide/$name.json" | diff "$guide/$name.svg" -
}

run_block() {
	local name=$1 node=$2

	block "$name" >"$work/wanted"
	assert grep -q '^\$ ' "$work/wanted"
	assert_prints "$work/wanted"
	check_picture "$name" "$node"
	assert_no_contradictions
}

# run_blocks "NAME NODE" ... - one after the other, on nodes that were idle
run_blocks() {
	local one

	for one; do
		# shellcheck disable=SC2086 # two words
		run_block $one
	done
}

test_blocks() {
	local name node joined group=() names=''

	while read -r name node joined <&3; do
		if [ "$joined" = no ] && [ "${#group[@]}" -gt 0 ]; then
			test_case "the guide:$names" run_blocks "${group[@]}"
			group=() names=''
		fi
		group+=("$name $node")
		names+=" $name"
	done 3< <(blocks)
	test_case "the guide:$names" run_blocks "${group[@]}"
}

# --- README.md's pictures: the same two jobs, plain and bound ---------------------

# two_jobs PICTURE OPTION...
two_jobs() {
	local picture=$top/doc/pictures/$1 name

	shift
	for name in wave solver; do
		sbatch -J "$name" -w "$NODE_EPYC" -p four -n3 "$@" \
			--wrap 'exec sleep 600' >/dev/null
	done
	state epyc | jq '.jobs |= (sort_by(.job | tonumber) | to_entries
		| map(.value + {job: (.key + 1 | tostring)}))' >"$work/state"
	if [ -n "$record" ]; then
		cp "$work/state" "$picture.json"
		drawn "$picture.json" >"$picture.svg"
	fi
	diff "$picture.json" "$work/state"
	drawn "$picture.json" | diff "$picture.svg" -
	assert grep -q "doc/pictures/${picture##*/}.svg" "$top/README.md"
}

# --- the page as a whole ----------------------------------------------------------

case_all_is_there() {
	local name

	assert [ "$(blocks | wc -l)" -ge 10 ]
	while read -r name; do
		assert [ -s "$guide/$name.svg" ]
		blocks | grep "^$name " >/dev/null ||
			fail "no block has the picture $name"
	done < <(sed -n 's/.*<img src="\([a-z]*\)\.svg".*/\1/p' "$page")
	assert [ "$(grep -c '<img' "$page")" -eq "$(find "$guide" -name '*.svg' | wc -l)" ]
}

case_two_pages() {
	chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer \
		--user-data-dir="$work/browser" \
		--print-to-pdf="$work/guide.pdf" "file://$page" \
		>"$work/browser.out" 2>&1
	assert_eq pages 2 "$(grep -a -c '/Type */Page$' "$work/guide.pdf")"
}

numa='10,12,20,20;12,10,20,20;20,20,10,12;20,20,12,10'
shape=SNXCTTCTTXCTTCTTNXCTTCTTXCTTCTT
cluster_start --nodes this --machine "ash $shape$shape 2 8 2 $numa" \
	--machine "elm $shape$shape 1 32 1 $numa" \
	--machine "epyc NSXCCCCXCCCCSXCCCCXCCCC 2 8 1"
number=${NODE_ASH#ash}
# Threads are counted in a partition of its own.
scontrol create partitionname=smt nodes="$NODE_ELM" state=up defaulttime=10
scontrol create partitionname=four nodes="$NODE_EPYC" state=up defaulttime=10
scontrol update partitionname=main nodes="$NODE_ASH"
for script in mpi hybrid stream count answer plain small; do
	printf '#!/bin/sh\nexec sleep 600\n' >"$work/$script.sh"
done
test_blocks
test_case "README.md: two plain jobs" two_jobs plain
test_case "README.md: two bound jobs" two_jobs bound \
	--bunit=l3 --btype=host
test_case "every block and picture is there" case_all_is_there
test_case "it has two pages" case_two_pages
tests_done
