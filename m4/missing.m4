# SPDX-License-Identifier: GPL-2.0-or-later
#
# TB_MISSING(WHAT, DEBIAN, FEDORA, SUSE, [OR])
# --------------------------------------------
# End: a library is missing, which these packages of distributions have.
AC_DEFUN([TB_MISSING], [AC_MSG_ERROR([$1 is missing: install it (Debian and Ubuntu: $2; RHEL, Rocky and Fedora: $3; SUSE: $4)$5])])
