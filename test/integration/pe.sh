#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pe - MPI binds the ranks: host file and rank file, with a real Open MPI
#
# mpirun is started by an ordinary user in a job; where a rank may run is read
# from /proc by the rank itself.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

user=65534
other=65533

as_user() {
	(cd "$work" && setpriv --reuid="$user" --regid="$user" --clear-groups "$@")
}

# Each rank prints "rank node cpus".
# shellcheck disable=SC2016 # the rank's variables
rank_prints='echo "$OMPI_COMM_WORLD_RANK $SLURMD_NODENAME $(sed -n \
	"s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status)"'

# As Open MPI wants to be told of a rank file, what it starts on nodes, and the
# variable by which that is something else; its version 5 has words of its own.
case $(mpirun --version) in
*' '[1-4].*)
	by_rank_file='--rankfile '
	mpi_daemon=orted
	mpi_launch_agent=OMPI_MCA_orte_launch_agent
	;;
*)
	by_rank_file='--map-by rankfile:file='
	mpi_daemon=prted
	mpi_launch_agent=PRTE_MCA_prte_launch_agent
	;;
esac

# What mpirun's ranks say, in their order.  A binding that fails is a warning
# for Open MPI, which starts the rank all the same.
# shellcheck disable=SC2016
in_job="by_rank_file='$by_rank_file'"'
ranks() {
	mpirun "$@" bash -c "$RANK" </dev/null | sort -n
}
# What topobind says of its slots: "task node cpus".
slots() {
	srun -Q --cpu-bind=none bash -c \
		"echo \$SLURM_PROCID \$SLURMD_NODENAME \$TOPOBIND_CPUS" | sort -n
}'

# script SCRIPT OPTION... - run as a batch job by the user; what it printed
script() {
	local text=$1 job out

	shift
	out=$work/out.$BASHPID.$RANDOM
	job=$(RANK=$rank_prints as_user sbatch --parsable -o "$out" \
		--binstance=pe "$@" <<-END
		#!/bin/bash
		$in_job
		$text
		END
	)
	wait_until 60 is_over "$job"
	cat "$out"
}

# shell SCRIPT OPTION... - the same in a shell of salloc, outside the job's nodes
shell() {
	local text=$1

	shift
	RANK=$rank_prints as_user timeout $((60 * patience)) \
		salloc -Q --binstance=pe "$@" bash -c "$in_job
$text"
}

# part N TEXT - between lines "--"
part() {
	awk -v n="$1" '$0 == "--" { at++; next } at == n - 1' <<<"$2"
}

# ranks_are WANTED SEEN - and there are some
ranks_are() {
	printf 'wanted:\n%s\nseen:\n%s\n' "$1" "$2"
	[ -n "$1" ] || fail "no slots"
	assert_eq "ranks with their CPUs" "$1" "$2"
}

# compare script|shell OPTION... - every rank runs on the slot of its task
compare() {
	# shellcheck disable=SC2016
	local output ranks='$TOPOBIND_RANKFILE'

	# shellcheck disable=SC2016
	[ "$1" = script ] ||
		ranks='<(topobind hostfile --rankfile "$SLURM_JOB_ID")'
	output=$("$1" "slots; echo --; ranks \$by_rank_file$ranks" "${@:2}")
	ranks_are "$(part 1 "$output")" "$(part 2 "$output")"
	seen=$(part 2 "$output")
}

cpus_per_core() {
	expand_list "$(cat \
		/sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" |
		wc -l
}

case_two_ranks_two_cores() {
	local seen

	compare script -w "$NODE_THIS" -n2 --bamount=1
	assert_eq ranks 2 "$(wc -l <<<"$seen")"
	assert_eq "places" 2 "$(cut -d ' ' -f 3 <<<"$seen" | sort -u | wc -l)"
}

# Slots of two cores, by a rank file and as the manual says for any nodes.
case_slots_of_two_cores() {
	local output slots

	# shellcheck disable=SC2016
	output=$(shell '
		slots; echo --
		ranks $by_rank_file<(topobind hostfile --rankfile "$SLURM_JOB_ID")
		echo --
		topobind hostfile --openmpi "$SLURM_JOB_ID" >hosts.$SLURM_JOB_ID
		ranks --hostfile hosts.$SLURM_JOB_ID --map-by slot:PE=2 \
			--bind-to core' \
		-w "$NODE_THIS,$NODE_THAT" -N2 -n2 --bamount=2)
	slots=$(part 1 "$output")
	assert_eq "CPUs of the first" $((2 * $(cpus_per_core))) \
		"$(sed -n '1s/.* //p' <<<"$slots" | tr , '\n' |
			awk -F- 'NF { n += $NF - $1 + 1 } END { print n }')"
	ranks_are "$slots" "$(part 2 "$output")"
	ranks_are "$slots" "$(part 3 "$output")"
}

# The numbers of a rank file are those inside the job: the first core that the
# job has is 0:0.  And whatever mpirun is told, ranks stay in their job.
case_second_core_of_the_node() {
	local holder held output

	holder=$(batch -w "$NODE_THIS" -n1 --bunit=C --bamount=1)
	wait_until 20 runs "$holder"
	wait_until 20 has_process "$holder"
	held=$(job_cpus "$holder")
	[ -n "$held" ] || fail "no CPUs of job $holder"
	# shellcheck disable=SC2016
	output=$(script '
		slots; echo --
		ranks $by_rank_file"$TOPOBIND_RANKFILE"; echo --
		cat "$TOPOBIND_RANKFILE"; echo --
		RANK="for cpu in \$(seq 0 \$((\$(nproc --all) - 1))); do
			taskset -c \$cpu true 2>/dev/null && echo \$cpu
		done" ranks --bind-to none' -w "$NODE_THIS" -n1 --bamount=1)
	ranks_are "$(part 1 "$output")" "$(part 2 "$output")"
	assert_eq "rank file" "rank 0=$NODE_THIS slot=0:0" "$(part 3 "$output")"
	assert_eq "CPUs that a rank can go to" \
		"$(part 1 "$output" | cut -d ' ' -f 3)" \
		"$(part 4 "$output" | as_list)"
	assert_eq "CPUs that the holder has, too" "" "$(comm -12 \
		<(part 4 "$output" | sort) \
		<(expand_list "$held" | sort))"
}

job_process() {
	scontrol listpids "$1" "$NODE_THIS" |
		awk '$1 ~ /^[0-9]/ && $3 == "batch" { print $1; exit }'
}

has_process() {
	[ -n "$(job_process "$1")" ]
}

job_cpus() {
	allowed_cpus "$(job_process "$1")"
}

case_two_nodes() {
	local seen

	compare script -w "$NODE_THIS,$NODE_THAT" -N2 -n4 --bamount=1
	assert_eq "nodes and places" 4 \
		"$(cut -d ' ' -f 2,3 <<<"$seen" | sort -u | wc -l)"
}

# One core on one node, which is its second, and both on the other.
case_two_nodes_of_other_size() {
	local seen

	batch -w "$NODE_THIS" -n1 --bunit=C --bamount=1 >/dev/null
	compare shell -w "$NODE_THIS,$NODE_THAT" -N2 -n3 --bamount=1
	assert_eq ranks 3 "$(wc -l <<<"$seen")"
}

# As many cores on both nodes, but other ones: Open MPI 4 takes the nodes for
# equal.  The tool warns; a map without a rank file is right.
case_lookalikes() {
	local output

	batch -w "$NODE_THIS" -n1 --bunit=C --bamount=1 >/dev/null
	# shellcheck disable=SC2016
	output=$(shell '
		topobind hostfile --rankfile "$SLURM_JOB_ID" 2>&1 >/dev/null |
			wc -l
		topobind hostfile --openmpi "$SLURM_JOB_ID" 2>&1 >/dev/null |
			wc -l
		slots; echo --
		ranks --map-by slot:PE=1 --bind-to core' \
		-w "$NODE_THIS,$NODE_THAT" -N2 -n2 --bamount=1)
	assert_eq "warnings, with ranks and without" "1 0" \
		"$(sed 2q <<<"$output" | paste -sd ' ')"
	ranks_are "$(part 1 "$output" | sed 1,2d)" "$(part 2 "$output")"
}

# The shell that salloc starts on a node with use_interactive_step.
case_interactive_step() {
	local output

	# shellcheck disable=SC2016
	output=$(RANK=$rank_prints as_user timeout $((60 * patience)) \
		salloc -Q -w "$NODE_THIS,$NODE_THAT" -N2 -n4 --bunit=C --bamount=1 \
		--binstance=pe srun --interactive --preserve-env bash -c "$in_job"'
		slots; echo --
		ranks $by_rank_file"$TOPOBIND_RANKFILE"')
	ranks_are "$(part 1 "$output")" "$(part 2 "$output")"
	wait_until 20 no_jobs
	assert_eq "files that are left" "" \
		"$(files_of "$NODE_THIS")$(files_of "$NODE_THAT")"
}

# --- what is written ---------------------------------------------------------

# On nodes whose CPUs do not exist: the texts only.
show_files() {
	# shellcheck disable=SC2016
	script 'echo "$TOPOBIND_INSTANCE $SGE_BINDING_INSTANCE"
		cat "$TOPOBIND_PE_HOSTFILE"; echo --; cat "$TOPOBIND_RANKFILE"' "$@"
}

# On zen the slots lie in two sockets.
case_host_and_rank_file() {
	local output

	batch -w "$NODE_ZEN" -n1 --bunit=C --bamount=22 >/dev/null
	output=$(show_files -w "$NODE_ZEN,$NODE_RAPTOR" -N2 -n4 --bamount=2 \
		--bstrategy=linear)
	echo "$output"
	assert_eq files "pe pe
$NODE_RAPTOR 2 main 0:0,0:1,0:2,0:3
$NODE_ZEN 2 main 0:22,0:23,1:0,1:1
--
rank 0=$NODE_RAPTOR slot=0:0-1
rank 1=$NODE_RAPTOR slot=0:2-3
rank 2=$NODE_ZEN slot=0:0-1
rank 3=$NODE_ZEN slot=1:0-1" "$output"
}

# Single threads have no number of their own.
case_threads() {
	local output

	output=$(show_files -w "$NODE_ZEN" -n3 --bunit=T --bamount=1)
	assert_eq files "pe pe
$NODE_ZEN 3 main 0:0,0:1
--
rank 0=$NODE_ZEN slot=0:0
rank 1=$NODE_ZEN slot=0:0
rank 2=$NODE_ZEN slot=0:1" "$output"
}

case_formats() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n2 --bunit=X --bamount=1)
	assert_eq "without an option" "$NODE_ZEN 2 main 0:0,0:1,0:2,0:3,0:4,0:5" \
		"$(topobind hostfile "$job")"
	assert_eq pe "$(topobind hostfile "$job")" \
		"$(topobind hostfile --pe "$job")"
	assert_eq openmpi "$NODE_ZEN slots=2" \
		"$(topobind hostfile --openmpi "$job")"
	assert_eq mpich "$NODE_ZEN:2" "$(topobind hostfile --mpich "$job")"
	assert_eq ranks "rank 0=$NODE_ZEN slot=0:0-2
rank 1=$NODE_ZEN slot=0:3-5" "$(topobind hostfile --rankfile "$job")"
}

# As many ranks on each node as Slurm's own variable says.
case_ranks_of_nodes() {
	local output

	# shellcheck disable=SC2016
	output=$(script 'echo "$SLURM_TASKS_PER_NODE"
		cut -d " " -f 2 "$TOPOBIND_PE_HOSTFILE" | paste -sd ,' \
		-w "$NODE_ZEN,$NODE_RAPTOR" -N2 -n5 --btype=host --bamount=4)
	assert_eq "ranks of nodes" "$(sed -n 1p <<<"$output")" \
		"$(sed -n 2p <<<"$output")"
}

# --- Open MPI on machines that are not here ----------------------------------

topology_xml() {
	case $1 in
	"$NODE_ZEN") echo "$top/test/data/topologies/AMD-17h-Zen-2xEpyc-7451.xml" ;;
	"$NODE_RAPTOR") echo "$top/test/data/topologies/Intel-RaptorLake-Corei7-1370P.xml" ;;
	esac
}

# What hwloc would find on a node in the job's cpuset; Open MPI's daemon there
# reads it and believes that it runs on such a machine.
restricted_xml() {
	local job=$1 node=$2 xml

	xml=$(topology_xml "$node")
	lstopo-no-graphics -i "$xml" --restrict "$(hwloc-calc -i "$xml" \
		"pu:$(granted "$job" "$node" | sed 's/,/ pu:/g')")" \
		-f --of xml "$work/$node.xml"
}

# The OS CPUs of cores FIRST-LAST of a machine.
os_cpus_of_cores() {
	hwloc-calc -i "$(topology_xml "$1")" --po -I pu "core:$2" | tr , '\n' |
		as_list
}

# shellcheck disable=SC2016
daemon_of_node='#!/bin/bash
export HWLOC_XMLFILE=$WORK/$SLURMD_NODENAME.xml HWLOC_THISSYSTEM=1
export LD_PRELOAD=$WORK/affinity_log.so
exec $MPI_DAEMON "$@"'

# The rank's program: what Open MPI wanted the kernel to do with it.
# shellcheck disable=SC2016
rank_was_bound='unset LD_PRELOAD
echo "$OMPI_COMM_WORLD_RANK $SLURMD_NODENAME $(paste -sd , "$AFFINITY_LOG/$$")"'

case_machines_that_are_not_here() {
	local job output holder

	gcc -O2 -shared -fPIC -o "$work/affinity_log.so" \
		"$test_dir/affinity_log.c"
	printf '%s\n' "$daemon_of_node" >"$work/daemon_of_node"
	chmod 755 "$work/daemon_of_node"
	mkdir -m 1777 "$work/affinity"
	holder=$(batch -w "$NODE_ZEN" -n1 --bunit=C --bamount=22)
	wait_until 20 runs "$holder"
	job=$(as_user salloc --no-shell -w "$NODE_ZEN,$NODE_RAPTOR" -N2 -n4 \
		--bunit=C --bamount=2 --bstrategy=linear --binstance=pe 2>&1 |
		sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p')
	restricted_xml "$job" "$NODE_ZEN"
	restricted_xml "$job" "$NODE_RAPTOR"
	topobind hostfile --rankfile "$job" >"$work/ranks"
	# shellcheck disable=SC2086 # words
	output=$(WORK=$work AFFINITY_LOG=$work/affinity as_user \
		env "SLURM_JOB_ID=$job" "SLURM_JOBID=$job" \
		"SLURM_NODELIST=$(job_field "$job" NodeList)" \
		SLURM_TASKS_PER_NODE='2(x2)' SLURM_NNODES=2 \
		"MPI_DAEMON=$mpi_daemon" \
		"$mpi_launch_agent=$work/daemon_of_node" \
		timeout 60 mpirun $by_rank_file"$work/ranks" \
		bash -c "$rank_was_bound" </dev/null | sort -n |
		while read -r rank node cpus; do
			echo "$rank $node $(tr , '\n' <<<"$cpus" | as_list)"
		done)
	echo "$output"
	assert_eq "ranks" "0 $NODE_RAPTOR $(os_cpus_of_cores "$NODE_RAPTOR" 0-1)
1 $NODE_RAPTOR $(os_cpus_of_cores "$NODE_RAPTOR" 2-3)
2 $NODE_ZEN $(os_cpus_of_cores "$NODE_ZEN" 22-23)
3 $NODE_ZEN $(os_cpus_of_cores "$NODE_ZEN" 24-25)" "$output"
}

# --- variables and files -----------------------------------------------------

case_steps_are_free_and_have_no_files() {
	local output

	# shellcheck disable=SC2016
	output=$(script 'srun -Q --cpu-bind=none bash -c "
		echo \$TOPOBIND_INSTANCE \${TOPOBIND_PE_HOSTFILE-unset} \
			\${TOPOBIND_RANKFILE-unset} \$TOPOBIND_SLOT \$TOPOBIND_CPUS \
			\$(sed -n s/^Cpus_allowed_list:[[:space:]]*//p \
			/proc/self/status)" | sort' -w "$NODE_THIS" -n2 --bamount=1)
	echo "$output"
	assert_eq "told" "pe unset unset 0
pe unset unset 1" "$(cut -d ' ' -f 1-4 <<<"$output")"
	assert_eq "CPUs told" 2 "$(cut -d ' ' -f 5 <<<"$output" | sort -u | wc -l)"
	assert_eq "CPUs allowed" "$(cut -d ' ' -f 5 <<<"$output" |
		while read -r list; do expand_list "$list"; done | as_list)" \
		"$(cut -d ' ' -f 6 <<<"$output" | sort -u)"
}

# What a user has in the environment leads nobody anywhere.
case_variables_of_the_user() {
	local out=$work/out.variables option job

	for option in --bamount=0 "--bunit=C --bamount=1"; do
		rm -f "$out"
		# shellcheck disable=SC2016,SC2086
		job=$(TOPOBIND_PE_HOSTFILE=/etc/passwd TOPOBIND_RANKFILE=/etc/passwd \
			as_user sbatch --parsable -o "$out" -w "$NODE_THIS" $option \
			--wrap 'echo "${TOPOBIND_PE_HOSTFILE-unset}" \
			"${TOPOBIND_RANKFILE-unset}"')
		wait_until 30 is_over "$job"
		assert_eq "variables with $option" "unset unset" "$(cat "$out")"
	done
	assert test -e /etc/passwd
}

pe_dir() {
	echo "$cluster/spool/$1/topobind_pe"
}

files_of() {
	find "$(pe_dir "$1")" -mindepth 1 2>/dev/null
}

no_files() {
	[ -z "$(files_of "$1")" ]
}

two_files() {
	[ "$(files_of "$1" | wc -l)" -eq 2 ]
}

# A batch job that waits; prints its id
pe_batch() {
	as_user sbatch --parsable -o /dev/null --bunit=C --bamount=1 \
		--binstance=pe "$@" --wrap 'exec sleep 600'
}

case_files_are_the_users() {
	local file job

	job=$(pe_batch -w "$NODE_ZEN")
	wait_until 20 two_files "$NODE_ZEN"
	assert_eq "directory" "0 711" "$(stat -c '%u %a' "$(pe_dir "$NODE_ZEN")")"
	# Who has it locked keeps slurmd waiting.
	refute as_user flock -n "$(pe_dir "$NODE_ZEN")" true
	for file in $(files_of "$NODE_ZEN"); do
		assert_eq "$file" "$user $user 400 regular file" \
			"$(stat -c '%u %g %a %F' "$file")"
		assert as_user cat "$file"
		refute as_user rm -f "$file"
		refute setpriv --reuid="$other" --regid="$other" --clear-groups \
			cat "$file"
	done
	cancel "$job"
	wait_until 20 no_files "$NODE_ZEN"
}

# Without its host file a script does not run, and its node stays in service.
case_no_host_file() {
	local job

	mkdir -p "$(pe_dir "$NODE_ZEN")"
	chown "$user" "$(pe_dir "$NODE_ZEN")"
	job=$(as_user sbatch --parsable -o "$work/out.none" -w "$NODE_ZEN" \
		--bunit=C --bamount=1 --binstance=pe --wrap "touch $work/ran")
	wait_until 30 is_over "$job"
	chown root "$(pe_dir "$NODE_ZEN")"
	assert_eq "state of the job" FAILED "$(job_field "$job" JobState)"
	refute test -e "$work/ran"
	assert test -s "$work/out.none"
	assert no_files "$NODE_ZEN"
	# The node is not drained.
	pe_batch -w "$NODE_ZEN" >/dev/null
	wait_until 20 two_files "$NODE_ZEN"
}

case_slurmd_is_killed() {
	local job

	job=$(pe_batch -w "$NODE_ZEN")
	wait_until 20 two_files "$NODE_ZEN"
	daemon "slurmd-$NODE_ZEN" kill
	daemon "slurmd-$NODE_ZEN" start
	wait_until 20 two_files "$NODE_ZEN"
	cancel "$job"
	wait_until 20 no_files "$NODE_ZEN"
}

# Who has them open
holder_of_files() {
	# Processes end while it looks.
	{ find /proc/[0-9]*/fd -lname "$(pe_dir "$1")/*" 2>/dev/null || true; } |
		cut -d / -f 3 | sort -u
}

has_child() {
	pgrep -P "$1" >/dev/null
}

# kill_script_of NODE - with the slurmstepd that would have removed the files
kill_script_of() {
	local stepd script

	stepd=$(holder_of_files "$1")
	# The files are there before the script is.
	wait_until 20 has_child "$stepd"
	script=$(pgrep -P "$stepd")
	kill -KILL "$stepd"
	kill -KILL "$script"
}

# slurmd's helper sees it.
case_slurmstepd_is_killed() {
	local job

	job=$(pe_batch -w "$NODE_ZEN")
	wait_until 20 two_files "$NODE_ZEN"
	kill_script_of "$NODE_ZEN"
	wait_until 20 no_files "$NODE_ZEN"
	cancel "$job"
}

case_slurmd_is_killed_too() {
	local job

	job=$(pe_batch -w "$NODE_ZEN")
	wait_until 20 two_files "$NODE_ZEN"
	daemon "slurmd-$NODE_ZEN" kill
	kill_script_of "$NODE_ZEN"
	daemon "slurmd-$NODE_ZEN" start
	wait_until 20 no_files "$NODE_ZEN"
	cancel "$job"
}

case_many_jobs_leave_nothing() {
	local job

	job=$(pe_batch -w "$NODE_ZEN" --array=1-8)
	wait_until 30 array_has_files
	scancel "$job"
	wait_until 30 no_jobs
	wait_until 20 no_files "$NODE_ZEN"
}

array_has_files() {
	[ "$(files_of "$NODE_ZEN" | wc -l)" -eq 16 ]
}

# Again, with other cores.
case_requeue() {
	local job holder before

	job=$(pe_batch -w "$NODE_ZEN" --requeue)
	wait_until 20 two_files "$NODE_ZEN"
	before=$(topobind hostfile "$job")
	requeue_held "$job"
	wait_until 20 no_files "$NODE_ZEN"
	refute topobind hostfile "$job"
	holder=$(alloc -w "$NODE_ZEN" -n1 --bunit=C --bamount=2)
	release_now "$job"
	wait_until 30 two_files "$NODE_ZEN"
	assert_eq before "$NODE_ZEN 1 main 0:0" "$before"
	assert_eq after "$NODE_ZEN 1 main 0:2" "$(topobind hostfile "$job")"
	assert_eq "host file" "$(topobind hostfile "$job")" \
		"$(cat "$(pe_dir "$NODE_ZEN")"/*.hosts)"
	cancel "$holder"
}

case_arrays_and_parts() {
	local job

	job=$(pe_batch -w "$NODE_ZEN" --array=3,5)
	wait_until 20 runs "${job}_5"
	wait_until 20 runs "${job}_3"
	assert_eq "cores of two tasks" 2 "$(for task in 3 5; do
		topobind hostfile "${job}_$task"
	done | sort -u | wc -l)"
	refute topobind hostfile "${job}_4"
	cancel "$job"
	job=$(sbatch --parsable -o /dev/null \
		-w "$NODE_ZEN" --bunit=X --bamount=1 --binstance=pe : \
		-w "$NODE_RAPTOR" -n2 --bunit=E --bamount=2 --binstance=pe \
		--wrap 'sleep 600')
	wait_until 30 two_files "$NODE_ZEN"
	assert_eq "the first part" "$NODE_ZEN 1 main 0:0,0:1,0:2" \
		"$(topobind hostfile "$job")"
	assert_eq "host file of the script" "$(topobind hostfile "$job")" \
		"$(cat "$(pe_dir "$NODE_ZEN")"/*.hosts)"
	assert_eq "the second" "$NODE_RAPTOR 2 main 0:6,0:7,0:8,0:9" \
		"$(topobind hostfile "$job+1")"
	refute topobind hostfile "$job+2"
}

# --- bad input ---------------------------------------------------------------

# refused JOB - one sentence, nothing on standard output, exit code 2
refused() {
	local status=0

	"${@:2}" topobind hostfile -- "$1" >"$work/stdout" 2>"$work/stderr" ||
		status=$?
	assert_eq "exit code for '$1'" 2 "$status"
	assert_eq "output for '$1'" "" "$(cat "$work/stdout")"
	assert_eq "sentences for '$1'" 1 "$(wc -l <"$work/stderr")"
}

case_no_such_job() {
	local id

	for id in 99999 1_2 1+1 0 -1 '' abc 1_ 1_x 1.0 ' 1' 4294967295 \
		99999999999999999999; do
		refused "$id"
	done
}

case_jobs_without_slots() {
	local job

	job=$(batch -w "$NODE_ZEN" -n1)
	wait_until 20 runs "$job"
	refused "$job"
	cancel "$job"
	refused "$job"
	job=$(batch -w "$NODE_ZEN" -H --bunit=C --bamount=1)
	refused "$job"
}

# The cluster has PrivateData=jobs.
case_foreign_job() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=C --bamount=1)
	assert topobind hostfile "$job"
	refused "$job" as_user
}

case_no_answer() {
	local job conf=$work/slurm.conf

	job=$(alloc -w "$NODE_ZEN" --bunit=C --bamount=1)
	# Nobody listens on the last port of this cluster.
	sed -E "s/^(SlurmctldPort=).*/\\1$(($(conf_value SlurmctldPort) + 19))/;
		s/^(MessageTimeout=).*/\\12/" "$SLURM_CONF" >"$conf"
	refused "$job" env SLURM_CONF="$conf"
}

conf_value() {
	sed -n "s/^$1=//p" "$SLURM_CONF"
}

cluster_start --nodes this,that,zen,raptor --slurm PrivateData=jobs
test_case "two ranks, a core each" case_two_ranks_two_cores
test_case "slots of two cores" case_slots_of_two_cores
test_case "the node's second core is the job's first" case_second_core_of_the_node
test_case "two nodes, four ranks" case_two_nodes
test_case "two nodes with one core and two, in a shell of salloc" case_two_nodes_of_other_size
test_case "two nodes with one core each, but not the same" case_lookalikes
test_case "mpirun in the shell of an interactive step" case_interactive_step
test_case "host file and rank file" case_host_and_rank_file
test_case "slots of single threads" case_threads
test_case "the formats of topobind hostfile" case_formats
test_case "btype=host: ranks of nodes as in Slurm" case_ranks_of_nodes
test_case "Open MPI's daemons on two larger machines" case_machines_that_are_not_here
test_case "steps of srun are free in their job" case_steps_are_free_and_have_no_files
test_case "the user's own variables lead nowhere" case_variables_of_the_user
test_case "the files are the user's, to read" case_files_are_the_users
test_case "no script without its host file" case_no_host_file
test_case "no file is left when slurmd is killed" case_slurmd_is_killed
test_case "nor when slurmstepd is killed" case_slurmstepd_is_killed
test_case "nor when slurmd is, too, after its next start" \
	case_slurmd_is_killed_too
test_case "nor after an array" case_many_jobs_leave_nothing
test_case "a requeued job" case_requeue
test_case "tasks of an array, parts of a heterogeneous job" case_arrays_and_parts
test_case "ids of no job" case_no_such_job
test_case "jobs that have no slots" case_jobs_without_slots
test_case "a job of another user" case_foreign_job
test_case "no controller answers" case_no_answer
tests_done
