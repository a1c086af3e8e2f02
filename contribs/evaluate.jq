# SPDX-License-Identifier: GPL-2.0-or-later
#
# evaluate.jq - what contribs/evaluate has measured as JSON; that as a table, a
# sentence and a picture.  A module:
#
#	result($facts)	of rows, arrays [way, run, kind, start, end, CPUs]; the way
#			"alone" is of jobs by themselves.  $facts: what doc/schemas/
#			evaluate.schema.json has up to "copies", of how many
#			"containers" it is
#	table, picture	of such a result

# Less than that part of the jobs' time is no difference that counts.
def counts: 0.05;

# --- numbers as text --------------------------------------------------------------

def fixed($digits):
	pow(10; $digits) as $scale
	| (. * $scale | round) as $all
	| ($all / $scale | floor | tostring) + "." +
	  (($all % $scale + $scale | tostring)[1:]);

def left($width): (. + " " * $width)[:$width];
def right($width): (" " * $width + .)[-$width:];

def unit_word:
	{ X: "L3 cache", N: "NUMA node", S: "socket", Y: "L2 cache", C: "core" }[.];

def way_word($unit):
	if . == "none" then "without binding"
	elif . == "cores" then "on cores of their own"
	else "a whole \($unit | unit_word) each" end;

# --- from rows --------------------------------------------------------------------

def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
def mean: add / length;
def summary: { median: median, least: min, most: max };

def took: .[4] - .[3];

# Of the rows of one way and kind.
def of_jobs($alone):
	{ jobs: length, cpus: (map(.[5]) | max) } + (map(took) | summary)
	| .ratio = .median / $alone | .slowest = .most / $alone;

# Of the rows of one way: from the first start to the last end of each run.
def of_mix($ideal):
	{ runs: (map(.[1]) | unique | length) } +
	(group_by(.[1]) | map((map(.[4]) | max) - (map(.[3]) | min)) | summary)
	| .ratio = .median / $ideal | .slowest = .most / $ideal;

# The time of each job over that of its kind alone.
def of_all($alone):
	map(took / $alone[.[2]]) | { ratio: mean, slowest: max };

def ways: ["none", "cores", "units"];
def kinds: ["memory", "cache", "compute", "team"];

# f is asked for each way, of its rows.
def by_way($rows; f):
	[ways[] as $way | { ($way): ([$rows[] | select(.[0] == $way)] | f) }]
	| add;

# By as many as there are containers at a time.
def ideal($alone; $facts):
	[([$alone[]] | add) * $facts.copies / $facts.containers,
	 ([$alone[]] | max)] | max;

# Against the better of the other two.
def saved: 1 - .units.ratio / ([.none.ratio, .cores.ratio] | min);

def verdict:
	if . >= counts then "binding saves \(100 * . | round)% of their time"
	elif . <= -counts then "binding costs \(-100 * . | round)% more time"
	else "binding makes no difference that counts" end;

def of_way: "\(.ratio | fixed(2)) times as long as alone (the slowest \(.slowest | fixed(2)) times)";

def meaning($unit):
	"With a whole \($unit | unit_word) each, jobs beside others take " +
	"\(.all.units | of_way), on cores of their own " +
	"\(.all.cores.ratio | fixed(2)) (\(.all.cores.slowest | fixed(2))), " +
	"without binding \(.all.none.ratio | fixed(2)) " +
	"(\(.all.none.slowest | fixed(2))): \(.saved | verdict).";

def result($facts):
	. as $rows
	| ([kinds[] as $kind | { ($kind): ([$rows[] |
		select(.[0] == "alone" and .[2] == $kind) | took] | summary) }]
	   | add) as $alone
	| ($alone | map_values(.median)) as $medians
	| ideal($medians; $facts) as $ideal
	| { version: 1 } + $facts
	  + { kinds: [kinds[] as $kind | { kind: $kind, alone: $alone[$kind],
		ways: by_way([$rows[] | select(.[2] == $kind)];
			     of_jobs($medians[$kind])) }],
	      mix: { ideal: $ideal, ways: by_way($rows; of_mix($ideal)) },
	      all: by_way($rows; of_all($medians)) }
	| .saved = (.all | saved)
	| .meaning = meaning($facts.unit);

# --- the table --------------------------------------------------------------------

def cells:
	(if .median then .median | fixed(2) else "-" end | right(8)) +
	(.ratio | fixed(2) | right(6)) + (.slowest | fixed(2) | right(8));

def row($name; $alone; $by_way):
	($name | left(8)) + ($alone | right(7)) +
	([ways[] as $way | $by_way[$way] | cells] | add);

def table:
	. as $all
	| ([.machine.cpu, .machine.topology // empty] | join(", ")),
	  "jobs of \(.cores) core\(if .cores > 1 then "s" else "" end), \(.copies) of each kind on \(.containers) \(.unit | unit_word)s, \(.runs) run\(if .runs > 1 then "s" else "" end); seconds",
	  "",
	  (" " * 15 + ([ways[] | way_word($all.unit) | right(22)] | add)),
	  (("job" | left(8)) + ("alone" | right(7)) +
	   ([ways[] | ("median" | right(8)) + ("ratio" | right(6)) +
	     ("slowest" | right(8))] | add)),
	  (.kinds[] | row(.kind; .alone.median | fixed(2); .ways)),
	  row("average"; "-"; .all),
	  row("the mix"; .mix.ideal | fixed(2); .mix.ways),
	  "",
	  .meaning;

# --- the picture ------------------------------------------------------------------

def style:
	"svg{background:#fff}text{font:13px 'DejaVu Sans',Verdana,sans-serif;fill:#1a1a1a}" +
	".head{font-weight:bold}.end{text-anchor:end}.middle{text-anchor:middle}" +
	".grid{stroke:#ddd}.one{stroke:#777}.most{stroke:#1a1a1a;fill:none}" +
	".none{fill:#c24a00}.cores{fill:#6b5a00}.units{fill:#0060a8}" +
	"@media (prefers-color-scheme:dark){svg{background:#16181c}text{fill:#e8e8e8}" +
	".grid{stroke:#383c44}.one{stroke:#999}.most{stroke:#e8e8e8}" +
	".none{fill:#ff9350}.cores{fill:#d9c34a}.units{fill:#5db4f5}}" +
	"@media print{svg{background:#fff}}";

def plot: { left: 60, top: 70, width: 640, height: 240, bar: 30 };

# Up to the slowest job, in steps of 1, 2, 5, 10...
def scale:
	([.kinds[].ways[].slowest, .all[].slowest] | max) as $most
	| [1, 2, 5, 10, 20, 50, 100, 1000] | map(select(. * 6 >= $most))[0] // 10000
	| . as $step | { $step, top: (($most / $step | ceil) * $step) };

def y($number; $scale):
	plot.top + plot.height * (1 - $number / $scale.top) | round;

# A bar for the ratio; a line to the slowest job.
def bar($at; $way; $name; $scale):
	y(.ratio; $scale) as $y
	| "<rect class=\"\($way)\" x=\"\($at)\" y=\"\($y)\" width=\"\(plot.bar)\" height=\"\(plot.top + plot.height - $y)\"><title>\($name): \(.ratio | fixed(2)), the slowest \(.slowest | fixed(2))</title></rect>",
	  "<path class=\"most\" d=\"M\($at + plot.bar / 2) \($y)V\(y(.slowest; $scale))m-5 0h10\"/>";

def group($index; $count; $name; $unit; $scale):
	. as $by_way
	| (plot.left + plot.width * ($index + 0.5) / $count) as $middle
	| (range(3) as $i | ways[$i] as $way | $by_way[$way]
	   | bar($middle + plot.bar * 1.2 * ($i - 1.5) | round; $way;
		 "\($name), \($way | way_word($unit))"; $scale)),
	  "<text class=\"middle\" x=\"\($middle | round)\" y=\"\(plot.top + plot.height + 20)\">\($name)</text>";

def grid($scale):
	range(0; $scale.top + $scale.step; $scale.step) as $number
	| y($number; $scale) as $y
	| "<path class=\"grid\" d=\"M\(plot.left) \($y)h\(plot.width)\"/>" +
	  "<text class=\"end\" x=\"\(plot.left - 8)\" y=\"\($y + 5)\">\($number)</text>";

def legend($unit):
	range(3) as $i | ways[$i] as $way | (plot.left + $i * 220) as $x
	| "<rect class=\"\($way)\" x=\"\($x)\" y=\"346\" width=\"14\" height=\"14\"/>" +
	  "<text x=\"\($x + 20)\" y=\"358\">\($way | way_word($unit))</text>";

def picture:
	. as $all | scale as $scale | (.kinds | length + 1) as $count
	| "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
	  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"380\" viewBox=\"0 0 720 380\">",
	  "<title>What binding is worth on this machine</title>",
	  "<desc>\(.meaning | @html)</desc>",
	  "<style>\(style)</style>",
	  "<text class=\"head\" x=\"60\" y=\"24\">How many times as long as alone jobs take beside others</text>",
	  "<text x=\"60\" y=\"44\">\(.machine.cpu | @html); a bar: on average; a line: the slowest job</text>",
	  grid($scale),
	  (.kinds | to_entries[] | .key as $i | .value.kind as $kind
	   | .value.ways | group($i; $count; $kind; $all.unit; $scale)),
	  (.all | group($count - 1; $count; "all"; $all.unit; $scale)),
	  "<path class=\"one\" d=\"M\(plot.left) \(y(1; $scale))h\(plot.width)\"/>",
	  legend(.unit),
	  "</svg>";
