-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- job_submit.lua - the site's rules for bindings, in slurmctld
--
-- Beside slurm.conf, which says JobSubmitPlugins=lua.  The rules are for you to change:
--
--   * jobs in the partition "day" that ask for no binding go to the partition "bound",
--     where the site binds them.  It has the same nodes, and a line in topobind.conf:
--         PartitionName=bound Implicit=yes DefaultUnit=X
--   * nobody takes whole sockets or NUMA nodes in "shared";
--   * whoever asks for caches there without a limit of time gets an hour.
--
-- A script reads what a job asked for in job.spank_job_env.  It cannot write there: to
-- bind jobs it sends them where topobind.conf does.  cli_filter.lua can give them any
-- binding, but in the client only.
local GOES_TO = { day = "bound" }
local SHARED = "shared"
local TOO_LARGE = { S = "socket", N = "NUMA node" }

-- "bunit=X,bcpus=0-3,8" into a table: what has no name belongs to the value before.
local function read_line(line, request)
	local last

	for part in line:gmatch("[^,]+") do
		local name, value = part:match("^(b%l+)=(.*)$")

		if name then
			request[name], last = value, name
		elseif last then
			request[last] = request[last] .. "," .. part
		end
	end
end

-- What sbatch, salloc and srun send is one line in letters.  Other clients (REST) may
-- send the options one by one, as words in any case.
local WORDS = { SOCKET = "S", NUMA = "N", L3 = "X", L2 = "Y", CORE = "C",
	PCORE = "C", ECORE = "E", THREAD = "T" }

local function letters(unit)
	unit = (unit or "C"):upper()
	return WORDS[unit] or unit
end

-- The binding that a job asks for; nil for none.
local function binding(job)
	local request = {}

	for _, variable in pairs(job.spank_job_env or {}) do
		local line = variable:match("TOPOBIND_REQUEST=(.*)$") or
			variable:match("OPTION_topobind_topobind=(.*)$")
		local name, value = variable:match("OPTION_topobind_(b%l+)=(.*)$")

		if line then
			read_line(line, request)
		elseif name then
			request[name] = value
		end
	end
	if next(request) == nil then
		return nil
	end
	request.bunit = letters(request.bunit)
	return request
end

-- After scontrol update PartitionName=... Default=YES slurmctld has two such, until the
-- former is told Default=NO or slurmctld begins anew.
local function default_partition(partitions)
	for name, partition in pairs(partitions) do
		if partition.flag_default == 1 then
			return name
		end
	end
end

local function keep_rules_of_shared(job, request)
	if TOO_LARGE[request.bunit] then
		slurm.log_user("the partition %s has no whole %ss: use --bunit=X, or another partition",
			SHARED, TOO_LARGE[request.bunit])
		return slurm.ERROR
	end
	if request.bunit == "X" and job.time_limit == slurm.NO_VAL then
		job.time_limit = 60
	end
	return slurm.SUCCESS
end

function slurm_job_submit(job, partitions, submit_uid)
	local partition = job.partition or default_partition(partitions)
	local request = binding(job)

	if not request and GOES_TO[partition] then
		job.partition = GOES_TO[partition]
	end
	if request and partition == SHARED then
		return keep_rules_of_shared(job, request)
	end
	return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, modify_uid)
	return slurm.SUCCESS
end
