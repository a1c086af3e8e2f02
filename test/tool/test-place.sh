#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# topobind place: one placement, and the command's own options
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

node=NSXYCTTYCTTXYCTTYCTT

# place ARGUMENT... - on the node
place() {
	run place --topology "$node" "$@"
}

# --- what fits and what does not ---

place --slots 3 --bunit C --bamount 1
check 'three slots fit: exit code 0' ended 0
check 'the grant is shown' grep -q -x 'granted  NSxycttycttXycttYCTT' "$work/out"
check 'the slots are counted' grep -q -x 'slots    3 of 3' "$work/out"
check 'and their threads listed' grep -q -E '^ +slot 2 +threads 4-5$' "$work/out"
place --slots 9 --bunit C --bamount 1
check 'more than fit: those that fit' grep -q -x 'slots    4 of 9' "$work/out"
check 'and exit code 0' ended 0
place --bunit C --bamount 5
check 'an amount too large: exit code 1' ended 1
check 'and a sentence' grep -q 'does not fit' "$work/out"
place --bunit C --bamount 1 --bfilter NScC
check 'a filter of another shape: exit code 1' ended 1
check 'and the reason' grep -q 'filter' "$work/out"
run place --topology NSxycttycttXYCTTYCTT --bunit X --bamount 2
check 'lower-case units are in use' ended 1

# --- alternatives ---

half=NSxycttycttXYCTTYCTT
run place --topology $half --bunit 'S:1|l3:1|C:1'
check 'the first that fits: exit code 0' ended 0
check 'it is named' grep -q -x 'with     X:1' "$work/out"
check 'and granted' grep -q -x 'granted  NSXYCTTYCTTxycttyctt' "$work/out"
run place --topology $half --bunit 'X:1|C:1' --slots 2 --json
check 'all slots fit with the second' has_value C:1 alternative
check 'as they do alone' has_value '["4-5","6-7"]' slot_threads
check 'the request has all' has_value 'bunit=X:1|C:1' request
run place --topology $half --bunit 'X:1|C:1' --slots 3
check 'where not all fit, the one with most slots' \
	grep -q -x 'with     C:1' "$work/out"
run place --topology $half --bunit 'S:1|X:2'
check 'none fits: exit code 1' ended 1
check 'and none is named' [ "$(grep -c '^with' "$work/out")" = 0 ]
place --bunit 'X:1|C:1' --bamount 2
check 'an amount beside them' refused_for 'bamount=2'

# --- units of two kinds ---

run place --topology NSXCCXcCNSXCCXCC --btype host --bunit X:1+C:2
check 'two kinds lie beside each other' \
	grep -q -x 'granted  NSXCCXCCnsxccxcc' "$work/out"
check 'the threads of the first' grep -q -x '  X:1       threads 4-5' "$work/out"
check 'and of the second' grep -q -x '  C:2       threads 6-7' "$work/out"
run place --topology NSXCCXcCNSXCCXCC --btype host --bunit C:2+X:1 --json
check 'as JSON, in the order of the request' \
	has_value '[{"threads":"6-7","units":"C:2"},{"threads":"4-5","units":"X:1"}]' \
	parts
run place --topology NSXCCXcCNSXCCXCC --btype host --bunit X:1+C:2 --why
check 'why' grep -q 'room for both' "$work/out"
run place --topology NSXcCXcCNSXcCXCC --btype host --bunit X:1+C:4
check 'no room for both: exit code 1' ended 1
place --bunit X:1+C:2
check 'each task cannot have them' refused_for 'btype=host'

# --- NUMA distances ---

# A socket's quadrants: after N2 its neighbour N1, although N4 is free.
quadrants='10,20,20,30;20,10,30,20;20,30,10,20;30,20,20,10'
run place --topology NSXccXCCNSXCCXCCNSXcCXCCNSXCCXCC --slots 13 \
	--bamount 1 --bsort NXC --distances "$quadrants" --json
check 'with distances the closest ones come next' \
	has_value '["4","5","6","7","2","3","12","13","14","15","10","11","9"]' \
	slot_threads
run place --topology NSXccXCCNSXCCXCCNSXcCXCCNSXCCXCC --slots 6 \
	--bamount 1 --bsort NXC --json
check 'without them load alone counts' \
	has_value '["4","5","6","7","12","13"]' slot_threads
run place --topology NSCNSC --bamount 1 --distances '10,20;20'
check 'distances of too few NUMA nodes' refused_for '10,20;20'
run place --topology SCC --bamount 1 --distances 10
check 'distances without NUMA nodes' refused_for --distances
check 'that is what is wrong with them' refused_for 'has no NUMA nodes'

crosswise='10,30,12,30;30,10,30,12;12,30,10,30;30,12,30,10'
run place --topology NSCCNSCCNSCCNSCC --bunit N --bamount 2 \
	--distances "$crosswise" --json
check 'two NUMA nodes are those near each other' \
	has_value nsccNSCCnsccNSCC granted

# --- slots together ---

broken=NSXcccCXcccCXCCCCXCCCC
run place --topology $broken --slots 4 --bamount 1 --json
check 'slots one after the other take what comes next' \
	has_value '["3","7","8","9"]' slot_threads
run place --topology $broken --slots 4 --bamount 1 --together --json
check 'together they lie in one cache' \
	has_value '["8","9","10","11"]' slot_threads
run place --topology $broken --slots 2 --bamount 2 --together --json
check 'with several units, too' has_value '["8-9","10-11"]' slot_threads
run place --topology $broken --bamount 1 --together --why
check 'why is about slots one after the other' refused_for --together

# --- why ---

run place --topology NSXcccCXcccCXCCCCXCCCC --bamount 6 --why
check 'why: exit code' ended 0
check 'why: the place' grep -q -E '^inside +S0,' "$work/out"
check 'why: what was taken' grep -q -E '^ +X3 +4 of 4 free, 2 taken$' "$work/out"
check 'why: what was not' grep -q -E '^ +X0 +1 of 4 free$' "$work/out"
run place --topology NSXcccCXcccCXCCCCXCCCC --bamount 6 --why --json
check 'why, JSON: the place' has_value S0 why place
check 'why, JSON: what was taken' has_value 4 why containers 3 taken
place --bcpus 0 --why
check 'why these CPUs' grep -q -E '^why +these CPUs' "$work/out"
place --bunit C --bamount 5 --why
check 'nothing fits: exit code 1, with --why, too' ended 1
run place --batch --why
check 'no --why with --batch' refused_for --batch

# --- JSON ---

place --slots 2 --bunit Y --bamount 1 --json
check 'JSON: exit code' ended 0
check 'JSON: granted' has_value NSxycttycttXYCTTYCTT granted
check 'JSON: in use' has_value NSxycttycttXYCTTYCTT inuse_after
check 'JSON: slots' has_value 2 slots
check 'JSON: threads of a slot' has_value 2-3 slot_threads 1
check 'JSON: the request' has_value bunit=Y,bamount=1 request
check 'JSON: no reason' has_value null reason
place --bunit X --bamount 3 --json
check 'JSON of what does not fit: exit code' ended 1
check 'JSON of what does not fit: nothing granted' has_value null granted
check 'JSON of what does not fit: a reason' [ -n "$(value reason)" ]

# --- every option has a part ---

# grants EXPECTED ARGUMENT... - a test by itself
grants() {
	expected=$1
	shift
	place --json "$@"
	check "$*" has_value "$expected" granted
}

grants NSxycttycttXYCTTYCTT --bunit=X --bamount=1
grants NSXycttYCTTXycttYCTT --bunit=C --bamount=1 --slots=2 --bstrategy=scatter
grants NSXYCTTYCTTXycttYCTT --bunit=C --bamount=1 --bsort=X \
	--topology=NSXycttYCTTXYCTTYCTT
grants NSXYCTTYCTTXycttYCTT --bunit=C --bamount=1 --bstart=X \
	--topology=NSXycttYCTTXYCTTYCTT
grants null --bunit=C --bamount=2 --bstart=x --bstop=X \
	--topology=NSXycttYCTTXYCTTYCTT
grants NSXYCTTycttXYCTTYCTT --bunit=C --bamount=1 --bfilter=first_core
grants nsxycttycttxycttyctt --bunit=C --bamount=4 --btype=host
grants NSXYCTTycttXYCTTYCTT --topobind=bunit=C,bamount=1,bfilter=first_core
grants NSxycttycttXYCTTYCTT --topobind=bunit=C,bamount=1 --bunit=X
grants NSXYCTtYCtTXYCTTYCTT --bcpus=1,2 --topology=NSXYCTTYCTTXYCTTYCTT
grants null --bcpus=1-8
grants ScCCScCC --bamount=1 --bspread=S --slots=2 --topology=SCCCSCCC
grants NSXYCtTYCTTXYCTTYCTT --topobind=bcpus=0 --btopology=NSXYCTTYCTTXYCTTYCTT \
	--topology=NSXYCTTYCTTXYCTTYCTT
grants null --bamount=1 --btopology=NSXYCTTYCTT
place --topobind bunit=C,bamount=4 --bcpus 0,2-3 --json
check 'a list wins over units of --topobind' has_value bcpus=0+2-3 request
place --topobind bunit=C,bamount=4 --bamount 1 --json
check 'an option wins over --topobind' has_value bamount=1 request

# --- replay: the structured form comes back as it is ---

odd='(N(S(X(Y(E(T))))(Y(E(T)))))'
run place --topology "$odd" --bunit EY --bamount 1 --json
check 'a grant in structured form' has_value '(N(S(x(y(e(t))))(Y(E(T)))))' granted
run place --topology "$(value inuse_after)" --bunit EY --bamount 1 --json
check 'is a topology again' has_value '(n(s(x(y(e(t))))(y(e(t)))))' inuse_after

# --- OS CPU numbers ---

twin=SCTTCTTSCTTCTT
grants SCtTCTTSCtTCTT --bcpus=os:0-1 --topology=$twin --os-cpus=0-2:2+1-3:2+4-7
grants SCtTCTTSCTTCtT --bcpus=os:0,3 --topology=$twin --os-cpus=0-7
grants null --bcpus=os:0 --topology=SCtTCTTSCTTCTT --os-cpus=0-7
grants null --bcpus=os:8 --topology=$twin --os-cpus=0-7
run place --topology $twin --bcpus os:0,3 --os-cpus 0-7 --json
check 'a list of OS numbers in one line' has_value bcpus=os:0+3 request
run place --topology $twin --bcpus os:0
check 'OS numbers of a node that has told none' refused_for --os-cpus
run place --topology $twin --bcpus os:0 --os-cpus 0-6
check 'OS numbers of too few threads' refused_for '0-6'

# --- bad requests ---

# refuses TEXT ARGUMENT... - a test by itself
refuses() {
	expected=$1
	shift
	place "$@"
	check "refused: $(printf %.60s "$*")" refused_for "$expected"
}

refuses bunit --bunit Q --bamount 1
refuses bamount --bunit C --bamount -1
refuses bamount --bunit C --bamount 99999999999999999999
refuses bamount --bunit C --bamount 0
refuses bamount --btype host
refuses bamount --bunit C --bamount 1 --bamount x
refuses btype --bamount 1 --btype core
refuses bstrategy --bamount 1 --bstrategy best
refuses bspread --bamount 1 --bspread C
refuses bspread --bamount 1 --bspread S --bstrategy scatter
refuses bequal --bamount 1 --bequal never
refuses bequal --bamount 1 --bequal no --btype host
refuses bsort --bamount 1 --bsort Ss
refuses bstart --bamount 1 --bstart T
refuses bstop --bamount 1 --bstop Q
refuses bfilter --bamount 1 --bfilter second_core
refuses binstance --bamount 1 --binstance nobody
refuses bmem --bamount 1 --bmem near
refuses bmode --bamount 1 --bmode elastic
refuses ballow --bamount 1 --bmode soft --ballow C
refuses ballow --bamount 1 --ballow X
refuses btopology --bamount 1 --btopology NSCq
refuses btopology --bamount 1 --btopology NScC
refuses bcpus --bcpus 3-1
refuses bcpus --bcpus -1
refuses bcpus --bcpus 65536
refuses bamount --bcpus 0 --bamount 1
refuses bunit --bcpus 0 --bunit X
refuses slots --bamount 1 --slots 0
refuses slots --bamount 1 --slots -1
refuses slots --bamount 1 --slots 99999999999999999999
refuses colour --bamount 1 --topobind colour=red
refuses surplus --bamount 1 surplus
refuses option --bamount 1 --nonsense
refuses option --bamount 1 --slots
run place --bunit C --bamount 1
check 'refused: no topology' refused_for --topology
run place --bunit C --bamount 1 --topology 'SCCCX'
check 'refused: a broken topology' refused

long=$(rubbish)
for option in topology distances os-cpus bunit bamount btype bequal bstrategy \
	bspread bsort bstart \
	bstop bfilter binstance btopology bcpus bmem bmode ballow bnodes \
	bprefer \
	topobind slots; do
	run place --topology "$node" --bamount 1 "--$option" "$long"
	check "64 KiB of rubbish in --$option" refused
done
run place --topology "$node" --bamount 1 --bunit "$(printf '\033[31mX')"
check 'no control characters on the terminal' refused

# --- the command itself ---

run
check 'no command' refused_for --help
run nonsense
check 'an unknown command' refused_for nonsense
run "$long"
check '64 KiB of rubbish as command' refused
for arguments in --help 'topology --help' 'place --help' 'map --help'; do
	# shellcheck disable=SC2086
	run $arguments
	check "$arguments" ended 0
	check "$arguments fits on a screen" \
		[ "$(wc -l <"$work/out")" -le 24 ]
	check "$arguments is not too wide" \
		[ "$(wc -L <"$work/out")" -le 80 ]
done
run --version
check 'the version' grep -q -E '^topobind [0-9]' "$work/out"
"$program" --help >/dev/full 2>"$work/err"
code=$?
check 'a full disk is an error' [ "$code" -eq 2 ]

report
