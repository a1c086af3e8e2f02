/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_conf.c - topobind conf */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/slurm_types.h"

#include "command.h"
#include "conf_bundle.h"
#include "conf_check.h"
#include "conf_lines.h"
#include "conf_show.h"
#include "conf_site.h"
#include "conf_tres.h"
#include "machine/machine_source.h"
#include "cluster/slurm_library.h"

#define HOST_NAME_ROOM 256

struct options {
	struct tb_command common;
	struct tb_machine_source source;
	const char *node;
	bool check, show, bundle, tres, threads;
};

/* ---- options ---- */

static int take_conf_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	(void)err;
	switch (option) {
	case 'c':
		options->check = true;
		return 0;
	case 'r':
		options->show = true;
		return 0;
	case 'b':
		options->bundle = true;
		return 0;
	case 'u':
		options->tres = true;
		return 0;
	case 'n':
		options->node = optarg;
		return 0;
	case 't':
		options->threads = true;
		return 0;
	default:
		tb_machine_source_take(&options->source, option);
		return 0;
	}
}

static int take_conf_arguments(void *data, int count, char **words,
			       struct tb_error *err)
{
	const struct options *options = data;
	bool machine = !tb_machine_source_is_here(&options->source);
	int cluster = options->check + options->show + options->bundle +
		      options->tres;

	if (tb_command_no_arguments(count, words, err) ||
	    tb_machine_source_check(&options->source, err))
		return -1;
	if (cluster &&
	    (machine || options->node || options->threads || cluster > 1))
		return tb_fail(
			err,
			"%s looks at the whole cluster: give no option but --json with it",
			options->check	? "--check"
			: options->show ? "--show"
			: options->tres ? "--tres"
					: "--bundle");
	if (options->node &&
	    (!*options->node || strpbrk(options->node, " \t\r\n#=\"")))
		return tb_fail(
			err,
			"--node=%.60s is not the name of a node as slurm.conf has it: letters, digits and - . _",
			options->node);
	if (machine && !options->node)
		return tb_fail(
			err,
			"the machine is not this one: give its name with --node");
	return 0;
}

static const struct tb_command_option own_options[] = {
	{ NULL, "check", NULL, 'c',
	  "look at slurm.conf, topobind.conf, plugins and nodes" },
	{ NULL, "show", NULL, 'r',
	  "print the settings of topobind.conf that slurmctld runs with, and where each came from" },
	{ NULL, "bundle", NULL, 'b',
	  "print as JSON what a report of a fault needs: versions, settings, nodes, and what --check finds; no passwords, users or jobs" },
	{ NULL, "tres", NULL, 'u',
	  "print the lines of slurm.conf and gres.conf that UnitTRES=yes needs" },
	{ NULL, "node", "NAME", 'n', "the name in the lines [this host's]" },
	{ NULL, "threads", NULL, 't', "count hardware threads as cores" },
	{ 0 },
};
static const struct tb_command_line usage = {
	.purpose =
		"Print the lines of this machine for slurm.conf and topobind.conf, look for what does not fit together in a cluster's configuration, or print the configuration that slurmctld runs with.",
	.exit_codes =
		"Exit codes: 0 done or all is well, 1 something does not fit together, 2 bad option or failure.",
	.own = own_options,
	.shared = tb_machine_source_options,
	.has_json = true,
	.take = take_conf_option,
	.finish = take_conf_arguments,
};

/* ---- lines ---- */

/* As slurmd counts the memory of its machine. */
static unsigned long get_memory_here(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);

	return pages > 0 && size > 0
		       ? (unsigned long)((double)pages * size / (1024 * 1024))
		       : 0;
}

static int print_machine(const struct options *options,
			 const struct tb_machine *machine, const char *name)
{
	struct tb_conf_lines lines = { .node = name };
	int rc = TB_EXIT_OK;
	json_t *json;

	if (tb_machine_source_is_here(&options->source))
		lines.memory = get_memory_here();
	tb_conf_lines_make(&lines, machine, options->threads);
	if (options->common.json) {
		json = tb_conf_lines_json(&lines);
		rc = tb_command_print_json(options->common.name, json);
		json_decref(json);
	} else {
		tb_conf_lines_print(&lines);
	}
	tb_conf_lines_clear(&lines);
	return rc;
}

static int print_lines(const struct options *options)
{
	char host[HOST_NAME_ROOM] = "";
	struct tb_machine *machine;
	struct tb_error err;
	int rc;

	if (!options->node && gethostname(host, sizeof(host) - 1))
		return tb_command_fail(
			options->common.name,
			"cannot get this host's name: %m; give it with --node");
	host[strcspn(host, ".")] = '\0';
	machine = tb_machine_source_load(&options->source,
					 tb_machine_load_whole, &err);
	if (!machine)
		return tb_command_fail(options->common.name, "%s", err.text);
	rc = print_machine(options, machine,
			   options->node ? options->node : host);
	tb_machine_destroy(machine);
	return rc;
}

/* ---- the check ---- */

static void run_checks(const struct tb_conf_site *site,
		       struct tb_findings *findings)
{
	tb_check_slurm_conf(site, findings);
	tb_check_plugins(site, findings);
	tb_check_plugstack(site, findings);
	tb_check_cgroup(site, findings);
	tb_check_topobind_conf(site, findings);
	tb_check_in_force(site, findings);
	tb_check_nodes(site, findings);
	tb_check_gres(site, findings);
	tb_check_tres(site, findings);
}

static int print_findings(const struct options *options,
			  const struct tb_conf_site *site,
			  const struct tb_findings *findings)
{
	int count = tb_findings_count(findings), rc = TB_EXIT_OK;
	json_t *json;

	if (count < 0)
		return tb_command_fail(options->common.name, "out of memory");
	if (options->common.json) {
		json = json_pack("{s:b, s:o, s:o}", "slurmctld",
				 site->running != NULL, "findings",
				 tb_findings_json(findings, false), "notes",
				 tb_findings_json(findings, true));
		rc = tb_command_print_json(options->common.name, json);
		json_decref(json);
	} else {
		tb_findings_print(findings, options->common.name);
		if (!count)
			puts(site->running ? "all is well"
					   : "the files of this host are well");
	}
	if (rc != TB_EXIT_OK)
		return rc;
	return count ? TB_EXIT_NO_FIT : TB_EXIT_OK;
}

static int print_bundle(const struct options *options,
			const struct tb_conf_site *site,
			const struct tb_findings *findings)
{
	json_t *json = tb_conf_bundle(site, findings);
	int rc = tb_command_print_json(options->common.name, json);

	json_decref(json);
	return rc;
}

static int check_site(const struct options *options)
{
	struct tb_findings *findings = tb_findings_create();
	struct tb_error err = { "out of memory" };
	struct tb_conf_site *site = findings ? tb_conf_site_load(&err) : NULL;
	int rc;

	if (!site) {
		tb_findings_destroy(findings);
		return tb_command_fail(options->common.name, "%s", err.text);
	}
	if (!site->running)
		fprintf(stderr,
			"%s: slurmctld does not answer: only the files of this host were checked\n",
			options->common.name);
	run_checks(site, findings);
	rc = options->bundle ? print_bundle(options, site, findings)
			     : print_findings(options, site, findings);
	tb_conf_site_destroy(site);
	tb_findings_destroy(findings);
	return rc;
}

static int print_tres(const struct options *options)
{
	struct tb_error err = { "out of memory" };
	struct tb_conf_site *site = tb_conf_site_load(&err);
	int rc = TB_EXIT_OK;
	json_t *json;

	if (!site)
		return tb_command_fail(options->common.name, "%s", err.text);
	if (options->common.json) {
		json = tb_conf_tres_json(site);
		rc = tb_command_print_json(options->common.name, json);
		json_decref(json);
	} else if (tb_conf_tres_print(site)) {
		rc = tb_command_fail(options->common.name, "out of memory");
	}
	tb_conf_site_destroy(site);
	return rc;
}

static int run_tres(const struct options *options)
{
	int rc;

	tb_slurm_begin(options->common.name);
	rc = print_tres(options);
	tb_slurm_end();
	return rc;
}

static int run_check(const struct options *options)
{
	int rc;

	tb_slurm_begin(options->common.name);
	rc = check_site(options);
	tb_slurm_end();
	return rc;
}

static int run_show(const struct options *options)
{
	int rc;

	tb_slurm_begin(options->common.name);
	rc = tb_conf_show(options->common.name, options->common.json);
	tb_slurm_end();
	return rc;
}

int tb_command_conf(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		return TB_EXIT_BAD;
	if (options.common.done)
		return TB_EXIT_OK;
	if (options.show)
		return run_show(&options);
	if (options.tres)
		return run_tres(&options);
	if (options.check || options.bundle)
		return run_check(&options);
	return print_lines(&options);
}
