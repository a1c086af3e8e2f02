# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# common.sh - progress, errors, and which Slurm there is, for bootstrap, cluster, demo
# and tests.  Sourced.  Progress goes to standard error, so that standard output stays for
# what another program reads.

# The clock of the outermost command.
export TOPOBIND_STARTED=${TOPOBIND_STARTED:-$EPOCHSECONDS}

say() {
	local t=$((EPOCHSECONDS - TOPOBIND_STARTED))

	printf '[%2d:%02d] %s\n' $((t / 60)) $((t % 60)) "$*" >&2
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# logged FILE COMMAND... - run a command with its output in FILE; when it fails
# show the end of the file.
logged() {
	local file=$1 status errexit=+e

	shift
	[[ $- != *e* ]] || errexit=-e
	# In a shell of its own, where set -e counts.  It does not count in a
	# condition, so call this in none.
	set +e
	(
		set -e
		"$@"
	) >"$file" 2>&1
	status=$?
	set "$errexit"
	[ "$status" -ne 0 ] || return 0
	printf '%s: this failed: %s\n' "${0##*/}" "$*" >&2
	printf '%s: the last lines of %s:\n' "${0##*/}" "$file" >&2
	tail -n 25 "$file" | sed 's/^/    /' >&2
	return 1
}

# logged_or_die SENTENCE FILE COMMAND... - the sentence says what to do when it fails
logged_or_die() {
	local sentence=$1 status

	shift
	set +e
	logged "$@"
	status=$?
	set -e
	[ "$status" -eq 0 ] || die "$sentence"
}

# slurm_is_from VERSION - is the installed Slurm this one (24.11, say), or later?
slurm_is_from() {
	local installed

	installed=$(slurmctld -V | sed 's/.* //')
	printf '%s\n' "$1" "$installed" | sort -V -C
}

need_root() {
	[ "$(id -u)" -eq 0 ] ||
		die "must run as root: Slurm's daemons, munge and cgroups need it"
}

# Where this machine gets its own packages; a mirror has every suite.
debian_mirror() {
	local address suite

	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	# shellcheck disable=SC2016 # apt's own variable
	address=$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' "Codename: $suite" 'Origin: Debian' |
		sed -n 1p)
	echo "${address:-http://deb.debian.org/debian}"
}
