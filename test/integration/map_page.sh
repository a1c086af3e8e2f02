#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# map_page - the picture and the page of topobind map, in a real browser
#
# What units have which owner is taken from Slurm's own books (facts), never from
# topobind map.  MAP_SHOTS=DIR keeps pictures of what is to be seen.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/webdriver.bash
. "$(dirname "$0")/webdriver.bash"

evil='</script><script>window.hit = 1</script><img src=x onerror="window.hit = 2">&lt;'\''"]]>'

# --- the state ---------------------------------------------------------------

# The jobs live as long as the test does; drain() after a case would end them.
start_jobs() {
	bound=$(alloc -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 -t 2:00:00 -J "$evil")
	soft=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1 --bmode=soft -t 60 -J soft)
	plain=$(alloc -w "$NODE_ZEN" -n3 -t 2-0 -J 'plain "&" simple')
	alloc -w "$NODE_RAPTOR" --bunit=E --bamount=2 -t 30 -J cores >/dev/null
	other=$(alloc -w "$NODE_RAPTOR" -n2 -t 30 -J other)
}

drain() {
	:
}

kind_of_job() {
	case $1 in
	"$soft") echo soft ;;
	"$plain" | "$other") echo plain ;;
	*) echo bound ;;
	esac
}

# wanted NODE - thread, kind and job of all that is in use, by Slurm's books
wanted() {
	local node=$1 what job at thread rest

	facts | sort -u | while read -r what job at thread rest; do
		[ "$what $at" != "cpu $node" ] ||
			echo "$thread $(kind_of_job "$job") $job"
	done | sort -n
}

# --- the page ----------------------------------------------------------------

units_script='return [...document.querySelectorAll("#boxes .unit")]
	.map((unit) => [unit.dataset.thread, unit.dataset.kind, unit.dataset.jobs])'

text_of() {
	browser_script "return document.querySelector('$1').textContent" | jq -r .
}

# As one who scrolls until the tile is not behind what is told at the bottom.
show_node() {
	local tile=".tile[data-node=\"$1\"]"

	browser_script "document.querySelector('$tile')
		.scrollIntoView({block: 'center'})" >/dev/null
	browser_click "$tile"
}

shot() {
	[ -z "${MAP_SHOTS:-}" ] || browser_shot "$MAP_SHOTS/$1.png"
}

no_complaints() {
	assert_eq "the console" "" "$(browser_complaints)"
}

nothing_was_run() {
	assert_eq "what a name has run" null \
		"$(browser_script 'return window.hit ?? null')"
}

# units NODE - all of the page's boxes, in the form of wanted
units() {
	browser_script "$units_script" | jq -r '.[] | "\(.[0]) \(.[1]) \(.[2])"' |
		sort -n
}

case_every_unit() {
	local node threads=96

	for node in "$NODE_ZEN" "$NODE_RAPTOR"; do
		show_node "$node"
		assert_eq "title" "$node" "$(text_of '#boxes h2')"
		assert_eq "units of $node that are in use" "$(wanted "$node")" \
			"$(units | grep -v -E ' (free|filtered) ')"
		assert_eq "units of $node" "$threads" "$(units | wc -l)"
		threads=20
	done
	no_complaints
}

case_kinds_are_there() {
	assert_eq "kinds on zen" 'bound plain soft' \
		"$(wanted "$NODE_ZEN" | cut -d' ' -f2 | sort -u | xargs)"
	assert_eq "kinds on raptor" 'bound plain' \
		"$(wanted "$NODE_RAPTOR" | cut -d' ' -f2 | sort -u | xargs)"
	# One core is left to the system.
	show_node "$NODE_ZEN"
	assert [ -n "$system_threads" ]
	assert_eq "filtered" "$system_threads" \
		"$(units | awk '$2 == "filtered" { print $1 }' | as_list)"
}

case_click() {
	show_node "$NODE_RAPTOR"
	assert_eq "pressed" "[\"$NODE_RAPTOR\"]" "$(browser_script '
		return [...document.querySelectorAll(".tile[aria-pressed=true]")]
		.map((tile) => tile.dataset.node)' | jq -c .)"
	assert_eq "boxes" 14 "$(browser_script '
		return document.querySelectorAll("#boxes .core").length')"
	assert_eq "of efficiency cores" 8 "$(browser_script '
		return document.querySelectorAll("#boxes .efficiency").length')"
	shot click
	show_node "$NODE_ZEN"
	assert_eq "cores" 48 "$(browser_script '
		return document.querySelectorAll("#boxes .core").length')"
}

# assert_left TEXT FROM TO - "H:MM:SS left", as seconds
assert_left() {
	local left seconds

	left=$(grep -o '[0-9:-]* left' <<<"$1")
	seconds=$(tr '-' ':' <<<"${left% left}" | awk -F: '{
		print NF == 4 ? (($1 * 24 + $2) * 60 + $3) * 60 + $4 :
			($1 * 60 + $2) * 60 + $3 }')
	{ [ "$seconds" -ge "$2" ] && [ "$seconds" -le "$3" ]; } ||
		fail "$left is not from $2 to $3 s"
}

first_thread() {
	cpu_ids "$1" "$NODE_ZEN" | sed 's/[-,].*//'
}

case_hover() {
	local info job

	show_node "$NODE_ZEN"
	for job in "$bound:7200:$evil" "$soft:3600:soft" \
		"$plain:172800:plain \"&\" simple"; do
		IFS=: read -r job seconds name <<<"$job"
		browser_hover "#boxes .unit[data-thread=\"$(first_thread "$job")\"]"
		info=$(text_of '#info')
		assert_contains "job and user" "job $job ($name) of root" "$info"
		assert_contains "kind" "$(kind_of_job "$job")" "$info"
		assert_left "$info" $((seconds - 600)) "$seconds"
		assert_eq "units that are marked" "$(cpu_ids "$job" "$NODE_ZEN")" \
			"$(browser_script '
			return [...document.querySelectorAll("#boxes .same")]
			.map((unit) => unit.dataset.thread)' | jq -r '.[]' | as_list)"
	done
	shot hover
	nothing_was_run
	no_complaints
}

case_keyboard() {
	# WebDriver's U+E014 and U+E012, in UTF-8 whatever the locale.
	local right=$'\xEE\x80\x94' left=$'\xEE\x80\x92'

	show_node "$NODE_ZEN"
	browser_type '#boxes .unit[tabindex="0"]' "$right$right$right$left"
	assert_eq "the focus" '"2"' \
		"$(browser_script 'return document.activeElement.dataset.thread')"
	assert_contains "what is told" "core 1, thread 2: " "$(text_of '#info')"
	assert_eq "units that Tab stops at" 1 "$(browser_script '
		return document.querySelectorAll("#boxes [tabindex=\"0\"]").length')"
}

visible_tiles() {
	browser_script 'return [...document.querySelectorAll(".tile")]
		.filter((tile) => tile.offsetWidth > 0).map((tile) => tile.dataset.node)' |
		jq -r '.[]' | xargs
}

# nodes_named TEXT NODE - the nodes with it in their names, and this one
nodes_named() {
	printf '%s\n' "$NODE_ZEN" "$NODE_RAPTOR" | grep -e "$1" -e "^$2\$" | xargs
}

case_search() {
	browser_open "$work/page.html"
	assert_eq "all" "$NODE_ZEN $NODE_RAPTOR" "$(visible_tiles)"
	browser_type '#search' cores
	assert_eq "of a job's name" "$NODE_RAPTOR" "$(visible_tiles)"
	assert_eq "how many" "1 of 2 nodes" "$(text_of '#found')"
	browser_open "$work/page.html"
	browser_type '#search' "$soft"
	assert_eq "of a job" "$(nodes_named "$soft" "$NODE_ZEN")" \
		"$(visible_tiles)"
}

# pressed - the chosen nodes, in the order of the tiles
pressed() {
	browser_script 'return [...document.querySelectorAll(".tile[aria-pressed=true]")]
		.map((tile) => tile.dataset.node)' | jq -r '.[]' | xargs
}

titles() {
	browser_script 'return [...document.querySelectorAll("#boxes h2")]
		.map((title) => title.textContent)' | jq -r '.[]' | xargs
}

address() {
	browser_script 'return location.hash' | jq -r .
}

# Several nodes: by the box, by the address, by a job.
case_several() {
	browser_open "$work/page.html"
	assert_eq "the busiest is first" "$NODE_ZEN" "$(titles)"
	browser_click '#several'
	show_node "$NODE_RAPTOR"
	assert_eq "chosen" "$NODE_ZEN $NODE_RAPTOR" "$(pressed)"
	assert_eq "drawn" "$NODE_ZEN $NODE_RAPTOR" "$(titles)"
	assert_eq "the address" "#$NODE_ZEN,$NODE_RAPTOR" "$(address)"
	show_node "$NODE_ZEN"
	assert_eq "one is taken away" "$NODE_RAPTOR" "$(titles)"
	browser_click '#several'
	show_node "$NODE_ZEN"
	assert_eq "one alone" "$NODE_ZEN" "$(titles)"
	browser_script "location.hash = '$NODE_RAPTOR,nobody'" >/dev/null
	wait_until 20 titles_are "$NODE_RAPTOR"
	browser_open "$work/page.html#$NODE_RAPTOR"
	assert_eq "by its address" "$NODE_RAPTOR" "$(titles)"
	browser_open "$work/page.html?again#%"
	assert_eq "a wrong address" "$NODE_ZEN" "$(titles)"
	no_complaints
}

titles_are() {
	[ "$(titles)" = "$1" ]
}

case_jobs() {
	browser_open "$work/page.html"
	browser_click "#jobs tr[data-job=\"$other\"] button"
	assert_eq "its node" "$NODE_RAPTOR" "$(titles)"
	assert_contains "it is told" "job $other (other) of root" "$(text_of '#info')"
	assert_eq "its units" "$(cpu_ids "$other" "$NODE_RAPTOR")" "$(browser_script '
		return [...document.querySelectorAll("#boxes .same")]
		.map((unit) => unit.dataset.thread)' | jq -r '.[]' | as_list)"
	assert_eq "names of nodes" "$NODE_RAPTOR" "$(browser_script "return document
		.querySelector('#jobs tr[data-job=\"$other\"] td:nth-child(7)').textContent" |
		jq -r .)"
	no_complaints
}

# Tab stops once at the tiles, the jobs and each node that is drawn.
case_tab_stops() {
	local down=$'\xEE\x80\x95' end=$'\xEE\x80\x90'

	browser_open "$work/page.html?tabs#$NODE_ZEN,$NODE_RAPTOR"
	assert_eq "stops" "1 1 2" "$(browser_script '
		return ["#overview", "#jobs", "#boxes"].map((name) => document
		.querySelectorAll(name + " [tabindex=\"0\"]").length)' | jq -r '.[]' | xargs)"
	browser_type '#overview .tile[tabindex="0"]' "$end"
	assert_eq "the last tile" "$NODE_RAPTOR" "$(browser_script '
		return document.activeElement.dataset.node' | jq -r .)"
	browser_type '#jobs button[tabindex="0"]' "$down"
	assert_eq "the second job" true "$(browser_script '
		return document.activeElement ===
		document.querySelectorAll("#jobs button")[1]')"
	assert_eq "stops after it" 1 "$(browser_script '
		return document.querySelectorAll("#jobs [tabindex=\"0\"]").length')"
}

# Rows are as long as each other, but for what does not divide.
uneven='
	return [...document.querySelectorAll("#boxes .inside")].filter((inside) => {
		const rows = new Map();
		for (const child of inside.children)
			rows.set(child.offsetTop, (rows.get(child.offsetTop) ?? 0) + 1);
		const lengths = [...rows.values()];
		const most = Math.ceil(inside.children.length / lengths.length);
		return lengths.some((length) => length > most);
	}).length'

case_rows() {
	local width

	for width in 390 500 700 1280 2560; do
		browser_size "$width" 900
		browser_open "$work/page.html#$NODE_ZEN"
		assert_eq "uneven rows, $width pixels" 0 "$(browser_script "$uneven")"
		shot "rows-$width"
		# The same, made narrower and wider under way.
		browser_size 600 900
		wait_until 20 rows_are_even
	done
	browser_size 1200 900
}

rows_are_even() {
	[ "$(browser_script "$uneven")" = 0 ]
}

case_legend() {
	browser_open "$work/page.html"
	assert_contains "letters of boxes" "N NUMA node, S socket, X L3 cache" \
		"$(text_of '#legend')"
}

# A page of its own: what waits, and nodes that are not as usual.
case_trouble() {
	jq --arg node "$NODE_RAPTOR" '.waiting = [ { job: "77", user: "ann",
		name: "<b>", request: "bunit=X,bamount=9", waiting: "no <i> units" } ] |
		.nodes |= map(if .node == $node then .state = "drained" |
		.reason = "<u>fan" else . end)' "$work/map.json" >"$work/trouble.json"
	topobind map --from "$work/trouble.json" --html >"$work/trouble.html"
	browser_open "$work/trouble.html#$NODE_RAPTOR"
	assert_eq "a row" "77ann<b>bunit=X,bamount=9no <i> units" \
		"$(text_of '#waiting tbody')"
	assert_eq "the tile" drained "$(text_of \
		".tile[data-node=\"$NODE_RAPTOR\"] .trouble")"
	assert_contains "the node" "; drained: <u>fan" "$(text_of '#boxes .summary')"
	assert_eq "elements that are not the page's" 0 "$(browser_script '
		return document.querySelectorAll("body b, body i, body u").length')"
	shot trouble
	browser_open "$work/page.html"
	assert_eq "nothing waits" true \
		"$(browser_script 'return document.getElementById("waiting-section").hidden')"
	no_complaints
}

# From a server; what has changed there is drawn, and what was chosen stays.
case_served() {
	local server port

	mkdir "$work/served"
	cp "$work/page.html" "$work/served/map.html"
	# The server tells one from the other by the second.
	touch -d '1 minute ago' "$work/served/map.html"
	(cd "$work/served" && exec python3 -u -m http.server --bind 127.0.0.1 0) \
		>"$work/server" 2>&1 &
	server=$!
	wait_until 20 server_port
	port=$(server_port)
	browser_call POST /url "$(jq -n --arg url \
		"http://127.0.0.1:$port/map.html#$NODE_RAPTOR" '{url: $url}')" >/dev/null
	browser_type '#search' cores
	cp "$work/trouble.html" "$work/served/new"
	mv "$work/served/new" "$work/served/map.html"
	wait_until 30 is_new_page
	assert_eq "what was chosen" "$NODE_RAPTOR" "$(titles)"
	assert_eq "what was sought" cores \
		"$(browser_script 'return document.getElementById("search").value' | jq -r .)"
	kill "$server"
	wait "$server" || true
	browser_script 'document.dispatchEvent(new Event("visibilitychange"))' >/dev/null
	assert_eq "without the server" "$NODE_RAPTOR" "$(titles)"
	# Of the browser, on that.
	browser_complaints >/dev/null
}

server_port() {
	grep -o 'port [0-9]*' "$work/server" | grep -o '[0-9]*'
}

# As when one comes back to the page; not within the seconds after a key.
is_new_page() {
	browser_script 'document.dispatchEvent(new Event("visibilitychange"))' >/dev/null
	browser_script 'return !document.getElementById("waiting-section").hidden' |
		grep -qx true
}

case_names_are_text() {
	browser_open "$work/page.html"
	assert_contains "the table of jobs" "$evil" "$(text_of '#jobs')"
	assert_eq "elements that are not the page's" 0 \
		"$(browser_script 'return document.querySelectorAll("body img").length')"
	assert_eq "scripts" 2 "$(browser_script 'return document.scripts.length')"
	nothing_was_run
	no_complaints
}

case_needs_nothing() {
	refute grep -E '(src|href)="?(https?:)?//|@import|url\(' "$work/page.html"
	assert_eq "what it has loaded" 0 "$(browser_script '
		return performance.getEntriesByType("resource")
		.filter((entry) => !entry.name.startsWith("data:")).length')"
}

# What is wider than the window, or sticks out of it.
too_wide='
	const width = document.documentElement.clientWidth;
	return [...document.querySelectorAll("body *")].filter((element) => {
		const box = element.getBoundingClientRect();
		return box.width && (box.left < -1 || box.right > width + 1);
	}).map((element) => element.tagName + "." + element.className)'

case_narrow() {
	local node

	browser_size 360 640
	browser_open "$work/page.html"
	for node in "$NODE_ZEN" "$NODE_RAPTOR"; do
		show_node "$node"
		assert_eq "too wide" '[]' "$(browser_script "$too_wide" | jq -c .)"
		assert_eq "scrolls sideways by" 0 "$(browser_script '
			const page = document.scrollingElement;
			return page.scrollWidth - page.clientWidth')"
		shot "narrow-$node"
	done
	browser_size 1200 900
}

case_print() {
	browser_open "$work/page.html#$NODE_ZEN,$NODE_RAPTOR"
	# A sheet of A4 between its margins.
	browser_size 718 1000
	browser_media print light
	assert_eq "too wide" '[]' "$(browser_script "$too_wide" | jq -c .)"
	assert_eq "what is for a screen only" '["none","none"]' "$(browser_script '
		return ["#info", ".controls"].map((name) =>
		getComputedStyle(document.querySelector(name)).display)' | jq -c .)"
	assert_eq "colours" exact "$(browser_script 'return getComputedStyle(
		document.querySelector(".unit")).printColorAdjust' | jq -r .)"
	assert_eq "both nodes" "true true" "$(browser_script '
		return [...document.querySelectorAll("#boxes .node")]
		.map((node) => node.offsetHeight > 0)' | jq -r '.[]' | xargs)"
	shot print
	browser_media screen light
	browser_size 1200 900
	assert_eq "a sheet" %PDF "$(browser_call POST /print '{}' | jq -r . |
		base64 -d | head -c 4)"
}

# The contrast of text with what is behind it, by the W3C's formula; of each kind
# of element the least.  4.5 is what WCAG 2 wants.
contrasts='
	const channels = (color) => (color.match(/[0-9.]+/g) ?? []).map(Number);
	const light = (color) => channels(color).slice(0, 3).map((c) => c / 255)
		.map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (element) => {
		for (; element; element = element.parentElement) {
			const color = getComputedStyle(element).backgroundColor;
			if (channels(color)[3] !== 0)
				return color;
		}
		return "rgb(255, 255, 255)";
	};
	const least = {};
	for (const element of document.querySelectorAll("body *")) {
		if (!element.offsetWidth || ![...element.childNodes].some((node) =>
		    node.nodeType === 3 && node.data.trim()))
			continue;
		const a = light(getComputedStyle(element).color), b = light(behind(element));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		const name = element.tagName + "." + element.className;
		least[name] = Math.min(least[name] ?? 99, contrast);
	}
	return least'

case_schemes() {
	local scheme poor

	browser_open "$work/page.html"
	show_node "$NODE_ZEN"
	for scheme in light dark; do
		browser_media screen "$scheme"
		poor=$(browser_script "$contrasts" |
			jq -c 'with_entries(select(.value < 4.5))')
		assert_eq "text that is hard to read, $scheme" '{}' "$poor"
		shot "$scheme"
	done
	assert_eq "dark is dark" true "$(browser_script '
		return getComputedStyle(document.body).backgroundColor
		.match(/[0-9]+/g).every((c) => c < 64)')"
	browser_media screen light
}

# 5000 nodes with 256 threads, and 2000 jobs.
many_nodes() {
	awk 'BEGIN {
		for (i = 0; i < 128; i++) shape = shape (i % 8 ? "CTT" : "XCTT")
		printf "{\"time\": 1700000000, \"nodes\": ["
		for (i = 0; i < 5000; i++)
			printf "%s{\"node\": \"n%04d\", \"topology\": \"NS%s\"}",
				i ? "," : "", i, shape
		printf "], \"jobs\": ["
		for (i = 0; i < 2000; i++)
			printf "%s{\"job\": \"%d\", \"user\": \"u%d\", \"name\": \"j\", \"request\": \"%s\", \"end\": 1700003600, \"grants\": [{\"nodes\": \"n[%04d-%04d]\", \"topology\": \"0-127\"}]}",
				i ? "," : "", i, i % 50, i % 3 ? "bamount=1" : "",
				i * 2, i * 2 + 1
		printf "]}\n"
	}'
}

case_thousands() {
	many_nodes >"$work/many.json"
	topobind map --from "$work/many.json" --html >"$work/many.html"
	assert [ "$(wc -c <"$work/many.html")" -lt 4000000 ]
	browser_open "$work/many.html"
	assert_eq "tiles" 5000 "$(browser_script '
		return document.querySelectorAll(".tile").length')"
	assert_eq "units that are made" 256 "$(browser_script '
		return document.querySelectorAll("#boxes .unit").length')"
	show_node n3999
	assert_eq "units of the job" 128 "$(units | grep -c ' 1999$')"
	browser_type '#search' u49
	assert_eq "nodes of a user" 80 "$(visible_tiles | wc -w)"
	shot thousands
	no_complaints
}

# --- the picture -------------------------------------------------------------

pictured='return [...document.querySelectorAll(".node")].flatMap((node) =>
	[...node.querySelectorAll(".unit")].map((unit) => [
		node.querySelector(".name").textContent, unit.dataset.thread,
		unit.classList[1], unit.querySelector("title").textContent]))'

case_picture() {
	local node

	topobind map --svg >"$work/picture.svg"
	assert xmllint --noout "$work/picture.svg"
	browser_open "$work/picture.svg"
	browser_script "$pictured" >"$work/pictured"
	for node in "$NODE_ZEN" "$NODE_RAPTOR"; do
		assert_eq "units of $node" "$(wanted "$node")" "$(jq -r \
			--arg node "$node" '.[] | select(.[0] == $node and
			.[2] != "free" and .[2] != "filtered") |
			"\(.[1]) \(.[2]) \(.[3] | capture("job (?<id>[0-9]+)").id)"' \
			"$work/pictured" | sort -n)"
	done
	assert_contains "a name" "job $bound ($evil) of root, bound, " \
		"$(jq -r '.[][3]' "$work/pictured")"
	nothing_was_run
	no_complaints
	shot picture
}

cluster_start --nodes zen,raptor --node 'zen CoreSpecCount=1'
start_jobs
# One core is left to the system: the CPUs that Slurm says.
system_threads=$(scontrol show node "$NODE_ZEN" |
	sed -n 's/.*CPUSpecList=\([0-9,-]*\).*/\1/p')
topobind map --json >"$work/map.json"
topobind map --from "$work/map.json" --html >"$work/page.html"
browser_start
browser_open "$work/page.html"
test_case "every unit is in the page with its owner" case_every_unit
test_case "all kinds of units are there" case_kinds_are_there
test_case "a click shows a node" case_click
test_case "the pointer on a unit tells job, user and time left" case_hover
test_case "so do Tab and arrow keys" case_keyboard
test_case "nodes are found by jobs and users" case_search
test_case "several nodes, by clicks and by the address" case_several
test_case "a click on a job shows its nodes" case_jobs
test_case "where Tab stops" case_tab_stops
test_case "rows of boxes" case_rows
test_case "the letters of boxes" case_legend
test_case "drained nodes and waiting jobs" case_trouble
test_case "a page that is served draws itself again" case_served
test_case "markup in the name of a job is text" case_names_are_text
test_case "the page is one file" case_needs_nothing
test_case "a window of 360 pixels" case_narrow
test_case "a printed sheet" case_print
test_case "light and dark" case_schemes
test_case "5000 nodes" case_thousands
test_case "the picture" case_picture
browser_stop
tests_done
