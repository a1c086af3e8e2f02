# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# rest.bash - what slurmrestd answers.  Sourced after lib.sh.

# rest PATH - what it answers, as the recipe of topobind(1) asks
rest() {
	local release=v0.0.38

	! slurm_is_from 24.11 || release=v0.0.42
	curl -s --unix-socket "$work/rest/socket" \
		"http://localhost/slurm/$release/$1"
}

rest_answers() {
	[ -n "$(rest nodes | jq -r '.nodes[0].name // empty' 2>/dev/null)" ]
}

# It runs for no user of Slurm's own, until rest_stop, or until the case has failed.
rest_start() {
	local plugin=openapi/v0.0.38

	! slurm_is_from 24.11 || plugin=openapi/slurmctld
	install -d -o nobody "$work/rest"
	chmod a+x "$work"
	setpriv --reuid=nobody --regid=nogroup --clear-groups slurmrestd \
		-a rest_auth/local -s "$plugin" "unix:$work/rest/socket" &
	rest_pid=$!
	trap 'kill "$rest_pid" 2>/dev/null || true' EXIT
	wait_until 30 rest_answers
}

rest_stop() {
	kill "$rest_pid"
	wait "$rest_pid" || true
}
