#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurm_suite - tests of Slurm's own suite pass with topobind as without: those of
# test/slurm-suite.quick; test/slurm-suite has all of them
exec "$(dirname "$0")/../slurm-suite" --quick
