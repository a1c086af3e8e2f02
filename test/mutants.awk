# SPDX-License-Identifier: GPL-2.0-or-later
#
# mutants.awk - all mutants of C sources: each has one operator, constant or return
# value changed
#
# usage: awk -v seed=SEED -f mutants.awk mutants.equivalent FILE.c...
#
# Prints a line for each, with tabs between: a number made of the seed and the mutant,
# "equivalent" or "-", the file, the line's number, the function or the table, the line
# without indentation, and what it becomes.  An entry of mutants.equivalent that is no
# mutant of these files is an error.
BEGIN {
	FS = "\n"
	other["<"] = "<="; other["<="] = "<"
	other[">"] = ">="; other[">="] = ">"
	other["=="] = "!="; other["!="] = "=="
	other["&&"] = "||"; other["||"] = "&&"
	other["+"] = "-"; other["-"] = "+"
	other["*"] = "/"; other["/"] = "*"; other["%"] = "*"
	other["&"] = "|"; other["|"] = "&"
	other["<<"] = ">>"; other[">>"] = "<<"
	other["+="] = "-="; other["-="] = "+="
	other["|="] = "&="; other["&="] = "|="
	other["++"] = "--"; other["--"] = "++"
	other["true"] = "false"; other["false"] = "true"
	for (i = 1; i < 256; i++)
		code[sprintf("%c", i)] = i
}

function trim(text) {
	gsub(/[ \t]+/, " ", text)
	sub(/^ /, "", text)
	sub(/ $/, "", text)
	return text
}

# --- the list of equivalent ones ---------------------------------------------

function complain(why) {
	printf "%s:%d: %s\n", list, entry_line, why >"/dev/stderr"
	failed = 1
}

function end_entry() {
	if (where == "")
		return
	if (before == "" || after == "" || reason == "")
		complain("an entry is FILE FUNCTION, -LINE, +LINE and a sentence that says why")
	else {
		listed[where "\t" before "\t" after] = entry_line
	}
	where = before = after = reason = ""
}

function read_list() {
	if (/^#/)
		return
	if (/^$/)
		end_entry()
	else if (where == "") {
		where = trim($0)
		entry_line = FNR
	} else if (before == "" && /^-/)
		before = trim(substr($0, 2))
	else if (after == "" && /^\+/)
		after = trim(substr($0, 2))
	else
		reason = reason $0
}

# --- mutants -----------------------------------------------------------------

# The line with blanks for comments, and dots for what is in quotes: what is left is
# code.  Nothing of a directive is.
function mask_line(line,    i, c, two, masked, quote) {
	if (in_directive || (!in_comment && line ~ /^[ \t]*#/)) {
		in_directive = line ~ /\\$/
		return ""
	}
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		two = substr(line, i, 2)
		if (in_comment) {
			if (two == "*/") {
				in_comment = 0
				i++
				masked = masked " "
			}
			masked = masked " "
		} else if (quote != "") {
			if (c == "\\") {
				i++
				masked = masked "."
			} else if (c == quote)
				quote = ""
			masked = masked "."
		} else if (two == "/*") {
			in_comment = 1
			i++
			masked = masked "  "
		} else {
			if (c == "\"" || c == "'")
				quote = c
			masked = masked (quote == "" ? c : ".")
		}
	}
	return masked
}

# What begins at the left margin has a name.
function find_name(masked) {
	if (masked !~ /^[A-Za-z]/)
		return
	sub(/[(=;[].*/, "", masked)
	sub(/[ *]*$/, "", masked)
	sub(/.*[ *]/, "", masked)
	name = masked
}

function hash_of(text,    i, h) {
	for (i = 1; i <= length(text); i++)
		h = (h * 1000003 + code[substr(text, i, 1)]) % 4294967291
	return h
}

function add(start, size, text,    after, key, id) {
	after = trim(substr($0, 1, start - 1) text substr($0, start + size))
	key = FILENAME " " name "\t" trim($0) "\t" after
	if ((FNR, after) in made)
		return
	made[FNR, after] = 1
	found[key] = 1
	id = seed "\t" key "\t" ++times[key]
	printf "%010.0f%010.0f\t%s\t%s\t%d\t%s\t%s\t%s\n",
		hash_of(id), hash_of(id "\t"),
		key in listed ? "equivalent" : "-", FILENAME, FNR,
		name, trim($0), after
}

# Each match of a pattern in the code, from the left; what it is to become is for
# change_token().
function change_all(kind, masked, pattern,    from) {
	from = 1
	while (match(substr(masked, from), pattern)) {
		change_token(kind, masked, from + RSTART - 1, RLENGTH)
		from += RSTART - 1 + RLENGTH
	}
}

function change_token(kind, masked, start, size,    token, left, right) {
	token = substr(masked, start, size)
	left = substr(masked, start - 1, start > 1)
	right = substr(masked, start + size, 1)
	if (kind == "binary") {
		if (left == " " && (right == " " || right == "") && token in other)
			add(start, size, other[token])
	} else if (kind == "word") {
		if (token in other)
			add(start, size, other[token])
	} else if (kind == "not") {
		if (right != "=")
			add(start, size, "")
	} else
		change_number(masked, start, token, left)
}

# What is below or above 0 is all that counts of -1, and of the 1 beside it; and a
# larger array or allocation makes no difference.
function change_number(masked, start, token, left,    size, value, suffix) {
	size = length(token)
	if (token ~ /^0[xX]/)
		add(start, size, "(" token " + 1)")
	if (token !~ /^[0-9]+[uUlL]*$/ || left == "." || (left == "[" &&
	    masked ~ /^[ \t]*([a-z_0-9]+ )+[a-z_0-9]+\[[0-9]+\]( =|;)/))
		return
	value = suffix = token
	sub(/[uUlL]+/, "", value)
	sub(/[0-9]+/, "", suffix)
	if (token == 1 && left == "-") {
		add(start - 1, 2, "0")
		add(start - 1, 2, "1")
	} else {
		if (masked !~ /-1/ &&
		    substr(masked, 1, start - 1) !~ /calloc\($/)
			add(start, size, (value + 1) suffix)
		if (value > 0)
			add(start, size, (value - 1) suffix)
	}
}

# return EXPRESSION; that is on one line
function change_return(masked,    start, size) {
	if (!match(masked, /(^|[ \t])return [^;]+;/))
		return
	start = index(masked, "return ") + 7
	size = RSTART + RLENGTH - 1 - start
	if (substr(masked, start, size) ~ /^-?[0-9]+$|^true$|^false$|^NULL$/)
		return
	add(start, size, "0")
	add(start, size, "!(" substr($0, start, size) ")")
}

function change_line(    masked) {
	masked = mask_line($0)
	find_name(masked)
	change_all("binary", masked, "[-+*/%&|<>=!]+")
	change_all("word", masked, "[+][+]|--|[A-Za-z_][A-Za-z_0-9]*")
	change_all("not", masked, "!")
	change_all("number", masked, "[A-Za-z_0-9]+")
	change_return(masked)
}

FNR == 1 {
	end_entry()
	in_comment = in_directive = 0
	name = ""
	split("", made)
}
FILENAME == ARGV[1] {
	list = FILENAME
	read_list()
	next
}
{ change_line() }

END {
	end_entry()
	for (key in listed)
		if (!(key in found)) {
			entry_line = listed[key]
			complain("no such mutant: the code has changed")
		}
	exit failed
}
