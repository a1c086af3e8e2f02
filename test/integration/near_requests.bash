# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034 # for those that source it
#
# near_requests.bash - sourced after lib.sh and same_answers.bash: random requests for
# GPUs, and nodes that have them near some of their cores

# Two sockets, in each two NUMA nodes, in each two L3 caches of two cores of two
# threads.  NUMA nodes are sockets to Slurm: some releases want whole ones near a device.
quad=SNXCTTCTTXCTTCTTNXCTTCTTXCTTCTTSNXCTTCTTXCTTCTTNXCTTCTTXCTTCTT
seed=${TOPOBIND_SEED:-$((1 + RANDOM % 1000))}
count=${TOPOBIND_REQUESTS:-14}
must=--gres-flags=enforce-binding
# Of same_answers.bash: there are many holders.
may_be_late=yes
