# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# commands.sh - the subcommands of topobind, as it says itself.  Sourced; $program
# is the command.

command_names() {
	"${program:-topobind}" --help |
		awk '/^Commands:/ { inside = 1; next } /^$/ { inside = 0 }
		     inside { print $1 }'
}

# needed_arguments NAME - those without which it has nothing to do
needed_arguments() {
	"${program:-topobind}" "$1" --help | awk '
	NR == 1 {
		gsub(/\[[^]]*\]/, "")
		if (/ JOB/) print 1
	}'
}

has_color() {
	"${program:-topobind}" "$1" --help | grep -q -e '--color'
}

# command_options NAME - as its help has them: in the usage, and where columns begin
command_options() {
	"${program:-topobind}" "$1" --help |
		sed -e '1,/^$/b' -e '/^  *-/!d' \
			-e 's/   *\([^- ]\)/\n\1/' |
		sed -e '/^  *-/b' -e '/^Usage\|^  *topobind/!d' |
		grep -o -e '--[A-Za-z][a-z-]*' | sort -u
}
