# SPDX-License-Identifier: GPL-2.0-or-later
#
# TB_CHECK_SLURM
# --------------
# Select and task plugins see the insides of slurmctld and slurmd, so they must
# be built with the headers of exactly the Slurm they are loaded into: a tree
# that differs only in the micro version can lay out job_record_t differently
# (seen: slurmctld dies).  Compare the tree's META with the installed daemon's
# own answer and refuse anything else.  Sets slurm_release, 2205 for 22.05.
AC_DEFUN([TB_CHECK_SLURM], [
AC_ARG_WITH([slurm-src],
  [AS_HELP_STRING([--with-slurm-src=DIR],
    [configured Slurm source tree of the installed version])],
  [slurm_src=$withval], [slurm_src=no])
AC_ARG_WITH([slurm-plugindir],
  [AS_HELP_STRING([--with-slurm-plugindir=DIR],
    [where Slurm looks for plugins @<:@LIBDIR/slurm-wlm or LIBDIR/slurm@:>@])],
  [slurm_plugindir=$withval], [slurm_plugindir=])
AC_ARG_WITH([installed-slurm],
  [AS_HELP_STRING([--without-installed-slurm],
    [do not compare the source tree with the installed Slurm: to compile for a Slurm that is not on this machine])])

AS_IF([test "x$slurm_src" = xno || test "x$slurm_src" = xyes],
  [AC_MSG_ERROR([select and task plugins need Slurm's source headers: give --with-slurm-src=DIR, for example the tree that "apt-get source slurm-wlm" unpacks, after its own ./configure (contribs/bootstrap does both)])])
AS_IF([test ! -f "$slurm_src/META"],
  [AC_MSG_ERROR([no META file in --with-slurm-src=$slurm_src: is it the top of a Slurm source tree?])])
slurm_src=`cd "$slurm_src" && pwd`

AC_MSG_CHECKING([version of the Slurm source tree])
slurm_src_version=`sed -n 's/^ *Version:@<:@	 @:>@*//p' "$slurm_src/META"`
AC_MSG_RESULT([$slurm_src_version])

# How well it is known: "tested" by all of test/run, or only "compiled".
AS_CASE([$slurm_src_version],
  [22.05.*], [slurm_release=2205 slurm_known=tested],
  [23.02.*], [slurm_release=2302 slurm_known=compiled],
  [23.11.*], [slurm_release=2311 slurm_known=compiled],
  [24.05.*], [slurm_release=2405 slurm_known=compiled],
  [24.11.*], [slurm_release=2411 slurm_known=tested],
  [25.05.*], [slurm_release=2505 slurm_known=compiled],
  [25.11.*], [slurm_release=2511 slurm_known=compiled],
  [26.05.*], [slurm_release=2605 slurm_known=compiled],
  [AC_MSG_ERROR([Slurm $slurm_src_version is not supported: this topobind knows 22.05, 23.02, 23.11, 24.05, 24.11, 25.05, 25.11 and 26.05])])
AS_IF([test ! -f "$slurm_src/config.h" || test ! -f "$slurm_src/slurm/slurm_version.h"],
  [AC_MSG_ERROR([the Slurm source tree $slurm_src is not configured: run ./configure in it first])])
AS_IF([test "$slurm_known" = compiled],
  [AC_MSG_WARN([this topobind was tested with Slurm 22.05 and 24.11; with $slurm_src_version it was compiled, but its tests have not run: try it before jobs depend on it])])

slurm_libs=-lslurm
slurm_lib=
AS_IF([test "x$with_installed_slurm" = xno], [
  # Only to see that it compiles, or for another root.
  AS_IF([test -z "$slurm_plugindir"], [slurm_plugindir='${libdir}/slurm'])
], [
# Not sinfo: it wants a slurm.conf even to say its version.
AC_PATH_PROGS([SLURM_VERSION_PROGRAM], [slurmctld slurmd], [no],
  [$PATH$PATH_SEPARATOR/usr/sbin$PATH_SEPARATOR/usr/local/sbin])
AS_IF([test "x$SLURM_VERSION_PROGRAM" = xno],
  [AC_MSG_ERROR([Slurm is not installed: neither slurmctld nor slurmd was found; install them (Debian: slurmctld, slurmd), as the plugins must be built for exactly that version])])
AC_MSG_CHECKING([version of the installed Slurm])
slurm_installed_version=`"$SLURM_VERSION_PROGRAM" -V | sed -n 's/^slurm\(-wlm\)\{0,1\} //p'`
AC_MSG_RESULT([$slurm_installed_version])
AS_IF([test "x$slurm_src_version" != "x$slurm_installed_version"],
  [AC_MSG_ERROR([the source tree $slurm_src is Slurm $slurm_src_version but the installed Slurm is $slurm_installed_version: they must be the same])])
  # A site's own Slurm has its plugins and its library beside its programs.
  slurm_lib=`AS_DIRNAME(["$SLURM_VERSION_PROGRAM"])`/../lib
  slurm_lib=`cd "$slurm_lib" 2>/dev/null && pwd`
  AS_CASE([$slurm_lib],
    ['' | /lib | /usr/lib | /usr/local/lib], [],
    [AS_IF([test -f "$slurm_lib/libslurm.so"],
       [slurm_libs="-L$slurm_lib -Wl,-rpath,$slurm_lib -lslurm"])])
])
AC_SUBST([SLURM_LIBS], [$slurm_libs])

AS_IF([test -z "$slurm_plugindir"], [
  AC_MSG_CHECKING([for Slurm's plugin directory])
  # Not all of clang's versions can say that: theirs is with a vendor.
  multiarch=`$CC -print-multiarch 2>/dev/null ||
    $CC -dumpmachine 2>/dev/null | sed 's/-pc-/-/; s/-unknown-/-/'`
  for dir in "$slurm_lib/slurm" "/usr/lib/$multiarch/slurm-wlm" "/usr/lib/$multiarch/slurm" /usr/lib64/slurm /usr/lib/slurm /usr/local/lib/slurm; do
    AS_IF([test -z "$slurm_plugindir" && test -f "$dir/select_cons_tres.so"],
      [slurm_plugindir=$dir])
  done
  AS_IF([test -z "$slurm_plugindir"],
    [AC_MSG_ERROR([no select_cons_tres.so in the usual places: give --with-slurm-plugindir=DIR])])
  AC_MSG_RESULT([$slurm_plugindir])
])
AC_SUBST([slurm_plugindir])

# Slurm grants some things only to a SelectType with "cons_tres" in its name.
AC_ARG_WITH([select-name],
  [AS_HELP_STRING([--with-select-name=NAME],
    [SelectType is select/NAME: topobind, or cons_tres_topobind for what Slurm grants only to names with cons_tres @<:@topobind@:>@])],
  [select_name=$withval], [select_name=topobind])
AS_CASE([$select_name],
  [topobind], [other_select_name=cons_tres_topobind],
  [cons_tres_topobind], [other_select_name=topobind],
  [AC_MSG_ERROR([--with-select-name=$select_name: allowed are topobind and cons_tres_topobind])])
AC_SUBST([select_name])
AC_SUBST([other_select_name])

# A slurm/ directory in the tree wins over libslurm-dev's.
AC_SUBST([SLURM_CPPFLAGS], ["-isystem $slurm_src"])
AC_SUBST([slurm_src])
])
