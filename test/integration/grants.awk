# SPDX-License-Identifier: GPL-2.0-or-later
#
# grants.awk - who holds what, from "scontrol -d show job"
#
# Prints one line per job, node and thread:
#   grant JOB NODE THREAD UNIT [paused]   from the grant= lines of SystemComment
#   cpu JOB NODE CPU [paused]             from Slurm's own CPU_IDs
# THREAD is the position in the topology string; where cores have equally many
# threads, or a Slurm core is a thread, it is Slurm's CPU_ID.  UNIT numbers the
# node's objects of the letter that the job asked for; a list of CPUs is threads,
# which are booked as cores on most nodes.  Jobs that do not run hold nothing, but
# those that a gang scheduler paused, which have a priority, do.  A string whose
# case contradicts itself gives a line "broken ...".

function is_lower(c) { return c ~ /[a-z]/ }

# Threads of the compact form: each T, and each core that has none.
function compact_threads(text, lower,    i, c, next_c, n) {
	n = 0
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		next_c = substr(text, i + 1, 1)
		if (c ~ /[tT]/ || (c ~ /[cCeE]/ && next_c !~ /[tT]/))
			lower[n++] = is_lower(c)
	}
	return n
}

# The structured form has every thread.
function structured_threads(text, lower,    i, c, n) {
	n = 0
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c ~ /[tT]/)
			lower[n++] = is_lower(c)
	}
	return n
}

# What a unit is on a node that may not have it.  Cores with different numbers of
# threads are on nodes where Slurm counts threads; else it books whole cores.
function letters_of(unit, text) {
	if (unit == "T" && text ~ /[CE]T/ && text ~ /[CE]([^T]|$)/)
		return "T"
	if (unit == "Y" && text !~ /Y/)
		unit = "C"
	if ((unit == "N" || unit == "X") && !index(text, unit))
		unit = "S"
	return unit ~ /[CET]/ ? "[CE]" : unit
}

# Into units, for each thread of the string: which of the unit's objects it is
# in, as they come one after another.
function units_of(text, unit, units,    i, c, next_c, n, seen, letters) {
	text = toupper(text)
	gsub(/[()]/, "", text)
	letters = letters_of(unit, text)
	n = seen = 0
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		next_c = substr(text, i + 1, 1)
		seen += c ~ letters
		if (c == "T" || (c ~ /[CE]/ && next_c != "T")) {
			units[n] = letters == "T" ? n : seen
			n++
		}
	}
}

# A core is lower case if and only if all its threads are.
function core_case_is_right(text,    i, c, all, some, core) {
	gsub(/[()]/, "", text)
	core = ""
	for (i = 1; i <= length(text) + 1; i++) {
		c = substr(text, i, 1)
		if (c ~ /[tT]/) {
			some = 1
			all = all && is_lower(c)
			continue
		}
		if (core != "" && some && all != is_lower(core))
			return 0
		core = c ~ /[cCeE]/ ? c : ""
		all = 1
		some = 0
	}
	return 1
}

function threads_of(text, lower) {
	if (substr(text, 1, 1) == "(")
		return structured_threads(text, lower)
	return compact_threads(text, lower)
}

# "zen1,power[1-2]" into the array names; the number of them.
function nodes_of(list, names,    n, head, from, to, i, item) {
	n = 0
	while (match(list, /^[^,[]+(\[[^]]*\])?,?/)) {
		item = substr(list, 1, RLENGTH)
		list = substr(list, RLENGTH + 1)
		sub(/,$/, "", item)
		if (item !~ /\[/) {
			names[n++] = item
			continue
		}
		head = substr(item, 1, index(item, "[") - 1)
		item = substr(item, length(head) + 2)
		sub(/\]$/, "", item)
		split(item, parts, ",")
		for (i = 1; i in parts; i++) {
			from = to = parts[i]
			sub(/-.*/, "", from)
			sub(/.*-/, "", to)
			for (; from <= to; from++)
				names[n++] = head from
			delete parts[i]
		}
	}
	return n
}

function add_grant(nodes, text,    names, lower, units, n, t, i, k) {
	if (!core_case_is_right(text))
		print "broken", job, nodes, text
	n = nodes_of(nodes, names)
	t = threads_of(text, lower)
	units_of(text, unit, units)
	for (i = 0; i < n; i++)
		for (k = 0; k < t; k++)
			if (lower[k])
				print "grant", job, names[i], k, units[k] paused
}

function add_cpus(nodes, list,    names, ranges, n, i, k, from, to) {
	n = nodes_of(nodes, names)
	split(list, ranges, ",")
	for (i = 1; i in ranges; i++) {
		from = to = ranges[i]
		sub(/-.*/, "", from)
		sub(/.*-/, "", to)
		for (from += 0; from <= to + 0; from++)
			for (k = 0; k < n; k++)
				print "cpu", job, names[k], from paused
	}
}

function value_of(line, key) {
	if (!match(line, "(^| )" key "=[^ ]*"))
		return ""
	line = substr(line, RSTART, RLENGTH)
	return substr(line, index(line, "=") + 1)
}

/^JobId=/ { job = value_of($0, "JobId"); runs = 0 }
/^ *Priority=/ { priority = value_of($0, "Priority") }
/^ *JobState=/ {
	state = value_of($0, "JobState")
	paused = state == "SUSPENDED" && priority > 0 ? " paused" : ""
	runs = state == "RUNNING" || paused
}
/(^|SystemComment=)binding=/ {
	unit = $0
	if (unit ~ /bcpus=/)
		unit = "T"
	else if (!sub(/.*bunit=[CE]*/, "", unit) || unit !~ /^[TSXYN]/)
		unit = "C"
	unit = substr(unit, 1, 1)
}
runs && /CPU_IDs=/ { add_cpus(value_of($0, "Nodes"), value_of($0, "CPU_IDs")) }
runs && /(^|SystemComment=)grant=/ {
	sub(/^ *(SystemComment=)?grant=/, "")
	colon = index($0, ":")
	add_grant(substr($0, 1, colon - 1), substr($0, colon + 1))
}
