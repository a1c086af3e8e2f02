#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# watching - contribs/monitoring and contribs/ondemand: what they ask is answered by a
# Prometheus that has read a cluster's numbers, and the units of systemd write what
# is read there
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

monitoring=$top/contribs/monitoring
ondemand=$top/contribs/ondemand

# --- the units of systemd -----------------------------------------------------------

# run_service NAME DIRECTORY - what systemd would run, with what it may write: that
# directory, and nothing of Slurm's.  This node is not called as this host.
run_service() {
	local command

	command=$(sed -n 's/^ExecStart=//p' "$monitoring/topobind-$1.service" |
		sed -e "s/--soft/& --node $NODE_THIS/" -e 's/\$\$/$/g')
	# shellcheck disable=SC2016 # that shell's
	DIRECTORY=$2 within 30 unshare --mount sh -c '
		mount --bind "$1" "$1"
		mount -o remount,bind,ro "$1"
		mount --bind "$DIRECTORY" "$DIRECTORY"
		mount -o remount,bind,rw "$DIRECTORY"
		eval "$2"' sh "$cluster" "$command"
}

case_units() {
	systemd-analyze verify --man=no "$monitoring"/*.service \
		"$monitoring"/*.timer >"$work/verify" 2>&1 ||
		fail "$(cat "$work/verify")"
	assert_eq "what systemd-analyze says" "" "$(cat "$work/verify")"
}

without_topobind() {
	(PATH=/usr/sbin:/usr/bin:/sbin:/bin && "$@")
}

case_map() {
	local job page=$work/page

	mkdir "$page"
	job=$(alloc -w "$NODE_ZEN" --bunit=X)
	run_service map "$page"
	assert_contains "the page" "<html" "$(cat "$page/index.html")"
	assert_contains "the page" "$NODE_ZEN" "$(cat "$page/index.html")"
	assert_contains "the page" "\"$job\"" \
		"$(sed 's/[^"0-9]'"$job"'[^"0-9]/"'"$job"'"/g' "$page/index.html")"
	assert_eq files index.html "$(ls "$page")"
	# What cannot be made leaves the page that is there.
	cp "$page/index.html" "$work/before"
	refute without_topobind run_service map "$page"
	assert cmp "$work/before" "$page/index.html"
}

# --- Prometheus ---------------------------------------------------------------------

start_prometheus() {
	local number=${NODE_THIS#this}

	# Each cluster has an address of its own.
	address=127.97.$((number / 250)).$((number % 250 + 1))
	cat >"$work/prometheus.yml" <<-CONFIG
		global:
		  scrape_interval: 1s
		  evaluation_interval: 1s
		rule_files: [ "$monitoring/alerts.yml" ]
		scrape_configs:
		  - job_name: node
		    static_configs: [ { targets: [ "$address:9100" ] } ]
	CONFIG
	prometheus-node-exporter --collector.disable-defaults \
		--collector.textfile --collector.textfile.directory="$textfile" \
		--web.listen-address="$address:9100" >"$work/exporter" 2>&1 &
	exporter=$!
	prometheus --config.file="$work/prometheus.yml" \
		--storage.tsdb.path="$work/tsdb" \
		--web.listen-address="$address:9090" >"$work/prometheus" 2>&1 &
	prometheus=$!
	wait_until 60 prometheus_answers
}

stop_prometheus() {
	kill "$prometheus" "$exporter" "$writer" 2>/dev/null || true
	wait "$prometheus" "$exporter" "$writer" 2>/dev/null || true
}

# api PATH [NAME=VALUE...] - an answer in JSON
api() {
	local path=$1 values=() value

	shift
	for value; do
		values+=(--data-urlencode "$value")
	done
	curl -fsS -G "${values[@]}" "http://$address:9090/api/v1/$path" \
		2>"$work/curl"
}

prometheus_answers() {
	api status/buildinfo >"$work/answer"
}

# What the timers do, each second.
keep_writing() {
	while sleep 1; do
		run_service metrics "$textfile" || true
		run_service soft-metrics "$textfile" || true
	done >/dev/null 2>&1
}

# is_answered EXPRESSION - with numbers
is_answered() {
	api query "query=$1" >"$work/answer" && jq -e '.status == "success" and
		(.data.result | length > 0 and all(.value[1] != "NaN"))' \
		"$work/answer" >/dev/null
}

# assert_answered EXPRESSION
assert_answered() {
	(wait_until 60 is_answered "$1") ||
		fail "$1: $(cat "$work/answer" "$work/curl")"
}

# What Grafana makes of a query; the interval of a test is short.
dashboard_expressions() {
	# shellcheck disable=SC2016 # Grafana's variables
	jq -r '.panels[].targets // [] | .[].expr' "$monitoring/dashboard.json" |
		sed -e 's/\$partition/.*/g' -e 's/\$__rate_interval/60s/g'
}

rule_expressions() {
	sed -n 's/^ *expr: //p' "$monitoring/alerts.yml"
}

# The metrics of a rule, each with its labels: while all is well a rule has no answer.
rule_selectors() {
	rule_expressions |
		grep -oE '(topobind|node)_[a-z_]+(\{[^}]*\})?' | sort -u
}

# Jobs of all kinds, and questions.
begin_activity() {
	: >"$work/load"
	sbatch --parsable -o /dev/null -w "$NODE_THIS" --bmode=soft --bunit=C \
		--bamount=1 --wrap \
		"while [ -e $work/load ]; do :; done; exec sleep 600"
	batch -w "$NODE_ZEN" --bunit=S --bamount=1
	batch -w "$NODE_ZEN" --bunit=S --bamount=2
	keep_asking &
	asker=$!
}

keep_asking() {
	while sleep 1; do
		sbatch --test-only -w "$NODE_ZEN" --bunit=X --wrap true || true
		sbatch -w "$NODE_ZEN" --bunit=N --bamount=77 --wrap true || true
	done >/dev/null 2>&1
}

end_activity() {
	rm -f "$work/load"
	kill "$asker"
	wait "$asker" 2>/dev/null || true
}

case_dashboard() {
	local expression count=0

	begin_activity
	trap end_activity EXIT
	while read -r expression; do
		assert_answered "$expression"
		count=$((count + 1))
	done < <(dashboard_expressions)
	assert_eq "queries of the dashboard" "$(jq '[.. | objects | .expr? //
		empty] | length' "$monitoring/dashboard.json")" "$count"
	assert_eq "partitions to choose from" '["main","virtual"]' "$(api \
		label/partition/values 'match[]=topobind_nodes' | jq -c .data)"
}

# For people: panels lie beside each other, and each says what it shows.
case_layout() {
	jq -e '[.panels[].id] | length == (unique | length)' \
		"$monitoring/dashboard.json"
	jq -e '[.panels[].gridPos | .x as $x | .y as $y |
		range(.w) as $i | range(.h) as $j | [$x + $i, $y + $j]] |
		length == (unique | length) and all(.[0] < 24)' \
		"$monitoring/dashboard.json"
	jq -e '.panels | all(.title != "")' "$monitoring/dashboard.json"
}

case_rules() {
	local selector

	begin_activity
	trap end_activity EXIT
	promtool check rules "$monitoring/alerts.yml"
	(cd "$monitoring" && promtool test rules alerts_test.yml)
	while read -r selector; do
		assert_answered "$selector"
	done < <(rule_selectors)
	wait_until 30 rules_are_evaluated
}

rules_are_evaluated() {
	api rules >"$work/rules" && jq -e --argjson wanted \
		"$(rule_expressions | wc -l)" '[.data.groups[].rules[]] |
		length == $wanted and all(.health == "ok")' "$work/rules"
}

# alert_is STATE ALERT PARTITION
alert_is() {
	api alerts | jq -e --arg state "$1" --arg name "$2" --arg partition "$3" \
		'.data.alerts | any(.state == $state and .labels.alertname == $name
			and .labels.partition == $partition)'
}

# Half of the nodes.
case_alert() {
	refute alert_is pending TopobindNodesOutOfService main
	scontrol update NodeName="$NODE_ZEN" State=DRAIN Reason=test
	trap 'scontrol update NodeName=$NODE_ZEN State=RESUME' EXIT
	wait_until 30 alert_is pending TopobindNodesOutOfService main
}

# --- Open OnDemand ------------------------------------------------------------------

# The choices are the words that the installed command knows.
case_form() {
	erb -T - "$ondemand/form.yml.erb" |
		ruby -r yaml -r json -e 'puts JSON.generate(YAML.load(ARGF.read))' \
			>"$work/form"
	assert_eq "choices of bunit" \
		"$(topobind options --json | jq -c '.options[] | select(.name == "bunit") |
			[.words[] | select(test("^[a-z]"))]')" \
		"$(jq -c '[.attributes.bunit.options[1:][][1]]' "$work/form")"
	assert_eq "choices of bstrategy" \
		"$(topobind options --json | jq -c \
			'.options[] | select(.name == "bstrategy").words')" \
		"$(jq -c '[.attributes.bstrategy.options[][1]]' "$work/form")"
	assert_eq fields "$(jq -c .form "$work/form")" \
		"$(jq -c '.attributes | keys_unsorted' "$work/form")"
}

# submit_options UNIT AMOUNT STRATEGY - what the form makes of them, one a line
submit_options() {
	erb -T - "bunit=$1" "bamount=$2" "bstrategy=$3" "$ondemand/submit.yml.erb" |
		ruby -r yaml -e 'puts YAML.load(ARGF.read)["script"]["native"]'
}

# Each choice of the form is a job.
# slurmctld pings a node that was drained: for a moment it may not respond.
case_submit() {
	local unit options

	assert_eq "no unit" "" "$(submit_options "" 1 packed)"
	for unit in $(jq -r '.attributes.bunit.options[1:][][1]' "$work/form"); do
		mapfile -t options < <(submit_options "$unit" 1 linear)
		assert_eq "options of $unit" 3 "${#options[@]}"
		[ "$unit" = ecore ] ||
			wait_until 30 sbatch --test-only -w "$NODE_ZEN" \
				"${options[@]}" --wrap true
	done
	mapfile -t options < <(submit_options l3 2 packed)
	assert_granted "$(alloc -w "$NODE_ZEN" "${options[@]}")" "$NODE_ZEN" 0-11
}

case_form_without_topobind() {
	assert_eq "fields" null "$(PATH=/nonexistent /usr/bin/ruby -r erb -r yaml \
		-r json -e 'puts JSON.generate(YAML.load(ERB.new(
			File.read(ARGV[0]), trim_mode: "-").result)["form"])' \
		"$ondemand/form.yml.erb")"
}

cluster_start --nodes this,zen --topobind SoftUtilLowPct=10 \
	--topobind SoftIntervalMs=50
textfile=$work/textfile
mkdir "$textfile"
test_case "systemd has nothing to say of the units" case_units
test_case "the map as a page" case_map
reconfigure_with "MetricsFile=$textfile/topobind.prom" MetricsInterval=1
start_prometheus
keep_writing &
writer=$!
trap 'stop_prometheus; cluster_stop' EXIT
test_case "every query of the dashboard is answered" case_dashboard
test_case "the panels of the dashboard" case_layout
test_case "the rules" case_rules
test_case "an alert" case_alert
stop_prometheus
test_case "the form of Open OnDemand" case_form
test_case "what the form submits" case_submit
test_case "the form where topobind is missing" case_form_without_topobind
tests_done
