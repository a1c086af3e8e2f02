# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# network.bash - sourced first of all: the test has a network of its own, in which all
# ports are free and packets can get lost
#
#	. "$(dirname "$0")/network.bash"
#
# Begins the test again in a new network namespace, which has nothing but the loopback
# interface.  It has an address of documents, as resolvers look for IPv4 addresses only
# where there is one that is not 127.0.0.1.

if [ "${own_network:-}" != "$0" ]; then
	own_network=$0 exec unshare --net "$0" "$@"
fi
ip link set lo up
ip address add 192.0.2.1/32 dev lo

# lose PERCENT - of all TCP segments, whoever sends them; 0: none any more
lose() {
	nft delete table inet losses 2>/dev/null || true
	[ "$1" -gt 0 ] || return 0
	nft -f - <<-END
	table inet losses {
		chain input {
			type filter hook input priority 0;
			meta l4proto tcp numgen random mod 100 < $1 counter drop
		}
	}
	END
}

# How many have been lost since.
lost_segments() {
	nft list table inet losses |
		sed -n 's/.*counter packets \([0-9]*\).*/\1/p'
}
