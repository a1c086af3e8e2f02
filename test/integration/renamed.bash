# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# renamed.bash - sourced after lib.sh: topobind under the name
# select/cons_tres_topobind (configure --with-select-name), to which Slurm gives what
# it gives to cons_tres only

# Set by what bootstrap prints.
TOPOBIND_STATE='' TOPOBIND_SRC='' TOPOBIND_SLURM_SRC=''
# The directory with all that is installed, under that name.
renamed=''

# The plugins under the other name, as make install has them; what else there is
# does not know it.
build_renamed() {
	local dir=$TOPOBIND_STATE/build-select-name lock

	# Another test may build there, too.
	exec {lock}>"$dir.lock"
	flock "$lock"
	if [ ! -f "$dir/Makefile" ]; then
		mkdir -p "$dir"
		(cd "$dir" && "$TOPOBIND_SRC/configure" --prefix=/usr \
			--sysconfdir=/etc/slurm \
			--with-slurm-src="$TOPOBIND_SLURM_SRC" \
			--with-select-name=cons_tres_topobind)
	fi
	make -C "$dir" -j"$(nproc)" install-exec-local DESTDIR="$renamed"
	exec {lock}>&-
	mkdir -p "$renamed/usr"
	cp -r "$TOPOBIND_ROOT/usr/bin" "$renamed/usr"
}

# Into $renamed; the caller removes it.
make_renamed() {
	local assignments

	assignments=$("$top/contribs/bootstrap")
	eval "$assignments"
	renamed=$(mktemp -d)
	trap 'rm -rf "$renamed"' EXIT
	build_renamed >"$renamed/log" 2>&1 || {
		tail -n 20 "$renamed/log"
		echo "Bail out! no plugins"
		exit 1
	}
}
