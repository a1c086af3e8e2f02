# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# webdriver.bash - a real browser without a window, for pages that are files
#
# Debian's chromium through its chromedriver, by the W3C's WebDriver protocol
# (https://www.w3.org/TR/webdriver1/).  After cluster_start:
#
#	browser_start
#	browser_open "$work/page.html"
#	browser_script 'return document.title'
#	browser_stop

browser_url=''
browser_driver=''

# browser_call METHOD PATH [JSON] - the answer's value
browser_call() {
	local method=$1 path=$2 answer

	answer=$(curl -sS --noproxy '*' --max-time $((120 * patience)) \
		-X "$method" -H 'Content-Type: application/json' \
		"$browser_url$path" ${3:+-d "$3"})
	jq -e '.value | type == "object" and has("error") | not' \
		<<<"$answer" >/dev/null || {
		jq -c .value <<<"$answer" >&2
		return 1
	}
	jq '.value' <<<"$answer"
}

browser_port() {
	sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' \
		"$work/chromedriver"
}

browser_is_ready() {
	[ -n "$(browser_port)" ]
}

browser_start() {
	local options session

	chromedriver --port=0 >"$work/chromedriver" 2>&1 &
	browser_driver=$!
	wait_until 60 browser_is_ready
	browser_url=http://127.0.0.1:$(browser_port)
	options=$(jq -n --arg dir "$work/chromium" '{capabilities: {alwaysMatch: {
		browserName: "chrome",
		"goog:loggingPrefs": {browser: "ALL"},
		"goog:chromeOptions": {args: ["--headless=new", "--no-sandbox",
			"--disable-gpu", "--disable-dev-shm-usage",
			"--user-data-dir=" + $dir]}}}}')
	session=$(browser_call POST /session "$options" | jq -r .sessionId)
	browser_url+=/session/$session
	browser_size 1200 900
}

browser_stop() {
	[ -z "$browser_driver" ] || {
		browser_call DELETE "" >/dev/null || true
		kill "$browser_driver" 2>/dev/null || true
		wait "$browser_driver" 2>/dev/null || true
	}
	browser_driver=''
}

# browser_devtools COMMAND JSON
browser_devtools() {
	browser_call POST /goog/cdp/execute \
		"$(jq -n --arg cmd "$1" --argjson params "$2" \
			'{cmd: $cmd, params: $params}')"
}

# browser_size WIDTH HEIGHT - of the page, in pixels of CSS
browser_size() {
	browser_devtools Emulation.setDeviceMetricsOverride \
		"{\"width\": $1, \"height\": $2, \"deviceScaleFactor\": 1,
		\"mobile\": false}" >/dev/null
}

# browser_media MEDIA light|dark - MEDIA: screen or print
browser_media() {
	browser_devtools Emulation.setEmulatedMedia "{\"media\": \"$1\",
		\"features\": [{\"name\": \"prefers-color-scheme\",
		\"value\": \"$2\"}]}" >/dev/null
}

# browser_open FILE
browser_open() {
	browser_call POST /url "{\"url\": \"file://$1\"}" >/dev/null
}

# browser_script TEXT - the body of a function; what it returns as JSON
browser_script() {
	browser_call POST /execute/sync \
		"$(jq -n --arg script "$1" '{script: $script, args: []}')"
}

# browser_find SELECTOR - the path of the first such element
browser_find() {
	local id

	id=$(browser_call POST /element "$(jq -n --arg value "$1" \
		'{using: "css selector", value: $value}')" |
		jq -r 'to_entries[0].value')
	echo "/element/$id"
}

browser_click() {
	local element

	element=$(browser_find "$1")
	browser_call POST "$element/click" '{}' >/dev/null
}

# browser_type SELECTOR TEXT - keys to an element, which gets the focus
browser_type() {
	local element

	element=$(browser_find "$1")
	browser_call POST "$element/value" \
		"$(jq -n --arg text "$2" '{text: $text}')" >/dev/null
}

# browser_hover SELECTOR - the pointer to the middle of an element
browser_hover() {
	local element

	element=$(browser_find "$1")
	browser_call POST /actions "$(jq -n --arg id "${element#/element/}" \
		'{actions: [{type: "pointer", id: "mouse",
		parameters: {pointerType: "mouse"},
		actions: [{type: "pointerMove", duration: 0, x: 0, y: 0,
		origin: {"element-6066-11e4-a52e-4f735466cecf": $id}}]}]}')" \
		>/dev/null
}

# browser_complaints - what the console has, one entry on a line; then forgotten
browser_complaints() {
	browser_call POST /se/log '{"type": "browser"}' |
		jq -r '.[] | "\(.level) \(.message)"'
}

# browser_shot FILE - a picture of what is to be seen
browser_shot() {
	browser_call GET /screenshot | jq -r . | base64 -d >"$1"
}
