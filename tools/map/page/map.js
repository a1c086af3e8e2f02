// SPDX-License-Identifier: GPL-2.0-or-later
// The page of topobind map --html: tiles of all nodes, the busiest first, and the
// boxes of those that are chosen, made of the data when they are wanted.  The chosen
// ones are in the address, behind "#".  Text goes into the page as text only.
(() => {
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

const FREE = "free", FILTERED = "filtered", RESERVED = "reserved";
const HIDDEN = "hidden", SHARED = "shared";
const SIGNS = { free: ".", filtered: "-", reserved: "~", hidden: "#", shared: "&" };
const MEANINGS = {
	bound: "bound: a letter or digit for each job",
	soft: "soft-bound: a small letter on stripes",
	plain: "without a binding: dots",
	hidden: "in use by jobs that are not shown",
	shared: "shared by several jobs",
	filtered: "free, not for jobs with a binding",
	reserved: "free, reserved now or later",
	free: "free",
};
const NAMES = {
	N: "NUMA node", S: "socket", X: "L3 cache", Y: "L2 cache",
};

function make(tag, className, text) {
	const element = document.createElement(tag);

	if (className)
		element.className = className;
	if (text !== undefined)
		element.textContent = text;
	return element;
}

// One element of each row or table is a stop of Tab; arrow keys go to the others.
// shown(): those that are there now, in order; columns(): how many are in a row.
function rove(container, shown, columns) {
	const steps = {
		ArrowRight: () => 1, ArrowLeft: () => -1,
		ArrowDown: columns, ArrowUp: () => -columns(),
	};
	const stop = (element) => {
		for (const other of container.querySelectorAll('[tabindex="0"]'))
			other.tabIndex = -1;
		if (element)
			element.tabIndex = 0;
	};

	container.addEventListener("focusin", (event) => {
		if (shown().includes(event.target))
			stop(event.target);
	});
	container.addEventListener("keydown", (event) => {
		const all = shown(), at = all.indexOf(event.target);
		const next = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 :
			at + (steps[event.key]?.() ?? NaN);

		if (at < 0 || Number.isNaN(next))
			return;
		event.preventDefault();
		all[next]?.focus();
	});
	return () => stop(shown()[0]);
}

// "0-3,8" as numbers
function expand(list) {
	const numbers = [];

	for (const part of list ? list.split(",") : []) {
		const [first, last] = part.split("-").map(Number);

		for (let i = first; i <= (last ?? first); i++)
			numbers.push(i);
	}
	return numbers;
}

// "n[1-3,07]" of names
function foldNames(names) {
	const groups = new Map();

	for (const name of names) {
		const [, stem, digits] = /^(.*?)([0-9]*)$/.exec(name);
		const key = `${stem} ${digits.length && digits[0] === "0" ? digits.length : 0}`;

		if (!groups.has(key))
			groups.set(key, { stem, numbers: [] });
		groups.get(key).numbers.push(digits);
	}
	return [...groups.values()].map(({ stem, numbers }) => stem + foldNumbers(numbers))
		.join(",");
}

// "[1-3,7]", and "7" of one number alone
function foldNumbers(numbers) {
	const ranges = [];

	for (const digits of numbers.sort((a, b) => a - b)) {
		const last = ranges[ranges.length - 1];

		if (last && Number(digits) === Number(last[1]) + 1)
			last[1] = digits;
		else
			ranges.push([digits, digits]);
	}
	const list = ranges.map(([from, to]) => from === to ? from : `${from}-${to}`);

	return numbers.length === 1 ? list[0] : `[${list.join(",")}]`;
}

// --- the shapes of nodes ---

// The structured string as a tree.  Threads are numbered in its order, and so are
// the objects of each letter; cores are numbered whatever their letter.
function parseShape(text) {
	const root = { letter: "", children: [] };
	const stack = [root], counts = {};
	const shape = { root, threads: 0, cores: 0, coreOf: [] };

	for (const c of text) {
		const top = stack[stack.length - 1];

		if (c === "(")
			continue;
		if (c === ")") {
			stack.pop();
			continue;
		}
		const object = { letter: c, children: [] };

		counts[c] = (counts[c] ?? -1) + 1;
		object.index = counts[c];
		if (c === "C" || c === "E")
			object.core = shape.cores++;
		if (c === "T") {
			object.thread = shape.threads++;
			shape.coreOf[object.thread] = top.core;
		}
		top.children.push(object);
		stack.push(object);
	}
	return shape;
}

const shapes = data.shapes.map(() => null);

function shapeOf(node) {
	if (node.shape === undefined)
		return null;
	shapes[node.shape] ??= parseShape(data.shapes[node.shape]);
	return shapes[node.shape];
}

// --- who holds what ---

for (const node of data.nodes)
	node.holds = [];
data.jobs.forEach((job, index) => {
	for (const [node, list] of job.holds)
		data.nodes[node].holds.push([index, list]);
});

// Of each thread the jobs that have it, or one word for what it is.
function ownersOf(node) {
	const owners = Array.from({ length: shapeOf(node).threads }, () => []);

	for (const [job, list] of node.holds)
		for (const thread of expand(list))
			owners[thread].push(job);
	return owners;
}

function kindsOf(node, owners) {
	const kinds = owners.map((jobs) => jobs.length > 1 ? SHARED :
		jobs.length ? data.jobs[jobs[0]].kind : FREE);

	for (const [list, kind] of [[node.filtered, FILTERED], [node.reserved, RESERVED],
		[node.hidden, HIDDEN]])
		for (const thread of expand(list))
			if (kinds[thread] === FREE)
				kinds[thread] = kind;
	return kinds;
}

// Of threads by kind those that no job has.
function countFree(counts) {
	return (counts.free ?? 0) + (counts.filtered ?? 0) + (counts.reserved ?? 0);
}

function countKinds(kinds) {
	const counts = {};

	for (const kind of kinds)
		counts[kind] = (counts[kind] ?? 0) + 1;
	return counts;
}

function sayTime(seconds) {
	const date = new Date(seconds * 1000);
	const two = (number) => String(number).padStart(2, "0");

	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
		`${two(date.getHours())}:${two(date.getMinutes())}`;
}

function sayLeft(job) {
	return job.left === undefined ? "no time limit" :
		`${job.left} left, ends ${sayTime(job.end)}`;
}

function sayJob(job) {
	const request = job.request ? `${job.kind}, ${job.request}` : "plain";

	return `job ${job.id} (${job.name}) of ${job.user}, ${request}; ${sayLeft(job)}`;
}

function sayUnit(node, thread, jobs, kind) {
	const where = `${node.name}, core ${shapeOf(node).coreOf[thread]}, thread ${thread}: `;

	return where + (jobs.length ?
		jobs.map((index) => sayJob(data.jobs[index])).join("\n") :
		MEANINGS[kind]);
}

// --- signs ---

function paint(element, jobs, kind) {
	element.classList.add(kind);
	element.textContent = jobs.length === 1 ? data.jobs[jobs[0]].symbol :
		SIGNS[kind];
	if (jobs.length === 1)
		element.style.backgroundColor = data.jobs[jobs[0]].color;
}

function drawLegend(kinds) {
	for (const kind of Object.keys(MEANINGS)) {
		if (!kinds.has(kind))
			continue;
		const item = make("li");
		const first = data.jobs.findIndex((job) => job.kind === kind);
		const sign = make("span", "unit sign");

		paint(sign, first < 0 ? [] : [first], kind);
		sign.setAttribute("aria-hidden", "true");
		item.append(sign, make("span", "", MEANINGS[kind]));
		byId("legend").append(item);
	}
	const boxes = Object.keys(NAMES).filter((letter) =>
		data.shapes.some((text) => text.includes(letter)));

	if (boxes.length)
		byId("legend").append(make("li", "",
			boxes.map((letter) => `${letter} ${NAMES[letter]}`).join(", ")));
}

// --- all nodes ---

function drawBar(counts, threads) {
	const bar = make("span", "bar");

	for (const kind of Object.keys(MEANINGS)) {
		if (!counts[kind] || kind === FREE)
			continue;
		const part = make("span", kind);

		part.style.width = `${100 * counts[kind] / threads}%`;
		bar.append(part);
	}
	return bar;
}

function saySummary(counts, threads) {
	const parts = [`${threads - countFree(counts)} of ${threads} threads in use`];

	for (const kind of Object.keys(MEANINGS))
		if (counts[kind] && kind !== FREE)
			parts.push(`${counts[kind]} ${kind}`);
	return parts.join(", ");
}

function drawTile(node) {
	const tile = make("button", "tile");
	const shape = shapeOf(node);

	tile.type = "button";
	tile.dataset.node = node.name;
	tile.setAttribute("aria-pressed", "false");
	tile.tabIndex = -1;
	tile.append(make("span", "name", node.name));
	tile.title = node.name;
	if (shape) {
		tile.append(drawBar(node.counts, shape.threads));
		tile.title += `: ${saySummary(node.counts, shape.threads)}`;
	}
	if (node.trouble) {
		tile.append(make("span", "trouble", node.trouble));
		tile.title += `; ${sayTrouble(node)}`;
	}
	tile.addEventListener("click", (event) => choose([node],
		event.ctrlKey || event.metaKey || event.shiftKey || byId("several").checked));
	node.tile = tile;
	return tile;
}

function sayTrouble(node) {
	return node.trouble + (node.reason ? `: ${node.reason}` : "");
}

// What is in use of each, so that the busiest ones come first; of those that are as
// busy as each other the order is that of the data.
function sortNodes(kinds) {
	for (const node of data.nodes) {
		const shape = shapeOf(node);

		node.busy = -1;
		if (!shape)
			continue;
		node.counts = countKinds(kindsOf(node, ownersOf(node)));
		Object.keys(node.counts).forEach((kind) => kinds.add(kind));
		node.busy = 1 - countFree(node.counts) / shape.threads;
	}
	return [...data.nodes].sort((a, b) => b.busy - a.busy);
}

function shownTiles() {
	return [...byId("overview").children].filter((tile) => !tile.hidden);
}

function tileColumns() {
	const tiles = shownTiles();
	const below = tiles.findIndex((tile) => tile.offsetTop > tiles[0].offsetTop);

	return below < 0 ? tiles.length : below;
}

// --- the chosen nodes ---

// Each with its node, its element, and its units with their owners.
let drawn = [];
const HOW_TO_ASK = "Touch a thread, point at it, or go there with Tab and the arrow keys.";

function isCore(object) {
	return object.letter === "C" || object.letter === "E";
}

function drawUnit(thread, picture) {
	const unit = make("span", "unit");
	const jobs = picture.owners[thread], kind = picture.kinds[thread];

	paint(unit, jobs, kind);
	unit.dataset.thread = thread;
	unit.dataset.kind = kind;
	unit.dataset.jobs = jobs.map((index) => data.jobs[index].id).join(" ");
	unit.title = sayUnit(picture.node, thread, jobs, kind);
	unit.setAttribute("aria-label", unit.title);
	unit.setAttribute("role", "img");
	unit.tabIndex = thread ? -1 : 0;
	picture.units[thread] = unit;
	return unit;
}

function drawCore(object, picture) {
	const core = make("div", object.letter === "E" ? "core efficiency" : "core");

	core.dataset.core = object.core;
	core.append(...object.children.map((child) => drawUnit(child.thread, picture)));
	return core;
}

// Objects with one box in them share it; an L2 cache of one core has none.
function drawObject(object, picture) {
	const words = [];

	if (object.letter === "Y" && object.children.length === 1 &&
	    isCore(object.children[0]))
		return drawCore(object.children[0], picture);
	if (isCore(object))
		return drawCore(object, picture);
	for (;;) {
		const only = object.children.length === 1 && object.children[0];

		words.push(object);
		if (!only || isCore(only) || (only.letter === "Y" &&
		    only.children.length === 1 && isCore(only.children[0])))
			break;
		object = only;
	}
	const box = make("div", "box"), inside = make("div", "inside");
	const label = make("span", "label",
		words.map((o) => o.letter + o.index).join(" "));

	label.title = words.map((o) => `${NAMES[o.letter]} ${o.index}`).join(", ");
	inside.append(...object.children.map((child) => drawObject(child, picture)));
	box.append(label, inside);
	return box;
}

function drawNode(node) {
	const shape = shapeOf(node);
	const element = make("section", "node"), boxes = make("div", "inside");
	const picture = { node, element, units: [], owners: [], kinds: [] };
	let words = shape ? "" : "no topology is known";

	if (shape) {
		picture.owners = ownersOf(node);
		picture.kinds = kindsOf(node, picture.owners);
		words = `${shape.cores} cores; ${saySummary(node.counts, shape.threads)}`;
		boxes.append(...shape.root.children.map(
			(object) => drawObject(object, picture)));
	}
	if (node.trouble)
		words += `; ${sayTrouble(node)}`;
	element.append(make("h2", "", node.name), make("p", "summary", words), boxes);
	return picture;
}

// As many in each row as in the others, and no row of one.
function balance() {
	const rows = [...byId("boxes").querySelectorAll(".inside")].reverse();

	for (const row of rows)
		row.style.maxWidth = "";
	for (const row of rows) {
		const all = [...row.children];
		const tops = new Set(all.map((child) => child.offsetTop)).size;
		const last = all[Math.ceil(all.length / tops) - 1];

		if (tops > 1)
			row.style.maxWidth = `${last.offsetLeft + last.offsetWidth -
				all[0].offsetLeft + 1}px`;
	}
}

function drawChosen(nodes) {
	drawn = nodes.map(drawNode);
	byId("boxes").replaceChildren(...drawn.map((picture) => picture.element));
	byId("detail").hidden = !drawn.length;
	byId("info").textContent = drawn.some((picture) => picture.units.length) ?
		HOW_TO_ASK : "";
	balance();
}

// These, or with more these beside those that are chosen; one of them alone goes.
function choose(nodes, more) {
	const before = drawn.map((picture) => picture.node);
	let chosen = nodes;

	if (more && nodes.length === 1 && before.includes(nodes[0]))
		chosen = before.filter((node) => node !== nodes[0]);
	else if (more)
		chosen = [...before, ...nodes.filter((node) => !before.includes(node))];
	for (const node of before)
		node.tile.setAttribute("aria-pressed", "false");
	for (const node of chosen)
		node.tile.setAttribute("aria-pressed", "true");
	drawChosen(chosen);
	history.replaceState(history.state, "",
		`#${chosen.map((node) => encodeURIComponent(node.name)).join(",")}`);
}

// Those of the address.  False: it names none.
function chooseByAddress() {
	const names = new Set(location.hash.slice(1).split(",").map((name) => {
		try {
			return decodeURIComponent(name);
		} catch {
			return name;
		}
	}));

	const nodes = data.nodes.filter((node) => names.has(node.name));

	if (nodes.length)
		choose(nodes);
	return nodes.length > 0;
}

// --- one thread ---

function pictureOf(unit) {
	return drawn.find((picture) => picture.units[unit.dataset.thread] === unit);
}

function mark(jobs) {
	for (const picture of drawn)
		picture.units.forEach((unit, thread) => unit.classList.toggle("same",
			picture.owners[thread].some((job) => jobs.includes(job))));
}

function show(unit) {
	byId("info").textContent = unit.title;
	mark(pictureOf(unit).owners[unit.dataset.thread]);
}

function unitOf(event) {
	return event.target.closest ? event.target.closest("#boxes .unit") : null;
}

function moveFocus(event) {
	const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
	const unit = unitOf(event), step = steps[event.key];

	if (!unit || !step)
		return;
	const next = pictureOf(unit).units[Number(unit.dataset.thread) + step];

	event.preventDefault();
	if (!next)
		return;
	unit.tabIndex = -1;
	next.tabIndex = 0;
	next.focus();
}

for (const kind of ["mouseover", "focusin", "click"])
	byId("boxes").addEventListener(kind, (event) => {
		const unit = unitOf(event);

		if (unit)
			show(unit);
	});
byId("boxes").addEventListener("keydown", moveFocus);

// --- jobs ---

const COLUMNS = ["", "Job", "User", "Name", "Kind", "Time left", "Nodes", "Request"];
const WAITING_COLUMNS = ["Job", "User", "Name", "Request", "Waits because"];
// More nodes of a job, or more rows, are not made.
const NODES_AT_ONCE = 12, WAITING_ROWS = 1000;

function nodesOf(job) {
	return job.holds.map(([node]) => data.nodes[node]);
}

function showJob(index) {
	const nodes = nodesOf(data.jobs[index]);

	choose(nodes.slice(0, NODES_AT_ONCE));
	mark([index]);
	byId("info").textContent = sayJob(data.jobs[index]) +
		(nodes.length > NODES_AT_ONCE ?
			`; the first ${NODES_AT_ONCE} of its ${nodes.length} nodes` : "");
	byId("detail").scrollIntoView({ block: "start" });
}

function drawJob(job, index) {
	const row = make("tr"), sign = make("td"), id = make("td");
	const square = make("span", "unit sign"), button = make("button", "link", job.id);

	paint(square, [index], job.kind);
	sign.append(square);
	button.type = "button";
	button.tabIndex = -1;
	button.title = `show the nodes of job ${job.id}`;
	id.append(button);
	row.append(sign, id, make("td", "", job.user),
		make("td", "words", job.name), make("td", "", job.kind),
		make("td", "", job.left ?? "no limit"),
		make("td", "words", foldNames(nodesOf(job).map((node) => node.name))),
		make("td", "words", job.request));
	row.dataset.job = job.id;
	row.addEventListener("click", () => showJob(index));
	return row;
}

function drawTable(table, columns, rows) {
	const head = make("thead"), row = make("tr"), body = make("tbody");

	row.append(...columns.map((title) => make("th", "", title)));
	head.append(row);
	body.append(...rows);
	table.append(head, body);
}

function drawJobs() {
	const table = byId("jobs");

	drawTable(table, COLUMNS, data.jobs.map(drawJob));
	rove(table, () => [...table.querySelectorAll("button")], () => 1)();
}

function drawWaiting() {
	const rows = data.waiting.slice(0, WAITING_ROWS).map((job) => {
		const row = make("tr");

		row.append(make("td", "", job.id), make("td", "", job.user),
			make("td", "words", job.name), make("td", "words", job.request),
			make("td", "words", job.why));
		return row;
	});

	byId("waiting-section").hidden = !rows.length;
	byId("waiting-title").textContent = data.waiting.length > WAITING_ROWS ?
		`Waiting: the first ${WAITING_ROWS} of ${data.waiting.length} jobs` : "Waiting";
	drawTable(byId("waiting"), WAITING_COLUMNS, rows);
}

// --- search ---

function wordsOf(node) {
	return [node.name, ...node.holds.flatMap(([index]) => {
		const job = data.jobs[index];

		return [job.id, job.user, job.name];
	})].join("\n").toLowerCase();
}

function search() {
	const wanted = byId("search").value.trim().toLowerCase();
	let found = 0;

	for (const node of data.nodes) {
		node.words ??= wordsOf(node);
		node.tile.hidden = !node.words.includes(wanted);
		found += !node.tile.hidden;
	}
	stopAtFirstTile();
	byId("found").textContent = wanted ?
		`${found} of ${data.nodes.length} nodes` : "";
}

// --- a newer page ---

const REFRESH_SECONDS = 60, QUIET_SECONDS = 5;
let touched = 0;

// Where the page is served it is loaded again when it has changed, but not under the
// hands of who reads it.
async function refresh() {
	if (document.hidden || Date.now() - touched < 1000 * QUIET_SECONDS)
		return;
	const answer = await fetch(location.href, { cache: "no-cache" });
	const page = new DOMParser().parseFromString(await answer.text(), "text/html");
	const newer = page.getElementById("data");

	if (answer.ok && newer && newer.textContent !== byId("data").textContent) {
		history.replaceState({ search: byId("search").value }, "");
		location.reload();
	}
}

function refreshWhereServed() {
	if (!location.protocol.startsWith("http"))
		return;
	for (const kind of ["pointermove", "keydown"])
		addEventListener(kind, () => touched = Date.now());
	// Without the server this page stays.
	const look = () => refresh().catch(() => {});

	setInterval(look, 1000 * REFRESH_SECONDS);
	document.addEventListener("visibilitychange", look);
}

// --- all of it ---

const stopAtFirstTile = rove(byId("overview"), shownTiles, tileColumns);

function start() {
	const kinds = new Set(), nodes = sortNodes(kinds);

	byId("overview").append(...nodes.map(drawTile));
	drawLegend(kinds);
	drawJobs();
	drawWaiting();
	byId("when").textContent = `${data.nodes.length} nodes, ${data.jobs.length} jobs, ` +
		`${data.waiting.length} waiting` + (data.time ? `, at ${sayTime(data.time)}` : "");
	byId("search").addEventListener("input", search);
	addEventListener("hashchange", chooseByAddress);
	addEventListener("resize", balance);
	addEventListener("beforeprint", balance);
	refreshWhereServed();
	byId("search").value = history.state?.search ?? "";
	search();
	if (nodes.length && !chooseByAddress())
		choose([nodes[0]]);
}

start();
})();
