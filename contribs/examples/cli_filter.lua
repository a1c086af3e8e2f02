-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- cli_filter.lua - the site's rules for bindings, in sbatch, salloc and srun
--
-- Beside slurm.conf, which says CliFilterPlugins=lua.  The rules are for you to change:
--
--   * jobs in the partition "tight" that ask for no binding get an L3 cache for each
--     task, or as many as hold the CPUs of --cpus-per-task;
--   * nobody takes single threads of cores (--bunit=T) there.
--
-- Scripts cannot set SPANK's options: options["bunit"] = "X" does nothing, and Slurm says
-- nothing.  topobind takes what the user did not give from the variable TOPOBIND, though,
-- after this script has run.  Lua itself sets no variables: install lua-posix, for the Lua
-- of Slurm.
--
-- Users can go around this; what must hold is for job_submit.lua and topobind.conf.
local setenv = require("posix.stdlib").setenv

local PARTITION = "tight"
-- Of its nodes: topobind topology prints them.
local CPUS_OF_A_CACHE = 6
local THREAD = { T = true, THREAD = true }
-- We have set TOPOBIND: an sbatch in that job's script is a job of its own.
local OURS = "TOPOBIND_IS_FROM_SITE"

local function forget()
	if os.getenv(OURS) then
		setenv("TOPOBIND", nil)
		setenv(OURS, nil)
	end
end

local function bind(line)
	setenv("TOPOBIND", line)
	setenv(OURS, "yes")
end

-- A step takes what its job has.
local function is_step(options)
	return options["type"] == "srun" and os.getenv("SLURM_JOB_ID") ~= nil
end

local function caches(options)
	local cpus = tonumber(options["cpus-per-task"] or "") or 1

	return math.max(1, math.ceil(cpus / CPUS_OF_A_CACHE))
end

function slurm_cli_setup_defaults(options, early)
	return slurm.SUCCESS
end

function slurm_cli_pre_submit(options, pack_offset)
	local asked = options["spank"]["topobind"] or {}

	if is_step(options) then
		return slurm.SUCCESS
	end
	forget()
	if options["partition"] ~= PARTITION then
		return slurm.SUCCESS
	end
	if THREAD[(asked["bunit"] or ""):upper()] then
		slurm.log_error("the partition %s has whole cores only: use --bunit=C",
			PARTITION)
		return slurm.ERROR
	end
	if next(asked) == nil and not os.getenv("TOPOBIND") then
		bind("bunit=X,bamount=" .. caches(options))
	end
	return slurm.SUCCESS
end

function slurm_cli_post_submit(offset, job_id, step_id)
	return slurm.SUCCESS
end
