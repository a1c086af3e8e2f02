# SPDX-License-Identifier: GPL-2.0-or-later
#
# compile_commands.awk - from what "make -n V=1" prints to compile_commands.json
#
# directory: where make runs.  The lines are those of automake: libtool's options
# come before the compiler, those of dependency tracking are left out, and what
# follows on the object is the source, by itself or as `test -f ... || ...`name.
/ -c -o / {
	command = $0
	sub(/.*--mode=compile /, "", command)
	sub(/^depbase=.*;\\?$/, "", command)
	sub(/^[ \t]+/, "", command)
	sub(/[ \t]*&&.*$/, "", command)
	gsub(/ -MT [^ ]+| -MD| -MP| -MF [^ ]+/, "", command)
	if (match(command, /`test -f [^`]*`/)) {
		prefix = substr(command, RSTART, RLENGTH)
		sub(/.*echo '/, "", prefix)
		sub(/'`$/, "", prefix)
		command = substr(command, 1, RSTART - 1) prefix \
			substr(command, RSTART + RLENGTH)
	}
	file = command
	sub(/.* /, "", file)
	if (seen[file]++)
		next
	gsub(/\\/, "\\\\", command)
	gsub(/"/, "\\\"", command)
	printf "%s\n  {\n    \"directory\": \"%s\",\n    \"file\": \"%s\",\n" \
		"    \"command\": \"%s\"\n  }", count++ ? "," : "[", directory, \
		file, command
}
END {
	print count ? "\n]" : "[]"
	exit !count
}
