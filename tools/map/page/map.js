// SPDX-License-Identifier: GPL-2.0-or-later
// The page of topobind map --html: tiles of all nodes, and the boxes of the one
// that is chosen, made of the data when they are wanted.  Text goes into the page
// as text only.
(() => {
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

const FREE = "free", FILTERED = "filtered", HIDDEN = "hidden", SHARED = "shared";
const SIGNS = { free: ".", filtered: "-", hidden: "#", shared: "&" };
const MEANINGS = {
	bound: "bound: a letter or digit for each job",
	soft: "soft-bound: a small letter on stripes",
	plain: "without a binding: dots",
	hidden: "in use by jobs that are not shown",
	shared: "shared by several jobs",
	filtered: "free, not for jobs with a binding",
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

	for (const [list, kind] of [[node.filtered, FILTERED], [node.hidden, HIDDEN]])
		for (const thread of expand(list))
			if (kinds[thread] === FREE)
				kinds[thread] = kind;
	return kinds;
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
	const free = (counts.free ?? 0) + (counts.filtered ?? 0);
	const parts = [`${threads - free} of ${threads} threads in use`];

	for (const kind of Object.keys(MEANINGS))
		if (counts[kind] && kind !== FREE)
			parts.push(`${counts[kind]} ${kind}`);
	return parts.join(", ");
}

function drawTile(node, kinds) {
	const tile = make("button", "tile");
	const shape = shapeOf(node);

	tile.type = "button";
	tile.dataset.node = node.name;
	tile.setAttribute("aria-pressed", "false");
	tile.append(make("span", "name", node.name));
	tile.title = node.name;
	if (shape) {
		const counts = countKinds(kindsOf(node, ownersOf(node)));

		Object.keys(counts).forEach((kind) => kinds.add(kind));
		tile.append(drawBar(counts, shape.threads));
		tile.title += `: ${saySummary(counts, shape.threads)}`;
	}
	tile.addEventListener("click", () => choose(node));
	node.tile = tile;
	return tile;
}

// --- one node ---

const drawn = { node: null, units: [], owners: [] };

function isCore(object) {
	return object.letter === "C" || object.letter === "E";
}

function drawUnit(thread, kinds) {
	const unit = make("span", "unit");
	const jobs = drawn.owners[thread];

	paint(unit, jobs, kinds[thread]);
	unit.dataset.thread = thread;
	unit.dataset.kind = kinds[thread];
	unit.dataset.jobs = jobs.map((index) => data.jobs[index].id).join(" ");
	unit.title = sayUnit(drawn.node, thread, jobs, kinds[thread]);
	unit.setAttribute("aria-label", unit.title);
	unit.setAttribute("role", "img");
	unit.tabIndex = thread ? -1 : 0;
	drawn.units[thread] = unit;
	return unit;
}

function drawCore(object, kinds) {
	const core = make("div", object.letter === "E" ? "core efficiency" : "core");

	core.dataset.core = object.core;
	core.append(...object.children.map((child) => drawUnit(child.thread, kinds)));
	return core;
}

// Objects with one box in them share it; an L2 cache of one core has none.
function drawObject(object, kinds) {
	const words = [];

	if (object.letter === "Y" && object.children.length === 1 &&
	    isCore(object.children[0]))
		return drawCore(object.children[0], kinds);
	if (isCore(object))
		return drawCore(object, kinds);
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
	inside.append(...object.children.map((child) => drawObject(child, kinds)));
	box.append(label, inside);
	return box;
}

function drawNode(node) {
	const shape = shapeOf(node);

	drawn.node = node;
	drawn.units = [];
	drawn.owners = shape ? ownersOf(node) : [];
	byId("boxes").replaceChildren();
	byId("info").textContent = "";
	byId("node-title").textContent = node.name;
	byId("detail").hidden = false;
	if (!shape) {
		byId("node-summary").textContent = "no topology is known";
		return;
	}
	const kinds = kindsOf(node, drawn.owners);

	byId("node-summary").textContent =
		`${shape.cores} cores; ${saySummary(countKinds(kinds), shape.threads)}`;
	byId("boxes").append(...shape.root.children.map(
		(object) => drawObject(object, kinds)));
	byId("info").textContent = "Point at a thread, or go there with Tab and the arrow keys.";
}

function choose(node) {
	for (const other of data.nodes)
		if (other.tile.getAttribute("aria-pressed") === "true")
			other.tile.setAttribute("aria-pressed", "false");
	node.tile.setAttribute("aria-pressed", "true");
	drawNode(node);
}

// --- one thread ---

function show(unit) {
	const jobs = drawn.owners[unit.dataset.thread];

	byId("info").textContent = unit.title;
	drawn.units.forEach((other, thread) => other.classList.toggle("same",
		drawn.owners[thread].some((job) => jobs.includes(job))));
}

function unitOf(event) {
	return event.target.closest ? event.target.closest("#boxes .unit") : null;
}

function moveFocus(event) {
	const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
	const unit = unitOf(event), step = steps[event.key];

	if (!unit || !step)
		return;
	const next = drawn.units[Number(unit.dataset.thread) + step];

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

function drawJob(job, index) {
	const row = make("tr"), sign = make("td");
	const square = make("span", "unit sign");

	paint(square, [index], job.kind);
	sign.append(square);
	row.append(sign);
	row.append(make("td", "", job.id), make("td", "", job.user),
		make("td", "words", job.name), make("td", "", job.kind),
		make("td", "", job.left ?? "no limit"),
		make("td", "", job.holds.length), make("td", "words", job.request));
	row.dataset.job = job.id;
	return row;
}

function drawJobs() {
	const head = make("thead"), row = make("tr"), body = make("tbody");

	row.append(...COLUMNS.map((title) => make("th", "", title)));
	head.append(row);
	body.append(...data.jobs.map(drawJob));
	byId("jobs").append(head, body);
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
	byId("found").textContent = wanted ?
		`${found} of ${data.nodes.length} nodes` : "";
}

// --- all of it ---

function start() {
	const kinds = new Set();

	byId("overview").append(...data.nodes.map((node) => drawTile(node, kinds)));
	drawLegend(kinds);
	drawJobs();
	byId("when").textContent = `${data.nodes.length} nodes, ${data.jobs.length} jobs` +
		(data.time ? `, at ${sayTime(data.time)}` : "");
	byId("search").addEventListener("input", search);
	if (data.nodes.length)
		choose(data.nodes[0]);
}

start();
})();
