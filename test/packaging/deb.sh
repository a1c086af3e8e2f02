#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# deb - the packages that contribs/packaging/deb makes: what is in them, and how
# they are installed, upgraded and removed in a minimal Debian (in-root)
# shellcheck source=test/packaging/lib.sh
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd -P)

"$top/contribs/bootstrap" --tests >/dev/null
debs=$cluster/debs
plugins=usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)/slurm-wlm
slurm=$(slurmctld -V | sed 's/.* //')

case_one_command() {
	"$top/contribs/packaging/deb" --revision 1 --revision 2 "$debs"
	for package in plugins controller node client doc; do
		for revision in 1 2; do
			assert test -f "$debs/topobind-${package}_"*"-$revision+slurm${slurm}_"*.deb
		done
	done
}

# files PACKAGE - but for the changelogs and copyright that all have
files() {
	dpkg-deb --fsys-tarfile "$debs/topobind-$1_"*-1+*.deb | tar -t |
		sed -n -e 's,^\./,,' -e '/[^/]$/p' |
		grep -v -E '/(changelog.*|copyright)$|/lintian/|/guide/.*svg' | sort
}

# The files of contribs/monitoring and contribs/ondemand.
mapfile -t watching < <(cd "$top/contribs" && find monitoring ondemand -type f |
	sed 's,^,usr/share/doc/topobind-doc/examples/,')
mapfile -t schemas < <(cd "$top/doc" && find schemas -type f |
	sed 's,^,usr/share/doc/topobind-doc/,')

# has PACKAGE FILE... - these and no others
has() {
	local package=$1

	shift
	assert_eq "files of topobind-$package" \
		"$(printf '%s\n' "$@" | sort)" "$(files "$package")"
}

# installed PAGE... - as they are
installed() {
	local page

	for page; do
		echo "usr/share/man/man${page##*.}/${page##*/}.gz"
	done
}

# The pages of the command go with it.
case_split() {
	local commands pages

	mapfile -t commands < <(installed "$top"/doc/*.1)
	mapfile -t pages < <(installed "$top"/doc/*.[2-8])
	has plugins "$plugins/select_topobind.so" \
		usr/include/topobind/policy.h \
		usr/libexec/topobind/daemons-to-restart \
		usr/libexec/topobind/still-configured \
		usr/share/doc/topobind-plugins/README.Debian
	assert_eq "files of topobind-controller" "" "$(files controller)"
	has node "$plugins/task_topobind.so"
	has client "$plugins/spank_topobind.so" usr/bin/topobind \
		etc/bash_completion.d/topobind \
		usr/share/bash-completion/completions/topobind \
		"${commands[@]}"
	has doc "${pages[@]}" \
		usr/share/doc/topobind-doc/examples/slurm.conf.example \
		usr/share/doc/topobind-doc/examples/topobind.conf.example \
		usr/share/doc/topobind-doc/examples/cli_filter.lua \
		usr/share/doc/topobind-doc/examples/job_submit.lua \
		usr/share/doc/topobind-doc/examples/topobind_policy_power.c \
		"${watching[@]}" "${schemas[@]}" \
		usr/share/doc/topobind-doc/guide/guide.html
}

case_lintian() {
	lintian --fail-on error,warning "$debs"/*-1+*.deb
}

test_case "one command makes all packages" case_one_command
test_case "each has what its hosts need" case_split
test_case "lintian finds nothing" case_lintian
"$here/clean-root" "$debs" "$here/in-root" || {
	test_failures=1
	test_count=$((test_count + 1))
	echo "not ok $test_count - all of in-root passes in a minimal Debian"
}
tests_done
