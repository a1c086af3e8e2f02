# SPDX-License-Identifier: GPL-2.0-or-later
#
# possible.awk - can this job of units start now?  By trying all sets of nodes,
# with nothing of the product.
#
#	scontrol -d show job | awk -v request="-n3 --bunit=X --bamount=1" \
#		-v number=NUMBER -f possible.awk nodes -
#
# number: of the cluster, which ends the nodes' names.  Prints nothing if it cannot,
# else the nodes of one set and, for slots, how many CPUs each has.
#
# It knows the options of the requests called units in requests.awk.  What it finds
# is a finding only if Slurm starts a plain job of as many CPUs on these nodes: of
# what else Slurm's options mean it knows nothing.

# value(KEY, OTHERWISE) - of an option, KEY with its "=" if it has one
function value(key, otherwise,    at) {
	at = index(" " request, " " key)
	if (!at)
		return otherwise
	at = substr(request, at + length(key))
	sub(/ .*/, "", at)
	return at
}

function number_of(key, otherwise) { return value(key, otherwise) + 0 }

# Nodes: which core is in which unit.
FNR == NR {
	if (/^#/)
		next
	node = $1
	name[++nodes] = node
	features[node] = "," $7 ","
	has_gpus[node] = 0
	count = split($6, parts, ",")
	for (i = 1; i <= count; i++)
		if (match(parts[i], /[0-9]+$/))
			has_gpus[node] += substr(parts[i], RSTART)
	letter = value("--bunit=", "C")
	if (!index($2, letter))
		letter = letter == "Y" ? "C" : "S"
	core = units = 0
	for (i = 1; i <= length($2); i++) {
		c = substr($2, i, 1)
		units += c == letter
		if (c == "C")
			unit[node, ++core] = units
	}
	cores[node] = core
	unit_count[node] = units
	next
}

# Jobs that run, or wait for their turn on cores that they share.
/^ *JobState=/ { runs = /JobState=(RUNNING|SUSPENDED)/ }
runs && /CPU_IDs=/ {
	match($0, /Nodes=[^ ]*/)
	node = substr($0, RSTART + 6, RLENGTH - 6)
	match($0, /CPU_IDs=[^ ]*/)
	cpus = substr($0, RSTART + 8, RLENGTH - 8)
	match($0, /Mem=[0-9]*/)
	memory = substr($0, RSTART + 4, RLENGTH - 4)
	gpus = 0
	rest = $0
	while (match(rest, /gpu[:a-z]*:[0-9]+\(/)) {
		part = substr(rest, RSTART, RLENGTH - 1)
		sub(/.*:/, "", part)
		gpus += part
		rest = substr(rest, RSTART + RLENGTH)
	}
	take(node, cpus, memory, gpus)
}

function take(list, cpus, memory, gpus,    i, k, n, from, to, ranges, which) {
	for (i = 1; i <= nodes; i++) {
		which = name[i]
		if (("," expanded(list) ",") !~ "," which number ",")
			continue
		used_memory[which] += memory
		used_gpus[which] += gpus
		n = split(cpus, ranges, ",")
		for (k = 1; k <= n; k++) {
			from = to = ranges[k]
			sub(/-.*/, "", from)
			sub(/.*-/, "", to)
			for (; from + 0 <= to + 0; from++)
				used[which, int(from / 2) + 1] = 1
		}
	}
}

# Slurm puts brackets around numbers only, and these names have one only.
function expanded(list) {
	gsub(/[][]/, "", list)
	return list
}

function fits_constraint(node,    i, k, n, m, either, both, here) {
	constraint = value("--constraint=", "")
	if (constraint == "")
		return 1
	n = split(constraint, either, "|")
	for (i = 1; i <= n; i++) {
		m = split(either[i], both, "&")
		here = 1
		for (k = 1; k <= m; k++)
			here = here && index(features[node], "," both[k] ",")
		if (here)
			return 1
	}
	return 0
}

# What a node can have of the job, into cap, size and whether it may be taken.
function look_at(node,    i, free, bad, gpus, need, amount, memory, fits) {
	for (i = 1; i <= cores[node]; i++)
		if ((node, i) in used)
			bad[unit[node, i]]
	free = unit_count[node]
	for (i in bad)
		free--
	amount = number_of("--bamount=", 1)
	size[node] = amount * 2 * cores[node] / unit_count[node]
	cap[node] = 0
	if (!fits_constraint(node) || value("--exclude=", "") == node number)
		return
	gpus = has_gpus[node] - used_gpus[node]
	need = number_of("--gres=gpu:", value("--gpus-per-node=", 0))
	if (gpus < need || size[node] < number_of("-c", 1))
		return
	memory = 1000000 - used_memory[node]
	if (memory < number_of("--mem=", 0))
		return
	if (host)
		fits = int(size[node] / number_of("-c", 1)) * (free >= amount)
	else
		fits = int(free / amount)
	need = number_of("--gpus-per-task=", 0)
	if (need > 0 && fits > int(gpus / need))
		fits = int(gpus / need)
	need = number_of("--mem-per-cpu=", value("--mem=", "") == "" ? 100 : 0)
	if (host)
		fits = memory >= need * size[node] ? fits : 0
	else if (need > 0 && fits > int(memory / need / size[node]))
		fits = int(memory / need / size[node])
	need = number_of("--ntasks-per-node=", fits)
	cap[node] = fits > need ? need : fits
}

END {
	host = request ~ /--btype=host/
	tasks = number_of("-n", 1)
	least = most = value("-N", "1-" nodes)
	sub(/-.*/, "", least)
	sub(/.*-/, "", most)
	least += 0
	most = most + 0 > tasks ? tasks : most + 0
	for (i = 1; i <= nodes; i++)
		look_at(name[i])
	for (set = 1; set < 2 ^ nodes; set++)
		if (suffices(set))
			exit
}

function suffices(set,    i, here, sum, first, count, list, node) {
	for (i = 1; i <= nodes; i++) {
		here = int(set / 2 ^ (i - 1)) % 2
		node = name[i]
		if (!here) {
			if (value("--nodelist=", "") == node number)
				return 0
			continue
		}
		if (cap[node] < 1)
			return 0
		if (first != "" && !host && size[node] != size[first])
			return 0
		first = first == "" ? node : first
		sum += cap[node]
		count++
		list = list (list == "" ? "" : ",") node number
	}
	if (sum < tasks || count < least || count > most)
		return 0
	print list, size[first]
	return 1
}
