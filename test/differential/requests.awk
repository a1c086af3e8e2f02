# SPDX-License-Identifier: GPL-2.0-or-later
#
# requests.awk - a round of random requests, the same ones for the same seed
#
#	awk -v seed=7 -v asks=10 -v world=usual -f requests.awk
#
# Prints lines of four fields, separated by tabs: what it is, options that a job
# has with and without a binding, those without only, and those of the binding.
# What it is:
#	load	a job that runs while the others are asked; without binding in
#		rounds in which both clusters have the same load
#	cores	a job, and with the binding one of exactly the same cores
#	units	a job of units, for which possible.awk says whether they are free
#	any	a job with any binding, whose answers must go together
#	batch	an array or a heterogeneous job
#
# world is one of worlds.bash.
#
# The nodes are those of rounds.bash, whose cores have two threads each.

# The same everywhere, unlike rand().
function random(n) {
	state = state * 48271 % 2147483647
	return int(state / 2147483647 * n)
}

function one_in(n) { return random(n) == 0 }

# pick("a b c") - one of the words
function pick(list,    words, n) {
	n = split(list, words, " ")
	return words[1 + random(n)]
}

function between(low, high) { return low + random(high - low + 1) }

function add(text) { common = common " " text }

function add_nodes() {
	least = 1
	if (one_in(3))
		return
	most = least = between(1, tasks < 4 ? tasks : 4)
	if (one_in(4) && least < 4)
		most = between(least + 1, 4)
	add("-N" least (most > least ? "-" most : ""))
}

function add_simple_gpus() {
	if (!one_in(3))
		return
	add(pick("--gres=gpu: --gres=gpu: --gpus-per-node= --gpus-per-task=") \
		pick("1 1 2 3 4"))
	if (one_in(8))
		add("--gres-flags=disable-binding")
}

# Slurm makes of it how many tasks there are, whatever -n says.
function add_tasks_of_gpus(    gpus, each) {
	gpus = between(1, 6)
	each = between(1, 3)
	tasks = gpus * each
	sub(/^-n[0-9]+/, "-n" tasks, common)
	if (least > tasks)
		sub(/ -N[^ ]*/, "", common)
	add("--gpus=" gpus " --ntasks-per-gpu=" each)
}

function add_gpus() {
	if (one_in(2))
		return
	if (one_in(3))
		add("--gpus=" between(1, 10))
	else if (one_in(6))
		add_tasks_of_gpus()
	else if (one_in(6))
		add("--gres=gpu:" pick("big small") ":" between(1, 3))
	else
		add_simple_gpus()
	if (common ~ /gpu/ && common !~ /gres-flags/ && one_in(4))
		add("--gres-flags=enforce-binding")
	if (common ~ /gpu/ && one_in(8))
		add("--mem-per-gpu=" pick("1000 90000"))
}

function add_memory() {
	if (common ~ /--mem/ || !one_in(4))
		return
	add(pick("--mem= --mem-per-cpu=") pick("100 5000 40000 70000"))
}

function add_simple_constraint() {
	if (one_in(5))
		add("--constraint=" pick("a b a&c a|b c b|c"))
	if (one_in(10))
		add("--exclude=" pick("{one} {two} {three} {four}"))
	# With more nodes than these --test-only looks at these alone.
	if (one_in(16)) {
		sub(/ -N[^ ]*/, "", common)
		add("-N1 --nodelist=" pick("{one} {two} {three} {four}"))
	}
}

function add_constraint() {
	if (!one_in(8))
		add_simple_constraint()
	else
		add("--constraint=" pick("[a|b] [a*1&b*1] [a*2&b*1] [b*1&c*1] " \
			"(a&c)|b a*1 [a|c]"))
}

function add_of_world() {
	if (world == "tree" && one_in(4))
		add("--switches=" pick("1 2"))
	if (world == "lln" && one_in(2))
		add("-p spread")
	if (world == "owners" && one_in(2))
		add("--exclusive=" pick("user user mcs"))
	if (world == "reserved" && !one_in(3))
		add("--reservation=" pick("flex cores"))
	if (world == "gang" && one_in(2))
		add("-p twice")
	if (world == "preempt" && !one_in(3))
		add("-p over")
	if (world == "dynamic" && !one_in(4))
		add("-p all")
}

function add_others() {
	if (one_in(8))
		add("--ntasks-per-node=" between(1, 5))
	if (one_in(10))
		add(pick("--exclusive --exclusive=user --contiguous --spread-job " \
			"--use-min-nodes --oversubscribe --sockets-per-node=2 " \
			"--ntasks-per-core=1 --ntasks-per-core=2 " \
			"--cores-per-socket=8 --switches=1"))
	if (one_in(20))
		add("--licenses=" pick("few:1 few:2 few:3"))
	if (one_in(20))
		add(pick("--time-min=5 --nice=10 --no-kill"))
}

# A job that has exactly the cores of a plain one.
function cores_of_plain(    amount) {
	amount = between(1, 3)
	own = " -c" amount * 2
	# Threads and --ntasks-per-core are refused together, with a sentence.
	binding = " --bunit=" (common ~ /per-core/ ? "C" : pick("C C CT")) \
		" --bamount="
	binding = binding amount * (binding ~ /CT/ ? 2 : 1)
	sub(/CT/, "T", binding)
	if (one_in(2))
		binding = binding own
	if (one_in(4))
		binding = binding " --bstrategy=" pick("linear scatter packed")
	if (one_in(6))
		binding = binding " --bsort=" pick("S s X N SxC ns")
	if (one_in(6))
		binding = binding " --bnodes=" pick("CONTIGUOUS MINRESOURCE " \
			"BESTFIT LASTAVAILABLE FIRSTAVAILABLE CPULOAD")
}

function units() {
	own = ""
	binding = " --bunit=" pick("X X N S Y") " --bamount=" pick("1 1 1 2 2 3")
	if (one_in(5))
		binding = binding " --btype=host"
	if (one_in(4))
		binding = binding " --bstrategy=" pick("linear scatter packed")
	if (one_in(6))
		binding = binding " --bsort=" pick("S s X N SxC ns")
	if (one_in(8))
		add("-c" between(1, 8))
}

function any(    letter) {
	units()
	if (one_in(4)) {
		binding = " --bcpus=" pick("0-3 0,1 2-5,8-11 0-15 4 12-13")
		return
	}
	if (one_in(3)) {
		letter = pick("S s N n X x C c")
		binding = binding " --bstart=" letter
		if (one_in(2))
			binding = binding " --bstop=" letter
	}
	if (one_in(4))
		binding = binding " --bfilter=first_core"
	if (one_in(4))
		binding = binding " --bnodes=" pick("MAXBALANCE BESTTOPOLOGY " \
			"MINRESOURCE LASTAVAILABLE")
	if (one_in(6))
		add("--exclusive")
	if (one_in(6))
		add("--overcommit")
}

# A part of a heterogeneous job, with a binding and without.
function add_part(separator) {
	begin_job(4)
	if (one_in(3))
		add("-N" between(1, tasks < 2 ? tasks : 2))
	if (one_in(4))
		add("--gres=gpu:1")
	owns = owns separator common
	bindings = bindings separator common
	cores_of_plain()
	owns = owns own
	bindings = bindings binding
}

function print_batch(    parts, i) {
	owns = bindings = ""
	if (one_in(2)) {
		begin_job(4)
		add_simple_gpus()
		common = "-a0-" between(1, 3) " " common
		cores_of_plain()
		print_job("batch")
		return
	}
	parts = between(2, 3)
	for (i = 0; i < parts; i++)
		add_part(i ? " : " : "")
	common = " "
	own = owns
	binding = bindings
	print_job("batch")
}

function begin_job(most_tasks) {
	tasks = one_in(4) ? between(1, most_tasks) : between(1, 5)
	common = "-n" tasks
}

function print_job(kind) {
	gsub(/^ +/, "", own)
	gsub(/^ +/, "", binding)
	printf "%s\t%s\t%s\t%s\n", kind, common, own, binding
}

function print_loads(    count, i) {
	# Every other round has no bound load, every fourth none at all.
	count = seed % 4 == 0 ? 0 : between(2, 6)
	for (i = 0; i < count; i++) {
		begin_job(6)
		if (one_in(2))
			add("-N" between(1, tasks < 4 ? tasks : 4))
		add_simple_gpus()
		add_memory()
		if (seed % 2 == 1 && !one_in(3)) {
			units()
			sub(/ -c[0-9]+/, "", common)
		} else {
			own = " -c" between(1, 8)
			binding = own
		}
		if (world == "gang" && !one_in(3))
			add("-p twice")
		print_job("load")
	}
}

BEGIN {
	state = (seed * 69621 + 12345) % 2147483646 + 1
	for (i = 0; i < 8; i++)
		random(2)
	print_loads()
	for (i = 0; i < asks; i++) {
		if (world == "batch" && i < asks / 2) {
			print_batch()
			continue
		}
		cores = one_in(2)
		begin_job(!cores ? 8 : i % 3 ? 12 : 24)
		add_nodes()
		if (cores) {
			add_gpus()
			add_memory()
			add_constraint()
			add_others()
			add_of_world()
			cores_of_plain()
			print_job("cores")
		} else if (one_in(3)) {
			add_gpus()
			add_memory()
			add_simple_constraint()
			add_of_world()
			any()
			print_job("any")
		} else {
			add_simple_gpus()
			add_memory()
			add_simple_constraint()
			if (one_in(8))
				add("--ntasks-per-node=" between(1, 5))
			add_of_world()
			units()
			# possible.awk knows of no reservations.
			print_job(world == "reserved" ? "any" : "units")
		}
	}
}
