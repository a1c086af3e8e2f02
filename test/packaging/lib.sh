# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib.sh - cases and assertions as in test/integration/lib.sh, without a private
# cluster
# shellcheck source=test/integration/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../integration/lib.sh"

cluster=$(mktemp -d "${TMPDIR:-/tmp}/topobind-packages-XXXXXX")

cluster_stop() {
	rm -rf "$cluster"
}

# Cases here go on where the one before ended.
drain() {
	:
}

trap cluster_stop EXIT
trap 'exit 1' INT TERM HUP
