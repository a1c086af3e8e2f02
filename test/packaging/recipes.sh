#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# recipes - contribs/spack: what its recipe tells configure to do can be done
#
# Spack itself is in no registry that these machines have: names of its own stand for
# it here, and whether it takes the recipe is not seen.  contribs/ansible is tried in
# in-root.
# shellcheck source=test/packaging/lib.sh
. "$(dirname "$0")/lib.sh"

# Set by what bootstrap prints.
TOPOBIND_BUILD='' TOPOBIND_SLURM_SRC=''
assignments=$("$top/contribs/bootstrap" --tests)
eval "$assignments"
recipe=$top/contribs/spack/packages/topobind/package.py

# recipe_says ATTRIBUTE [VARIANT] - what the recipe has of it
recipe_says() {
	mkdir -p "$cluster/stub/spack"
	touch "$cluster/stub/spack/__init__.py"
	cat >"$cluster/stub/spack/package.py" <<-'END'
	def nothing(*args, **options):
	    pass
	license = variant = depends_on = conflicts = nothing
	versions = []
	def version(number):
	    versions.append(number)
	class AutotoolsPackage:
	    pass
	END
	PYTHONPATH=$cluster/stub PYTHONDONTWRITEBYTECODE=1 python3 - "$recipe" "$@" <<-'END'
	import importlib.util, sys
	from types import SimpleNamespace as names
	from spack.package import versions
	path, what, *off = sys.argv[1:]
	loader = importlib.util.spec_from_file_location("recipe", path)
	module = importlib.util.module_from_spec(loader)
	loader.loader.exec_module(module)
	package = module.Topobind()
	package.prefix = names(lib=names(slurm="/p/lib/slurm"), etc="/p/etc")
	package.spec = names(variants={"slurm_src": names(value="SLURM")},
	                     satisfies=lambda variant: variant not in off)
	print("\n".join(versions if what == "versions" else package.configure_args()))
	END
}

case_version() {
	assert_eq "version" "$(sed -n 's/^PACKAGE_VERSION = //p' \
		"$TOPOBIND_BUILD/Makefile")" "$(recipe_says versions)"
}

# configured VARIANT... - without these
configured() {
	local build=$cluster/build-$#

	mkdir "$build"
	mapfile -t options < <(recipe_says options "$@" |
		sed "s,=SLURM$,=$TOPOBIND_SLURM_SRC,")
	(cd "$build" && "$TOPOBIND_SRC/configure" "${options[@]}") >"$build/said" 2>&1
	assert_eq "options that configure does not know" "" \
		"$(grep 'unrecognized options' "$build/said" || true)"
	assert_eq "plugins" /p/lib/slurm \
		"$(sed -n 's/^slurm_plugindir = //p' "$build/Makefile")"
	assert_eq "completion" /p/etc \
		"$(sed -n 's/^bash_startup_dir = //p' "$build/Makefile")"
}

case_configure() {
	configured
	assert grep -q '^LIBCGROUP_LIBS = .*-lcgroup' "$cluster/build-0/Makefile"
	configured +libcgroup
	assert grep -q '^LIBCGROUP_LIBS = *$' "$cluster/build-1/Makefile"
}

test_case "Spack's recipe has this version" case_version
test_case "configure knows what Spack's recipe says" case_configure
tests_done
