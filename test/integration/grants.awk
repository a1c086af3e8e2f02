# SPDX-License-Identifier: GPL-2.0-or-later
#
# grants.awk - who holds what, from "scontrol -d show job"
#
# Prints one line per job, node and thread:
#   grant JOB NODE THREAD   from the grant= tokens of SystemComment
#   cpu JOB NODE CPU        from Slurm's own CPU_IDs
# THREAD is the position in the topology string; where cores have equally many
# threads, or a Slurm core is a thread, it is Slurm's CPU_ID.  Jobs that do not
# run hold nothing.  A string whose case contradicts itself gives a line
# "broken ...".

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
	if (text ~ /^[0-9]/)
		return listed_threads(text, lower)
	if (substr(text, 1, 1) == "(")
		return structured_threads(text, lower)
	return compact_threads(text, lower)
}

# "zen1,power[1-2]" into the array names; the number of them.
function nodes_of(list, names,    n, head, from, to, i, k, item, format) {
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
			format = "%s%0" length(from) "d"
			for (k = from + 0; k <= to + 0; k++)
				names[n++] = sprintf(format, head, k)
			delete parts[i]
		}
	}
	return n
}

# "0-5,8" into the array lower; where it ends.
function listed_threads(list, lower,    ranges, i, k, from, to) {
	to = -1
	split(list, ranges, ",")
	for (i = 1; i in ranges; i++) {
		from = to = ranges[i]
		sub(/-.*/, "", from)
		sub(/.*-/, "", to)
		for (k = from + 0; k <= to + 0; k++)
			lower[k] = 1
	}
	return to + 1
}

function add_grant(nodes, text,    names, lower, n, t, i, k) {
	if (!core_case_is_right(text))
		print "broken", job, nodes, text
	n = nodes_of(nodes, names)
	t = threads_of(text, lower)
	for (i = 0; i < n; i++)
		for (k = 0; k < t; k++)
			if (lower[k])
				print "grant", job, names[i], k
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
				print "cpu", job, names[k], from
	}
}

function value_of(line, key) {
	if (!match(line, "(^| )" key "=[^ ]*"))
		return ""
	line = substr(line, RSTART, RLENGTH)
	return substr(line, index(line, "=") + 1)
}

/^JobId=/ { job = value_of($0, "JobId"); runs = 0 }
/^ *JobState=/ { runs = value_of($0, "JobState") ~ /^(RUNNING|CONFIGURING)$/ }
runs && /CPU_IDs=/ { add_cpus(value_of($0, "Nodes"), value_of($0, "CPU_IDs")) }
runs && /^( *SystemComment=)?binding=/ {
	for (field = 1; field <= NF; field++) {
		if ($field !~ /^grant=/)
			continue
		colon = index($field, ":")
		add_grant(substr($field, 7, colon - 7), substr($field, colon + 1))
	}
}
