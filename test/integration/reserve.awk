# SPDX-License-Identifier: GPL-2.0-or-later
#
# reserve.awk - what is wrong with reservations of units, by an oracle that counts
#
# Lines of the input, times in seconds:
#
#	size NODE CORES THREADS UNIT SIZE...  its cores, CPUs of each, cores of a unit
#	job ID START END NODE CPU             one line for each CPU
#	reserved NAME START END NODE CORE     one line for each core
#	wanted NAME START END UNIT AMOUNT SLOTS NODES GOT
#
# NODES 0: as few as hold them.  GOT: 1, or 0 when it was refused.  Prints a line for
# each thing that is wrong.
$1 == "size" {
	cores[$2] = $3
	threads[$2] = $4
	kind[$2] = $3 " " $4
	for (i = 5; i < NF; i += 2) {
		size[$2, $i] = $(i + 1)
		kind[$2] = kind[$2] " " $i $(i + 1)
	}
}
# The CPUs of a core count once.  A job begins, and ends, some seconds after the time
# that was looked at: at that edge it may be in the way or not.
$1 == "job" && !counted[$2, $5, int($6 / threads[$5])]++ {
	take("job " $2, $3 + edge, $4 - edge, $5, int($6 / threads[$5]), edge)
}
BEGIN { edge = 5 }
$1 == "reserved" {
	take("reservation " $2, $3, $4, $5, $6, 0)
	has[$2, $5, $6]
	count[$2, $5]++
	named[$2]
}
$1 == "wanted" {
	wanted[$2] = $0
}

function take(who, start, end, node, core, around) {
	n = ++holders[node, core]
	holder[node, core, n] = who
	from[node, core, n] = start
	to[node, core, n] = end
	margin[node, core, n] = 2 * around
}

# Is the core free from start to end?
function is_free(node, core, start, end,    i) {
	for (i = 1; i <= holders[node, core]; i++)
		if (from[node, core, i] - margin[node, core, i] < end &&
		    to[node, core, i] + margin[node, core, i] > start)
			return 0
	return 1
}

function free_units(node, unit, start, end,    i, core, free, whole) {
	for (i = 0; i < cores[node]; i += size[node, unit]) {
		whole = 1
		for (core = i; core < i + size[node, unit]; core++)
			whole = whole && is_free(node, core, start, end)
		free += whole
	}
	return free + 0
}

# Would it fit on nodes of one kind, all of these free units considered?
function fits(kind_of, unit, amount, slots, nodes, start, end,
	      node, most, here, i, sum, n, list) {
	for (node in cores)
		if (kind[node] == kind_of)
			list[++n] = int(free_units(node, unit, start, end) / amount)
	for (i = 1; i <= n && (!nodes || i <= nodes); i++) {
		most = i
		for (here = i + 1; here <= n; here++)
			if (list[here] > list[most])
				most = here
		sum += list[most]
		if (!list[most] && nodes)
			return 0
		list[most] = list[i]
	}
	return sum >= slots && (!nodes || n >= nodes)
}

function check_got(name, unit, amount, slots, nodes,
		   node, i, core, in_unit, units, all, places) {
	for (node in cores) {
		if (!((name, node) in count))
			continue
		places++
		units = 0
		for (i = 0; i < cores[node]; i += size[node, unit]) {
			in_unit = 0
			for (core = i; core < i + size[node, unit]; core++)
				in_unit += (name, node, core) in has
			if (in_unit && in_unit != size[node, unit])
				print name, "has a part of", unit, i / size[node, unit], "of", node
			units += in_unit > 0
		}
		if (units % amount)
			print name, "has", units, unit, "of", node ", no multiple of", amount
		all += units
	}
	if (all != slots * amount)
		print name, "has", all + 0, unit, "instead of", slots * amount
	if (nodes && places != nodes)
		print name, "has", places + 0, "nodes instead of", nodes
}

END {
	for (place in holders)
		for (i = 1; i <= holders[place]; i++)
			for (j = i + 1; j <= holders[place]; j++) {
				split(place, at, SUBSEP)
				if (from[place, i] < to[place, j] &&
				    to[place, i] > from[place, j])
					print holder[place, i], "and", holder[place, j],
						"overlap on core", at[2], "of", at[1]
			}
	for (name in wanted) {
		split(wanted[name], w)
		if (w[9])
			check_got(name, w[5], w[6], w[7], w[8])
		for (node in cores)
			if (!w[9] && fits(kind[node], w[5], w[6], w[7], w[8], w[3], w[4])) {
				print name, "was refused:", wanted[name]
				break
			}
	}
	for (name in named)
		if (!(name in wanted))
			print name, "was not wanted"
}
