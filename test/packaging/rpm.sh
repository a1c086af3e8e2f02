#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rpm - contribs/packaging/topobind.spec: rpmbuild makes packages with it, here
# too, rpmlint finds nothing, and rpm installs and removes them in a root of its own
#
# Debian has no packages of Slurm that rpm knows: what is required is not checked
# when they are built.  In that root one package stands for Debian.
# shellcheck source=test/packaging/lib.sh
. "$(dirname "$0")/lib.sh"

spec=$top/contribs/packaging/topobind.spec
made=$cluster/made
# Set by what bootstrap prints.
TOPOBIND_BUILD='' TOPOBIND_SLURM_SRC=''

assignments=$("$top/contribs/bootstrap" --tests)
eval "$assignments"
slurm=$(slurmctld -V | sed 's/.* //')
plugins=$(sed -n 's/^slurm_plugindir = //p' "$TOPOBIND_BUILD/Makefile")

case_spec() {
	rpmlint -r "$top/contribs/packaging/topobind.rpmlintrc" "$spec" |
		tee "$work/rpmlint"
	assert grep ' 0 errors, 0 warnings' "$work/rpmlint"
}

# From what the tarball has.
case_build() {
	local release

	release=$(rpmspec -q --srpm --qf '%{version}' \
		--define "slurm_src $TOPOBIND_SLURM_SRC" "$spec")
	mkdir -p "$work/SOURCES"
	make -C "$TOPOBIND_BUILD" distdir distdir="$work/topobind-$release"
	tar -C "$work" -cJf "$work/SOURCES/topobind-$release.tar.xz" \
		"topobind-$release"
	rpmbuild -bb --nodeps --define "_topdir $work" \
		--define "_rpmdir $made" --define "_build_name_fmt %%{NAME}.rpm" \
		--define "slurm_src $TOPOBIND_SLURM_SRC" \
		--define "slurm_plugindir $plugins" "$spec"
	assert_eq "packages" \
		"client.rpm controller.rpm doc.rpm node.rpm plugins.rpm" \
		"$(cd "$made" && echo *.rpm | sed 's/topobind-//g')"
}

# files PACKAGE - without the documents that all have.  Manual pages are
# compressed on some systems.
files() {
	rpm -qlp "$made/topobind-$1.rpm" |
		grep -v -E '/(COPYING|NEWS.md|README.md)$|/topobind-[a-z]*-[0-9.]*$|/topobind-doc$|/guide$|/guide/.*svg$|/\.build-id' |
		sed 's/\.gz$//' | sort
}

# What is in contribs/monitoring and contribs/ondemand, and these.
mapfile -t watching < <(cd "$top/contribs" && find monitoring ondemand |
	sed 's,^,/usr/share/doc/topobind-doc/examples/,')
mapfile -t schemas < <(cd "$top/doc" && find schemas |
	sed 's,^,/usr/share/doc/topobind-doc/,')

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
		echo "/usr/share/man/man${page##*.}/${page##*/}"
	done
}

case_files() {
	local commands pages

	mapfile -t commands < <(installed "$top"/doc/*.1)
	mapfile -t pages < <(installed "$top"/doc/*.[2-8])
	has plugins "$plugins/select_topobind.so" /usr/libexec/topobind \
		/usr/include/topobind /usr/include/topobind/policy.h \
		/usr/libexec/topobind/daemons-to-restart \
		/usr/libexec/topobind/still-configured
	assert_eq "files of topobind-controller" "" "$(files controller)"
	has node "$plugins/task_topobind.so"
	has client "$plugins/spank_topobind.so" /usr/bin/topobind \
		/etc/bash_completion.d/topobind \
		/usr/share/bash-completion/completions/topobind \
		"${commands[@]}"
	has doc "${pages[@]}" /usr/share/doc/topobind-doc/examples \
		/usr/share/doc/topobind-doc/examples/slurm.conf.example \
		/usr/share/doc/topobind-doc/examples/topobind.conf.example \
		/usr/share/doc/topobind-doc/examples/cli_filter.lua \
		/usr/share/doc/topobind-doc/examples/job_submit.lua \
		/usr/share/doc/topobind-doc/examples/topobind_policy_power.c \
		"${watching[@]}" "${schemas[@]}" \
		/usr/share/doc/topobind-doc/guide/guide.html
}

case_exact_slurm() {
	rpm -qRp "$made/topobind-plugins.rpm" >"$work/requires"
	assert grep -x "slurm = $slurm" "$work/requires"
	rpm -qRp "$made/topobind-node.rpm" >"$work/requires"
	assert grep -x "slurm-slurmd = $slurm" "$work/requires"
	assert grep "^topobind-plugins.* = " "$work/requires"
}

# --- in a root of its own ---------------------------------------------------

root=$cluster/root

in_root() {
	rpm --root "$root" --dbpath /var/lib/rpm "$@"
}

# debian_package NAME [SED...] - provides all that ours require of others
debian_package() {
	local name=$1

	shift
	{
		printf '%s\n' "Name: $name" "Version: 1" "Release: 1" \
			"Summary: all of it" "License: none" "BuildArch: noarch"
		rpm -qRp "$made"/topobind-*.rpm |
			grep -v -E '^(rpmlib\(|topobind-|$)' | sort -u |
			sed 's/^/Provides: /' | sed -e '' "$@"
		printf '%s\n' "%description" "That." "%files"
	} >"$work/$name.spec"
	rpmbuild -bb --define "_topdir $work" --define "_rpmdir $work" \
		--define "_build_name_fmt %%{NAME}.rpm" "$work/$name.spec"
}

make_root() {
	local applet

	mkdir -p "$root/bin" "$root/etc/slurm" "$root/var/lib/rpm" "$root/dev" "$root/tmp"
	cp /bin/busybox "$root/bin"
	for applet in sh dirname grep sort tr cat sed ps; do
		ln -s busybox "$root/bin/$applet"
	done
	in_root --initdb
}

# Plugins for another Slurm than is there are refused, and nothing is left of them.
case_other_slurm() {
	make_root
	debian_package other -e "s/^Provides: slurm = .*/Provides: slurm = 1.2.3/"
	in_root -i "$work/other.rpm"
	refute in_root -i "$made"/topobind-*.rpm 2>"$work/err"
	assert grep "slurm = $slurm is needed by topobind-plugins" "$work/err"
	assert_eq "packages" other "$(in_root -qa --qf '%{NAME}\n')"
	in_root -e other
}

case_install() {
	local package

	debian_package debian
	in_root -i "$work/debian.rpm"
	in_root -i "$made"/topobind-*.rpm
	assert_eq "packages" "client controller doc node plugins" \
		"$(in_root -qa --qf '%{NAME}\n' | sed -n 's/^topobind-//p' | sort | xargs)"
	for package in plugins node client doc; do
		in_root -V "topobind-$package"
	done
}

# What is installed there runs on a private cluster.
case_runs() {
	local private

	private=$("$cluster_program" start --prefix "$root" --nodes zen)
	# shellcheck disable=SC2064 # it is this one
	trap "'$cluster_program' stop '$private'" EXIT
	eval "$("$cluster_program" env "$private")"
	salloc -Q --no-shell --bunit=X --bamount=1
	assert_eq "a grant" "threads 0-5" \
		"$("$root/usr/bin/topobind" map | grep -o 'threads [0-9].*')"
}

# As Debian's packages: not while slurm.conf has the plugins, nor without force.
case_remove() {
	local packages

	echo "SelectType=select/topobind" >"$root/etc/slurm/slurm.conf"
	mapfile -t packages < <(in_root -qa --qf '%{NAME}\n' | grep topobind-)
	refute in_root -e "${packages[@]}" 2>"$work/err"
	assert grep "SelectType=select/cons_tres" "$work/err"
	assert [ -e "$root$plugins/select_topobind.so" ]
	echo "SelectType=select/cons_tres" >"$root/etc/slurm/slurm.conf"
	mapfile -t packages < <(in_root -qa --qf '%{NAME}\n' | grep topobind-)
	in_root -e "${packages[@]}"
	assert_eq "files that are left" "" "$(find "$root" -name '*topobind*')"
}

work=$cluster
test_case "rpmlint finds nothing in the spec file" case_spec
test_case "rpmbuild makes all packages" case_build
test_case "each has what its hosts need" case_files
test_case "they require one version of Slurm" case_exact_slurm
test_case "rpm refuses them where another Slurm is" case_other_slurm
test_case "rpm installs them" case_install
test_case "what it has installed runs" case_runs
test_case "rpm removes them when Slurm does without" case_remove
tests_done
