# SPDX-License-Identifier: GPL-2.0-or-later
#
# apart.awk - which jobs touch more caches than they need, and was that to be avoided?
#
# awk -v nodes=N -v caches=N -v size=N -f apart.awk VICTIMS BEFORE NOW
#
# Of nodes n1, n2... with so many caches of so many cores each.  BEFORE has those that ran,
# VICTIMS the jobs of them that have ended since, NOW those that run: lines "JOB NODE
# CORES", a node each.  The new ones have started in the order of their lines, when the
# victims had ended.  Prints how many of these are in more caches than their cores need,
# and for how many of them any node had room in as few.

# Puts the cores of a list into of.
function list(cores,   count, i, part, ends, core) {
	delete of
	count = split(cores, part, ",")
	for (i = 1; i <= count; i++) {
		if (split(part[i], ends, "-") == 1)
			ends[2] = ends[1]
		for (core = ends[1]; core <= ends[2]; core++)
			of[core]
	}
}

# Takes the cores of a job; how many caches these touch.
function take(node,   touched, core, cache, seen) {
	for (core in of) {
		cache = int(core / size)
		touched += !(cache in seen)
		seen[cache]
		used[node, cache]++
	}
	return touched
}

# Do so few caches of any node have room for so many cores?
function has_room(few, cores,   node, cache, room, free, n, left) {
	for (node = 1; node <= nodes; node++) {
		delete room
		for (cache = 0; cache < caches; cache++)
			room[size - used["n" node, cache]]++
		left = cores
		n = few
		for (free = size; free > 0 && n > 0; free--)
			while (room[free]-- > 0 && n-- > 0)
				left -= free
		if (left <= 0)
			return 1
	}
	return 0
}

FILENAME ~ /victims$/ { ended[$1]; next }

FILENAME ~ /before$/ {
	old[$1]
	if (!($1 in ended)) {
		list($3)
		take($2)
	}
	next
}

!($1 in old) {
	list($3)
	cores = length(of)
	few = int((cores + size - 1) / size)
	had_room = has_room(few, cores)
	if (take($2) > few) {
		apart++
		in_vain += had_room
	}
}

END { print apart + 0, in_vain + 0 }