#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# manual - the examples and tables of topobind_examples(7), topobind_migration(7),
# the pages of the plugins, and of those that ask this cluster, run on the nodes that
# they describe
#
# Expected is what stands in the pages.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/manual.sh
. "$top/test/manual.sh"

examples=$top/doc/topobind_examples.7
migration=$top/doc/topobind_migration.7
pages=("$examples" "$migration" "$top/doc/select_topobind.8"
	"$top/doc/spank_topobind.8" "$top/doc/topobind_binding.7"
	"$top/doc/topobind-hostfile.1" "$top/doc/topobind-plan.1")

# --- the nodes of the pages -------------------------------------------------

# Eight NUMA nodes with eight cores of four threads: no page prints its string.
big=$(printf 'NSX%.0s' {1..8} | sed "s/NSX/&$(printf 'CTTTT%.0s' {1..8})/g")

# The rows of the pages' tables of nodes: a name, a topology.
described_nodes() {
	{
		manual_rows "$examples"
		manual_rows "$migration"
		echo "big	$big"
	} | awk -F '\t' 'NF == 2 && $2 ~ /^[NSXYCET]+$/ {
		n = split($1, names, ", ")
		for (i = 1; i <= n; i++) print names[i] "\t" $2
	}' | sort -u
}

count() {
	tr -cd "$1" <<<"$2" | wc -c
}

# The line of a node for contribs/cluster.  Where cores differ Slurm counts
# threads.
machine() {
	local name=$1 topology=$2 sockets cores threads

	sockets=$(count S "$topology")
	cores=$(count C "$topology")
	threads=$(count T "$topology")
	if [[ $topology == *E* ]]; then
		echo "$name $topology 1 $((threads + $(count E "$topology"))) 1"
		return
	fi
	[ "$threads" -gt 0 ] || threads=$cores
	echo "$name $topology $sockets $((cores / sockets))" \
		"$((threads / cores))"
}

start_described_cluster() {
	local options=() name topology distances

	distances=$(sed -n 's/^\.BR Distances=\([0-9,;]*\).*/\1/p' "$examples")
	while IFS=$'\t' read -r name topology; do
		names+=("$name")
		options+=(--machine "$(machine "$name" "$topology")")
		[ "$name" != numa ] || options[-1]+=" $distances"
	done < <(described_nodes)
	cluster_start --nodes this "${options[@]}"
	names+=(this)
	any_name=$(IFS='|' && echo "${names[*]}")
	# Names of nodes in this cluster end in its number.
	number=${NODE_THIS#this}
	number_cpus
	printf '#!/bin/sh\nexec sleep 600\n' >"$work/job.sh"
	cp "$cluster/etc/topobind.conf" "$work/topobind.conf"
}

# As topobind_migration(7) says: these nodes are no machines, which would say so.
number_cpus() {
	local node

	for node in quad smt; do
		scontrol update NodeName="$node$number" Extra=m_oscpus=0-7
	done
}

# of_cluster, of_page - names and paths as they are here, or as they are printed
of_cluster() {
	sed -E -e "s/\b($any_name)\b/\1$number/g" \
		-e "s:/etc/slurm:$cluster/etc:g"
}

of_page() {
	sed -E -e "s/\b($any_name)$number\b/\1/g" \
		-e "s:$cluster/etc:/etc/slurm:g" -e 's/ +$//'
}

restore_conf() {
	cmp -s "$work/topobind.conf" "$cluster/etc/topobind.conf" && return
	replace_file "$work/topobind.conf" "$cluster/etc/topobind.conf"
	reconfigure
}

# --- examples ---------------------------------------------------------------

# As topobind_examples(7) says, a job's number is not printed but what is then to
# be seen of it.  Here the number is, and shown() puts that in its place: batch
# jobs start once a second, so the next is submitted at once.
sbatch() {
	local id

	id=$(command sbatch --parsable -o /dev/null "$@") || return
	submitted+=("$id")
	echo "job $id"
}

shown() {
	local line

	while IFS= read -r line; do
		if [[ $line =~ ^job\ [0-9]+$ ]]; then
			wait_until 30 is_settled "${line#job }"
			command scontrol show job "${line#job }" |
				grep -o -E 'grant=[^ ]*|waiting=.*' || true
		else
			printf '%s\n' "$line"
		fi
	done
}

is_settled() {
	[[ $(command scontrol show job "$1") =~ JobState=RUNNING|waiting= ]]
}

# Whoever looks wants to see the jobs there; and after a reconfigure the nodes.
scontrol() {
	settle
	if [ "$*" = reconfigure ] && [ -z "${reconfigures:-}" ]; then
		local reconfigures=yes

		reconfigure
		return
	fi
	command scontrol "$@"
}

squeue() {
	settle
	command squeue "$@"
}

settle() {
	local id

	for id in "${submitted[@]}"; do
		wait_until 30 is_settled "$id"
	done
}

# In an example a command may fail.
replay_here() {
	set +eu +o pipefail
	cd "$work" && replay "$1"
}

case_example() {
	local page=$1 n=$2

	trap restore_conf EXIT
	manual_example "$page" "$n" >"$work/wanted"
	assert grep -q '^\$ ' "$work/wanted"
	of_cluster <"$work/wanted" >"$work/example"
	(replay_here "$work/example") | shown | of_page >"$work/seen"
	diff "$work/wanted" "$work/seen"
	assert_no_contradictions
}

# --- rows of tables ---------------------------------------------------------

# The name of a described node with the shape of a grant.
node_like() {
	described_nodes | awk -F '\t' -v grant="$1" \
		'$2 == toupper(grant) { print $1; exit }'
}

case_row() {
	local options=() node job

	read -r -a options <<<"$1"
	node=$(node_like "$2" | of_cluster)
	assert [ -n "$node" ]
	job=$(alloc -N1 -w "$node" "${options[@]}")
	assert_eq "grant" "$2" "$(comment_word "$job" grant | sed -n "s/^$node://p")"
	assert_no_contradictions
}

# Rows that end in a grant, each once: the request, a tab, the grant.
rows_with_grants() {
	manual_rows "$1" | awk -F '\t' '
	$NF ~ /^[NSXYCETnsxycet]+$/ && $(NF - 1) ~ /^-/ && !seen[$(NF - 1), $NF]++ {
		print $(NF - 1) "\t" $NF
	}'
}

test_page() {
	local page=$1 name count n request grant

	name=$(basename "$page")
	count=$(manual_examples "$page" | grep -c '^%%$' || true)
	for ((n = 1; n <= count; n++)); do
		test_case "$name: example $n" case_example "$page" "$n"
	done
	while IFS=$'\t' read -r request grant <&4; do
		test_case "$name: $request" case_row "$request" "$grant"
	done 4< <(rows_with_grants "$page")
}

# Rows are not lost when somebody writes them otherwise.
case_all_is_found() {
	assert [ "$(manual_examples "$examples" | grep -c '^%%$')" -ge 40 ]
	assert_eq "units" 17 "$(rows_with_grants "$examples" | wc -l)"
	assert [ "$(rows_with_grants "$migration" | wc -l)" -ge 30 ]
}

names=()
submitted=()
start_described_cluster
test_case "the pages have their examples and tables" case_all_is_found
for page in "${pages[@]}"; do
	test_page "$page"
done
tests_done
