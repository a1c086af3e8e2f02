# SPDX-License-Identifier: GPL-2.0-or-later
#
# contiguous.awk - the nodes that --bnodes=CONTIGUOUS gives a job of whole nodes
#
# Input: "switch LEVEL NAME NODE" for each node below a switch, and "node NAME FREE" in
# Slurm's order, FREE 1 or 0.  With -v wanted=N it prints N nodes, a line each, in Slurm's
# order; none where fewer are free.  It walks down the switches and tries all blocks.

$1 == "switch" {
	above[$4, $2] = $3
	if ($2 + 1 > levels)
		levels = $2 + 1
}

$1 == "node" {
	name[++nodes] = $2
	free[nodes] = $3
}

function together(a, b, level) {
	return a == b || ((name[a], level) in above &&
		above[name[a], level] == above[name[b], level])
}

# The nodes of a switch whose first is the first, then those of the others.
function walk(list, level,    numbers, count, i, first, below, rest) {
	count = split(list, numbers, " ")
	if (!count)
		return
	if (level < 0) {
		order[++ordered] = numbers[1]
		for (i = 2; i <= count; i++)
			rest = rest " " numbers[i]
		walk(rest, level)
		return
	}
	first = numbers[1]
	for (i = 1; i <= count; i++)
		if (together(first, numbers[i], level))
			below = below " " numbers[i]
		else
			rest = rest " " numbers[i]
	walk(below, level - 1)
	walk(rest, level)
}

function height(a, b,    level) {
	for (level = 0; level < levels && !together(a, b, level); level++)
		continue
	return level
}

# All that counts of a block, the less the better, as one number.
function worth(from, to,    i, before, switches, gaps) {
	before = order[from]
	for (i = from; i <= to; i++) {
		if (!free[order[i]]) {
			gaps = 1
			continue
		}
		switches += height(before, order[i]) > 0
		before = order[i]
	}
	return (((switches * 100 + height(order[from], order[to])) * 2 + gaps) \
		* 1000 + to - from) * 1000 + from
}

function try(from,    to, held) {
	for (to = from; to <= nodes; to++) {
		held += free[order[to]]
		if (held == wanted)
			break
	}
	if (to > nodes || (found && worth(from, to) >= best))
		return
	found = 1
	best = worth(from, to)
	first = from
	last = to
}

END {
	for (i = 1; i <= nodes; i++)
		all = all " " i
	walk(all, levels - 1)
	for (i = 1; i <= nodes; i++)
		if (free[order[i]])
			try(i)
	for (i = first; found && i <= last; i++)
		chosen[order[i]] = free[order[i]]
	for (i = 1; i <= nodes; i++)
		if (chosen[i])
			print name[i]
}
