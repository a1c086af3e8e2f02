#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# completion - what TAB gives in an interactive bash with bash-completion: for
# topobind, and for the binding options of sbatch, srun and salloc beside Slurm's
# own
#
# A shell on a terminal gets keys and tells what its line has become.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/tool/commands.sh
. "$top/test/tool/commands.sh"

[ -n "${TOPOBIND_ROOT:-}" ] || eval "$("$top/contribs/bootstrap")"
root=$TOPOBIND_ROOT
framework=/usr/share/bash-completion/bash_completion
all=$'\e*'  # readline: insert all completions
tab=$'\t'

# --- a shell on a terminal ------------------------------------------------------

# What bash-completion 2.12 and later has there (Slurm's asks for it), and ours.
startup_files() {
	mkdir "$work/startup"
	find /etc/bash_completion.d -name '000_bash_completion*' \
		-exec cp {} "$work/startup" \;
	cp "$root"/etc/bash_completion.d/topobind "$work/startup"
}

# shell_start [VARIABLE=VALUE...] [COMMAND...] - a new one, with the completions as
# installed; COMMAND runs what follows it
shell_start() {
	shell=$work/shell-$EPOCHREALTIME
	mkdir -m 755 "$shell"
	mkfifo "$shell/keys"
	cat >"$shell/rc" <<-END
	PS1='% '
	bind 'set bell-style none'
	bind -x '"\\C-xl": printf "%s\\n" "\$READLINE_LINE" >$shell/new && mv $shell/new $shell/line'
	bind -x '"\\C-xr": touch $shell/ready'
	BASH_COMPLETION_COMPAT_DIR=\${STARTUP-$work/startup}
	. $framework
	END
	env HOME="$shell" TERM=xterm XDG_DATA_DIRS="$root/usr/share:/usr/share" \
		"$@" script -qec "bash --rcfile $shell/rc -i" /dev/null \
		<"$shell/keys" >"$shell/screen" 2>&1 &
	exec {keys}>"$shell/keys"
	wait_until 60 shell_is_ready
}

# Before it reads keys the terminal takes some for itself.
shell_is_ready() {
	printf '\x18r' >&"$keys"
	[ -e "$shell/ready" ]
}

shell_end() {
	printf '\025exit\r' >&"$keys"
	exec {keys}>&-
	wait
}

line_is_told() {
	[ -e "$shell/line" ]
}

# after KEYS... - the line that they make of an empty one
after() {
	rm -f "$shell/line"
	printf '%s' "$@" $'\x18l' $'\x15' >&"$keys"
	wait_until 60 line_is_told
	cat "$shell/line"
}

# all_of LINE - its completions, in order, one a line
all_of() {
	local seen before

	seen=$(after "$1" "$all")
	# What was there of the last word is there again, in each of them.
	before="${1% *} "
	tr ' ' '\n' <<<"${seen#"$before"}" | grep . | sort -u
}

assert_line() {
	assert_eq "the line after '$1'" "$2" "$(after "$1" "$tab")"
}

# has_all LINE WORD... - all are among the completions
has_all() {
	local line=$1 seen word

	seen=$(all_of "$line")
	shift
	for word; do
		grep -qx -e "$word" <<<"$seen" ||
			fail "'$line' does not offer $word but: ${seen//$'\n'/ }"
	done
}

# sorted WORD...
sorted() {
	printf '%s\n' "$@" | sort -u
}

# --- sbatch, srun, salloc -------------------------------------------------------

case_options_beside_slurms() {
	local command

	for command in sbatch srun salloc; do
		shell_start
		assert_line "$command --bun" "$command --bunit="
		assert_line "$command --topob" "$command --topobind="
		# Slurm's own.
		assert_line "$command --job-n" "$command --job-name="
		has_all "$command --b" --bunit= --bamount= --begin=
		shell_end
	done
}

# All of them are loaded with the first of Slurm's commands.
case_after_another_command() {
	shell_start
	assert_line 'squeue --nodel' 'squeue --nodelist='
	assert_line 'sbatch --bun' 'sbatch --bunit='
	assert_line 'scontrol sho' 'scontrol show '
	assert_line 'srun --bun' 'srun --bunit='
	assert_line 'srun --job-n' 'srun --job-name='
	shell_end
}

# Slurm from source has no completion.
case_without_slurms() {
	# bash-completion finds what lies beside it and beside commands.
	# shellcheck disable=SC2016 # the command's arguments
	shell_start unshare --mount sh -c 'mount -t tmpfs none "$0" && exec "$@"' \
		"${framework%/*}/completions"
	assert_line 'sbatch --job-n' 'sbatch --job-n'
	assert_line 'sbatch --bun' 'sbatch --bunit='
	touch "$work/file-of-its-own"
	assert_line "sbatch $work/file-of" "sbatch $work/file-of-its-own "
	shell_end
}

# The same as the options that the commands say they have.
case_all_options() {
	local command

	for command in sbatch srun salloc; do
		help_options "$command" >"$work/with"
		SLURM_CONF=$work/plain/slurm.conf help_options "$command" \
			>"$work/without"
		comm -23 "$work/with" "$work/without" >"$work/options"
		shell_start
		all_of "$command --" | tr -d "\\\\" >"$work/with"
		shell_end
		# Later Slurms' completion asks the command, which has ours.
		shell_start STARTUP= SLURM_CONF="$work/plain/slurm.conf"
		# Debian's for sbatch says that they are names of files.
		all_of "$command --" | tr -d "\\\\" >"$work/without"
		shell_end
		# None of Slurm's is lost.
		assert_eq "$command" "" "$(comm -13 "$work/with" "$work/without")"
		assert_eq "$command" "$(cat "$work/options")" \
			"$(comm -23 "$work/with" "$work/without")"
		assert_eq "$command" "$(topobind options --words |
			sed 's/.*/--&=/' | sort)" "$(cat "$work/options")"
	done
}

help_options() {
	"$1" --help | grep -o -E -e '--[a-z-]+=' | sort -u
}

# A slurm.conf as this one, whose plugstack.conf is empty.
plain_conf() {
	mkdir "$work/plain"
	: >"$work/plain/plugstack.conf"
	sed "s,^PlugStackConfig=.*,PlugStackConfig=$work/plain/plugstack.conf," \
		"$SLURM_CONF" >"$work/plain/slurm.conf"
}

# --- values -------------------------------------------------------------------

case_values() {
	local option

	shell_start
	for option in $(topobind options --words | grep -vx -e topobind -e bprefer); do
		assert_eq "--$option=" "$(values_of "$option")" \
			"$(all_of "sbatch --$option=" | sed "s/^--$option=//" | grep . || true)"
	done
	assert_line 'srun --bstrategy=sc' 'srun --bstrategy=scatter '
	assert_line 'srun --bnodes BESTT' 'srun --bnodes BESTTOPOLOGY '
	assert_line 'salloc -n2 --bfilter=f' 'salloc -n2 --bfilter=first_core '
	shell_end
}

values_of() {
	topobind options --words "$1" | sort -u
}

# Each that is offered is one that sbatch takes.
case_values_are_taken() {
	local option value count=0

	for option in $(topobind options --words | grep -vx topobind); do
		for value in $(topobind options --words "$option"); do
			case $option in
			ballow) set -- --bmode=soft "--$option=$value" ;;
			*) set -- "--$option=$value" ;;
			esac
			topobind place --topology NSXYCTT --bamount 1 "$@" \
				>"$work/placed" 2>&1 || [ $? -eq 1 ] ||
				fail "--$option=$value: $(cat "$work/placed")"
			count=$((count + 1))
		done
	done
	assert [ "$count" -gt 60 ]
}

case_line() {
	shell_start
	assert_line 'sbatch --topobind=bu' 'sbatch --topobind=bunit='
	assert_line 'sbatch --topobind=bunit=X,bam' \
		'sbatch --topobind=bunit=X,bamount='
	assert_line 'sbatch --topobind=bunit=X,bstrategy=l' \
		'sbatch --topobind=bunit=X,bstrategy=linear'
	assert_eq "keys that are not there yet" \
		"$(topobind options --words |
			grep -v -x -e topobind -e bunit -e bamount -e bcpus |
			sed 's/$/=/' | sort)" \
		"$(all_of 'sbatch --topobind=bunit=X,bamount=1,' |
			sed 's/^--topobind=bunit=//; s/^X,bamount=//; s/.*,//' |
			grep -v -x bcpus=)"
	shell_end
}

case_features() {
	scontrol update nodename="$NODE_ZEN" features=fast,bigmem
	shell_start
	assert_line 'sbatch --bprefer=f' 'sbatch --bprefer=fast '
	assert_line 'sbatch --bprefer=fast,bi' 'sbatch --bprefer=fast,bigmem '
	assert_line 'sbatch --bprefer=fast,sw' 'sbatch --bprefer=fast,swap:'
	shell_end
}

# --- topobind -------------------------------------------------------------------

case_commands() {
	shell_start
	assert_eq "commands" "$( (command_names && printf '%s\n' help --help --version) | sort)" \
		"$(all_of 'topobind ')"
	assert_line 'topobind hostf' 'topobind hostfile '
	shell_end
}

# options_in_help COMMAND - and those of bindings, where it takes these
options_in_help() {
	{
		# Those of sbatch fill no screen.
		[ "$1" != plan ] || topobind plan --completion |
			sed -n 's/^\(--[^=]*\).*/\1/p'
		command_options "$1"
		! topobind "$1" --help | grep -e --topobind >/dev/null ||
			topobind options --words | sed 's/^/--/'
	} | sort -u
}

case_options_of_commands() {
	local command

	shell_start
	for command in $(command_names); do
		assert_eq "options of $command" "$(options_in_help "$command")" \
			"$(all_of "topobind $command --" | sed 's/=$//' | sort -u)"
		case_options_are_known "$command"
	done
	shell_end
}

# Each is one that the command knows, with a value or without.
case_options_are_known() {
	local option output

	for option in $(all_of "topobind $1 --"); do
		[[ $option != *= ]] || option+=1
		output=$(topobind "$1" "$option" --help 2>&1 </dev/null) || true
		[[ $output != *unrecognized* && $output != *"doesn't allow"* &&
			$output != *"requires an argument"* ]] ||
			fail "topobind $1 $option: $output"
	done
}

case_arguments() {
	local job waiting

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	waiting=$(batch -w "$NODE_ZEN" --bunit=X --bamount=16 -n1)
	wait_until 30 is_pending "$waiting"
	shell_start
	assert_eq "jobs" "$(sorted "$job" "$waiting")" "$(all_of 'topobind explain ')"
	assert_eq "jobs" "$(sorted "$job" "$waiting")" "$(all_of 'topobind hostfile ')"
	assert_eq "nodes" "$(sorted "$NODE_ZEN" "$NODE_RAPTOR")" \
		"$(all_of 'topobind map ')"
	assert_line "topobind map ${NODE_ZEN:0:2}" "topobind map $NODE_ZEN "
	assert_line 'topobind map --color=al' 'topobind map --color=always '
	assert_line 'topobind soft sta' 'topobind soft status '
	assert_line 'topobind plan --bunit=EX' 'topobind plan --bunit=EX '
	assert_line "topobind plan --bunit='X:1|nu" \
		"topobind plan --bunit='X:1|numa'"
	assert_line "sbatch --bunit='l3:2|C:4|so" "sbatch --bunit='l3:2|C:4|socket'"
	assert_line 'topobind plan --bunit=X:1+nu' \
		'topobind plan --bunit=X:1+numa '
	assert_line "topobind plan --bunit='l3+so" "topobind plan --bunit='l3+socket'"
	assert_line 'topobind plan --partition=ma' 'topobind plan --partition=main '
	assert_line "topobind plan -n1 --nodelist ${NODE_RAPTOR:0:3}" \
		"topobind plan -n1 --nodelist $NODE_RAPTOR "
	assert_line 'topobind place --topobind=bunit=X,bstr' \
		'topobind place --topobind=bunit=X,bstrategy='
	touch "$work/map.json"
	assert_line "topobind map --from $work/map.j" \
		"topobind map --from $work/map.json "
	shell_end
}

# Nobody waits for long, and nothing is said.
case_without_slurmctld() {
	local start=$EPOCHSECONDS

	shell_start
	daemon slurmctld stop
	assert_line 'topobind explain 1' 'topobind explain 1'
	assert_line 'sbatch --bun' 'sbatch --bunit='
	daemon slurmctld start
	assert [ $((EPOCHSECONDS - start)) -lt $((60 * patience)) ]
	refute grep -q -i error "$shell/screen"
	shell_end
}

cluster_start --nodes zen,raptor
plain_conf
startup_files
test_case "options beside Slurm's own" case_options_beside_slurms
test_case "after another of Slurm's commands" case_after_another_command
test_case "where Slurm has no completion" case_without_slurms
test_case "exactly the options of sbatch, srun and salloc" case_all_options
test_case "values" case_values
test_case "values are taken" case_values_are_taken
test_case "the one line of all options" case_line
test_case "features" case_features
test_case "topobind: commands" case_commands
test_case "topobind: exactly the options of each command" case_options_of_commands
test_case "topobind: jobs, nodes, files and words" case_arguments
test_case "without slurmctld" case_without_slurmctld
tests_done
