/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one-line form of requests: what is read, printed, sent, or refused and why.
 */
#include "unit_test.h"

#include "random_case.h"
#include "request_lines.h"

static const struct request_line lines[] = {
	{ "bamount=1", "bamount=1", NULL },
	{ "bunit=X,bamount=1,btype=host", "bunit=X,bamount=1,btype=host",
	  NULL },
	{ "btype=host,bamount=1,bunit=X", "bunit=X,bamount=1,btype=host",
	  NULL },
	{ "bunit=C,bamount=4,btype=slot,bstrategy=packed", "bamount=4", NULL },
	{ "bunit=CT,bamount=2", "bunit=T,bamount=2", NULL },
	{ "bunit=CS,bamount=2", "bunit=S,bamount=2", NULL },
	{ "bunit=ET,bamount=2", "bunit=ET,bamount=2", NULL },
	{ "bunit=E,bamount=2", "bunit=E,bamount=2", NULL },
	{ "bunit=EN,bamount=1", "bunit=EN,bamount=1", NULL },
	{ "bamount=0", "bamount=0", NULL },
	{ "bamount=65535", "bamount=65535", NULL },
	{ "bamount=00012", "bamount=12", NULL },
	{ "bamount=1,bstrategy=scatter,bsort=NsXY",
	  "bamount=1,bstrategy=scatter,bsort=NsXY", NULL },
	{ "bamount=1,bsort=SCENXYT", "bamount=1,bsort=SCENXYT", NULL },
	{ "bamount=1,bstart=S,bstop=s", "bamount=1,bstart=S,bstop=s", NULL },
	{ "bamount=1,bstop=y", "bamount=1,bstop=y", NULL },
	{ "bamount=1,bfilter=first_core", "bamount=1,bfilter=first_core",
	  NULL },
	{ "bamount=1,bfilter=ScCCC", "bamount=1,bfilter=ScCCC", NULL },
	{ "bfilter=first_core+(S(c(T)(T))(C(T))),bamount=1",
	  "bamount=1,bfilter=first_core+ScttC", NULL },
	{ "bamount=1,bequal=yes", "bamount=1", NULL },
	{ "bspread=S,bamount=1", "bamount=1,bspread=S", NULL },
	{ "bsort=S,bspread=N,bamount=1,bstrategy=linear",
	  "bamount=1,bstrategy=linear,bspread=N,bsort=S", NULL },
	{ "bspread=X,bamount=0", "bamount=0,bspread=X", NULL },
	{ "bequal=no,bamount=1,bunit=X", "bunit=X,bamount=1,bequal=no", NULL },
	{ "bequal=no,bamount=0", "bamount=0,bequal=no", NULL },
	{ "bequal=yes,bamount=1,btype=host", "bamount=1,btype=host", NULL },
	{ "bamount=1,binstance=set", "bamount=1", NULL },
	{ "binstance=env,bamount=1", "bamount=1,binstance=env", NULL },
	{ "binstance=pe,bamount=1", "bamount=1,binstance=pe", NULL },
	{ "bamount=1,btopology=NSXCCXCC", "bamount=1,btopology=NSXCCXCC",
	  NULL },
	{ "bamount=1,btopology=(S(C(T)(T))(C(T)))", "bamount=1,btopology=SCTTC",
	  NULL },
	{ "bcpus=0-3+8", "bcpus=0-3+8", NULL },
	{ "bcpus=8+0-2+2-3", "bcpus=0-3+8", NULL },
	{ "bcpus=65535", "bcpus=65535", NULL },
	{ "bcpus=os:0-3+8", "bcpus=os:0-3+8", NULL },
	{ "bcpus=os:8+3+0-2", "bcpus=os:0-3+8", NULL },
	{ "bmem=local,bcpus=os:65535", "bcpus=os:65535,bmem=local", NULL },
	{ "bcpus=1,btopology=SCC,binstance=env",
	  "binstance=env,btopology=SCC,bcpus=1", NULL },
	{ "bcpus=1,bamount=0", "bamount=0,bcpus=1", NULL },
	{ "bmem=local,bamount=1", "bamount=1,bmem=local", NULL },
	{ "bmem=prefer,bcpus=0-3", "bcpus=0-3,bmem=prefer", NULL },
	/* what was given is kept: without it the site's policy counts */
	{ "bamount=1,bmem=none", "bamount=1,bmem=none", NULL },
	{ "bamount=1,bmem=local+cxl+hbm", "bamount=1,bmem=local+hbm+cxl",
	  NULL },
	{ "bamount=1,bmem=prefer+cxl", "bamount=1,bmem=prefer+cxl", NULL },
	{ "bamount=1,bmem=local+gpu", "bamount=1,bmem=local+gpu", NULL },
	{ "bamount=1,bmem=prefer+gpu+cxl+hbm",
	  "bamount=1,bmem=prefer+hbm+cxl+gpu", NULL },
	{ "bamount=0,bmem=local", "bamount=0,bmem=local", NULL },
	{ "bamount=1,bmode=hard", "bamount=1,bmode=hard", NULL },
	{ "bmode=soft,bamount=1", "bamount=1,bmode=soft", NULL },
	{ "ballow=node,bmode=soft,bamount=1", "bamount=1,bmode=soft", NULL },
	{ "bamount=1,ballow=X,bmode=soft", "bamount=1,bmode=soft,ballow=X",
	  NULL },
	{ "bcpus=1,bmode=soft,ballow=S", "bcpus=1,bmode=soft,ballow=S", NULL },
	{ "bamount=0,ballow=N", "bamount=0,ballow=N", NULL },
	{ "bisolate=yes,bamount=1", "bamount=1,bisolate=yes", NULL },
	{ "bisolate=no,bamount=1", "bamount=1,bisolate=no", NULL },
	{ "bcpus=1,bisolate=yes", "bcpus=1,bisolate=yes", NULL },
	{ "bunit=T,bamount=1,bisolate=no", "bunit=T,bamount=1,bisolate=no",
	  NULL },
	{ "bnodes=FASTEST", "bnodes=FASTEST", NULL },
	{ "bprefer=fast,bnodes=bestfit,bamount=1",
	  "bamount=1,bnodes=BESTFIT,bprefer=fast", NULL },
	{ "bnodes=SLURM,bprefer=fast+big.1", "bnodes=SLURM,bprefer=fast+big.1",
	  NULL },
	{ "bnodes=CPULOAD,bcpus=0", "bcpus=0,bnodes=CPULOAD", NULL },
	{ "bcpus=1,bunit=X,bamount=0", "bunit=X,bamount=0,bcpus=1", NULL },

	{ "", NULL, "empty" },
	{ ",", NULL, "column 1: '' is not of the form key=value" },
	{ "bamount=1,", NULL, "column 11" },
	{ ",bamount=1", NULL, "column 1" },
	{ "bamount=1,,bunit=C", NULL, "column 11" },
	{ "bamount", NULL, "not of the form key=value" },
	{ "=1", NULL, "unknown option ''; known are: bunit bamount" },
	{ "bogus=1", NULL, "unknown option 'bogus'; known are: bunit" },
	{ "bunits=X", NULL, "unknown option 'bunits'" },
	{ "buni=X", NULL, "unknown option 'buni'" },
	{ "Bunit=X", NULL, "unknown option 'Bunit'" },
	{ " bunit=X", NULL, "unknown option ' bunit'" },
	{ "bamount=1 ,bunit=X", NULL, "bamount=1  is not allowed" },
	{ "bamount=", NULL, "bamount has an empty value; allowed: a whole" },
	{ "bunit=,bamount=1", NULL, "bunit has an empty value; allowed: T" },
	{ "bamount=-1", NULL, "bamount=-1 is not allowed" },
	{ "bamount=+1", NULL, "from 0 to 65535" },
	{ "bamount=65536", NULL, "from 0 to 65535" },
	{ "bamount=99999", NULL, "from 0 to 65535" },
	{ "bamount=100000", NULL, "from 0 to 65535" },
	{ "bamount=18446744073709551617", NULL, "from 0 to 65535" },
	{ "bamount=0x10", NULL, "from 0 to 65535" },
	{ "bamount=1.5", NULL, "from 0 to 65535" },
	{ "bamount=1e3", NULL, "from 0 to 65535" },
	{ "bamount=1=2", NULL, "from 0 to 65535" },
	{ "bunit=Q,bamount=1", NULL,
	  "bunit=Q is not allowed; allowed: T (thread), C (core, pcore), E (ecore), Y (l2), X (l3), N (numa), S (socket); CT " },
	{ "bunit=sockets", NULL,
	  "bunit=sockets is not allowed (did you mean socket?); allowed: T " },
	{ "bunit=cores", NULL, " (did you mean core?); allowed: " },
	{ "bunit=l1", NULL, "bunit=l1 is not allowed; allowed: " },
	{ "bunit=CC,bamount=1", NULL, "bunit=CC" },
	{ "bunit=CE,bamount=1", NULL, "bunit=CE" },
	{ "bunit=L4,bamount=1", NULL, "bunit=L4" },
	{ "bunit=X ,bamount=1", NULL, "bunit=X " },
	{ "btype=Host,bamount=1", NULL, "allowed: slot, host" },
	{ "bstrategy=pack,bamount=1", NULL,
	  "bstrategy=pack is not allowed (did you mean packed?); allowed: packed, linear, scatter" },
	{ "bsort=Q,bamount=1", NULL, "bsort=Q" },
	{ "bsort=Ss,bamount=1", NULL, "bsort=Ss names S twice" },
	{ "bsort=SS,bamount=1", NULL, "names S twice" },
	{ "bsort=NXYcC,bamount=1", NULL, "names C twice" },
	{ "bsort=SCENXYTs,bamount=1", NULL, "names S twice" },
	{ "bsort=S C,bamount=1", NULL, "bsort=S C" },
	{ "bstart=T,bamount=1", NULL, "one letter of S s" },
	{ "bstart=SS,bamount=1", NULL, "one letter of S s" },
	{ "bstop=1,bamount=1", NULL, "bstop=1" },
	{ "bfilter=NONE,bamount=1", NULL, "bfilter=NONE: filter: allowed" },
	{ "bfilter=first_core+,bamount=1", NULL, "empty" },
	{ "bfilter=first_cor,bamount=1", NULL, "column 1: unexpected 'f'" },
	{ "bfilter=SCCQ,bamount=1", NULL, "column 4: unexpected 'Q'" },
	/* of an option that is given twice both values must be right */
	{ "bunit=Q,bunit=X,bamount=1", NULL, "bunit=Q is not allowed" },
	{ "bunit=X,bunit=Q,bamount=1", NULL, "bunit=Q is not allowed" },
	{ "bamont=1", NULL,
	  "unknown option 'bamont' (did you mean bamount?); known are: bunit " },
	{ "bunit=\xff\x01,bamount=1", NULL, "bunit=?? is" },
	{ "bunit=ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ", NULL,
	  "bunit=ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMN... is" },
	{ "bmem=,bamount=1", NULL,
	  "bmem has an empty value; allowed: none, prefer, local; the last two also with +hbm, +cxl, +gpu or several of them, as in local+hbm" },
	{ "bmem=Local,bamount=1", NULL,
	  "bmem=Local is not allowed (did you mean local?); allowed: none, prefer, local; the last two also with +hbm, +cxl, +gpu or several of them, as in local+hbm" },
	{ "bmem=none+hbm,bamount=1", NULL, "bmem=none+hbm is not allowed" },
	{ "bmem=local+,bamount=1", NULL, "bmem=local+ is not allowed" },
	{ "bmem=none+gpu,bamount=1", NULL, "bmem=none+gpu is not allowed" },
	{ "bmem=local+gpu+gpu,bamount=1", NULL,
	  "bmem=local+gpu+gpu is not allowed" },
	{ "bmem=local+other,bamount=1", NULL,
	  "bmem=local+other is not allowed" },
	{ "bmem=local+main,bamount=1", NULL, "bmem=local+main is not allowed" },
	{ "bmem=local+hbm+hbm,bamount=1", NULL,
	  "bmem=local+hbm+hbm is not allowed" },
	{ "bmem=0,bamount=1", NULL, "bmem=0 is not allowed" },
	{ "bmem=local ,bamount=1", NULL, "bmem=local  is not allowed" },
	{ "bnodes=BEST", NULL,
	  "bnodes=BEST is not allowed (did you mean BESTFIT?); allowed: SLURM, FIRSTAVAILABLE, " },
	{ "bprefer=feature:fast+feature:big+feature",
	  "bprefer=fast+big+feature", NULL },
	{ "bprefer=fast+MEM:64g+swap:70000+disk:1T+feature:mem:9+feature:disk",
	  "bprefer=fast+MEM:64g+swap:70000+disk:1T+feature:mem:9+disk", NULL },
	{ "bprefer=feature:feature:x+memory:1+mem",
	  "bprefer=feature:feature:x+memory:1+mem", NULL },
	{ "bprefer=mem:", NULL, "bprefer=mem: is not allowed" },
	{ "bprefer=fast+mem:64X", NULL, "mem:, swap: and disk: with a size" },
	{ "bprefer=swap:64GB", NULL, "is not allowed" },
	{ "bprefer=disk:4294967296", NULL, "is not allowed" },
	{ "bprefer=disk:-1", NULL, "is not allowed" },
	{ "bprefer=feature:", NULL, "bprefer=feature: is not allowed" },
	{ "bprefer=feature:+a", NULL, "is not allowed" },
	{ "bprefer=", NULL, "bprefer has an empty value" },
	{ "bprefer=a++b", NULL, "bprefer=a++b is not allowed" },
	{ "bprefer=a+", NULL, "bprefer=a+ is not allowed" },
	{ "bprefer=a|b", NULL, "bprefer=a|b is not allowed" },
	{ "bprefer=a b", NULL, "bprefer=a b is not allowed" },
	{ "bmem=none", NULL, "bmem=none needs an amount" },
	{ "bmode=,bamount=1", NULL,
	  "bmode has an empty value; allowed: hard, soft" },
	{ "bmode=Soft,bamount=1", NULL,
	  "bmode=Soft is not allowed (did you mean soft?); allowed: hard, soft" },
	{ "bmode=soft", NULL, "bmode=soft needs an amount" },
	{ "bmode=soft,bamount=1,binstance=env", NULL,
	  "bmode=soft does not go with binstance=env" },
	{ "bmode=soft,bcpus=1,binstance=pe", NULL,
	  "bmode=soft does not go with binstance=pe" },
	{ "ballow=,bmode=soft,bamount=1", NULL,
	  "ballow has an empty value; allowed: node, S, N, X" },
	{ "ballow=x,bmode=soft,bamount=1", NULL,
	  "ballow=x is not allowed; allowed: node, S, N, X" },
	{ "ballow=Y,bmode=soft,bamount=1", NULL, "ballow=Y is not allowed" },
	{ "ballow=SN,bmode=soft,bamount=1", NULL, "ballow=SN is not allowed" },
	{ "ballow=X,bamount=1", NULL,
	  "ballow=X says how far tasks may spread: it needs bmode=soft" },
	{ "ballow=node,bcpus=1,bmode=hard", NULL, "ballow=node says how far" },
	{ "bisolate=maybe,bamount=1", NULL,
	  "bisolate=maybe is not allowed; allowed: no, yes" },
	{ "bisolate=,bamount=1", NULL, "bisolate has an empty value" },
	{ "bisolate=yes,bmode=soft,bamount=1", NULL,
	  "bisolate=yes does not go with bmode=soft" },
	{ "bisolate=yes,binstance=pe,bamount=1", NULL,
	  "bisolate=yes does not go with binstance=env and binstance=pe" },
	{ "bisolate=yes,bunit=C:2|ET:2", NULL,
	  "bisolate=yes does not go with bunit=T, CT and ET" },
	{ "bisolate=yes,bcpus=1,bmode=soft", NULL,
	  "bisolate=yes does not go with bmode=soft" },
	{ "bmem=local", NULL, "bmem=local needs an amount" },
	{ "binstance=,bamount=1", NULL,
	  "binstance has an empty value; allowed: set, env, pe" },
	{ "binstance=SET,bamount=1", NULL,
	  "binstance=SET is not allowed (did you mean set?); allowed: set, env, pe" },
	{ "binstance=mpi,bamount=1", NULL, "allowed: set, env, pe" },
	{ "btopology=,bamount=1", NULL, "allowed: a topology string" },
	{ "btopology=SCQ,bamount=1", NULL, "btopology=SCQ: topology" },
	{ "btopology=ScC,bamount=1", NULL,
	  "btopology=ScC has letters in lower case" },
	{ "btopology=sCC,bamount=1", NULL, "in lower case" },
	{ "btopology=NS,bamount=1", NULL, "btopology=NS: " },
	{ "bcpus=", NULL, "bcpus has an empty value; allowed: a list" },
	{ "bcpus=-1", NULL, "bcpus=-1: list '-1', column 1: a number" },
	{ "bcpus=0-", NULL, "column 3: a number" },
	{ "bcpus=3-1", NULL, "ends before it begins" },
	{ "bcpus=0++1", NULL, "column 3: a number" },
	{ "bcpus=0+", NULL, "column 3: a number" },
	{ "bcpus=+0", NULL, "column 1: a number" },
	{ "bcpus=65536", NULL, "the largest number allowed is 65535" },
	{ "bcpus=0-99999999999999999999", NULL, "largest number allowed" },
	{ "bcpus=0x1", NULL, "column 2: a comma" },
	{ "bcpus=all", NULL, "column 1: a number" },
	{ "bcpus=os:", NULL, "bcpus=os:: list '', column 1: a number" },
	{ "bcpus=os", NULL, "column 1: a number" },
	{ "bcpus=OS:1", NULL, "column 1: a number" },
	{ "bcpus=os:3-1", NULL, "ends before it begins" },
	{ "bcpus=os:os:1", NULL, "column 1: a number" },
	{ "bcpus=0+os:1", NULL, "column 3: a number" },
	{ "bcpus=os:65536", NULL, "the largest number allowed is 65535" },
	{ "bcpus=os:0,bunit=X", NULL, "bunit=X does not go with bcpus=os:0," },
	{ "bcpus=0 1", NULL, "column 2: a comma" },
	/* in a line a comma ends the list */
	{ "bcpus=0,1", NULL,
	  "column 9: '1' is not of the form key=value, as in bcpus=0-3+8" },
	{ "bamount=1,bspread=C", NULL, "bspread=C is not allowed; allowed: S" },
	{ "bamount=1,bspread=s", NULL, "bspread=s is not allowed; allowed: S" },
	{ "bamount=1,bspread=SX", NULL, "bspread=SX is not allowed" },
	{ "bamount=1,bspread=", NULL, "bspread has an empty value" },
	{ "bspread=S", NULL, "bspread=S needs an amount" },
	{ "bspread=S,bcpus=1", NULL, "bspread=S does not go with bcpus=1" },
	{ "bspread=X,bamount=1,btype=host", NULL,
	  "bspread=X does not go with btype=host" },
	{ "bspread=N,bamount=1,bstrategy=scatter", NULL,
	  "bspread=N does not go with bstrategy=scatter" },
	{ "bamount=1,bequal=0", NULL, "bequal=0 is not allowed; allowed: yes" },
	{ "bamount=1,bequal=", NULL,
	  "bequal has an empty value; allowed: yes" },
	{ "bequal=no", NULL, "bequal=no needs an amount" },
	{ "bequal=no,bcpus=1", NULL, "bequal=no does not go with bcpus=1" },
	{ "bequal=no,bamount=1,btype=host", NULL,
	  "bequal=no does not go with btype=host" },
	{ "bequal=no,bamount=1,bunit=T", NULL,
	  "bequal=no does not go with bunit=T: threads are all equal" },
	{ "bequal=no,bamount=1,bunit=ET", NULL, "go with bunit=ET" },
	/* a list of CPUs and the choice of units */
	{ "bcpus=0-1,bamount=1", NULL, "bamount=1 does not go with bcpus=0-1" },
	{ "bcpus=0,bunit=X", NULL, "bunit=X does not go with bcpus=0," },
	{ "bcpus=0,btype=slot", NULL, "btype=slot does not go with" },
	{ "btype=slot,bcpus=0", NULL, "btype=slot does not go with" },
	{ "bcpus=0,btype=host", NULL, "btype=host does not go with" },
	{ "bcpus=0,bstrategy=packed", NULL, "bstrategy=packed does not" },
	{ "bcpus=0,bsort=S", NULL, "bsort=S does not go with" },
	{ "bcpus=0,bstart=S", NULL, "bstart=S does not go with" },
	{ "bcpus=0,bstop=S", NULL, "bstop=S does not go with" },
	{ "bcpus=0,bfilter=first_core", NULL, "bfilter=first_core does not" },
	/* needs an amount */
	{ "binstance=env", NULL, "binstance=env needs an amount" },
	{ "bstop=s", NULL, "bstop=s needs an amount" },
	{ "bstart=S,bstop=s", NULL, "bstart=S needs an amount" },
	{ "btype=host", NULL, "btype=host needs an amount" },
	{ "bsort=S", NULL, "bsort=S needs an amount" },
	{ "bstrategy=linear", NULL, "bstrategy=linear needs an amount" },
	/* a unit without an amount is one */
	{ "bunit=X", "bunit=X,bamount=1", NULL },
	{ "bunit=C", "bamount=1", NULL },
	{ "bunit=X,btype=host", "bunit=X,bamount=1,btype=host", NULL },
	/* and so are a filter and a topology */
	{ "bfilter=first_core", "bamount=1,bfilter=first_core", NULL },
	{ "btopology=SCC", "bamount=1,btopology=SCC", NULL },
	{ "btopology=SCCCCSCCCC,bfilter=ScCCCScCCC",
	  "bamount=1,bfilter=ScCCCScCCC,btopology=SCCCCSCCCC", NULL },
	{ "bfilter=first_core,bamount=0", "bamount=0,bfilter=first_core",
	  NULL },
	{ "btopology=SCC,bcpus=0", "btopology=SCC,bcpus=0", NULL },
	{ "bnodes=FASTEST,bunit=X", "bunit=X,bamount=1,bnodes=FASTEST", NULL },
	/* words, in any case; printed are the letters */
	{ "bunit=l3", "bunit=X,bamount=1", NULL },
	{ "bunit=L2,bamount=2", "bunit=Y,bamount=2", NULL },
	{ "bunit=Numa", "bunit=N,bamount=1", NULL },
	{ "bunit=SOCKET", "bunit=S,bamount=1", NULL },
	{ "bunit=core", "bamount=1", NULL },
	{ "bunit=pcore", "bamount=1", NULL },
	{ "bunit=ecore", "bunit=E,bamount=1", NULL },
	{ "bunit=thread", "bunit=T,bamount=1", NULL },
	{ "bunit=x", "bunit=X,bamount=1", NULL },
	{ "bunit=ex", "bunit=EX,bamount=1", NULL },
	/* given again, the last one counts */
	{ "bamount=1,bamount=2", "bamount=2", NULL },
	{ "bunit=C,bamount=3,bunit=X", "bunit=X,bamount=3", NULL },
	{ "bmem=none,bmem=local,bamount=1", "bamount=1,bmem=local", NULL },
	{ "bmode=soft,bmode=hard,bamount=1", "bamount=1,bmode=hard", NULL },
	{ "bcpus=1,bcpus=2+3", "bcpus=2-3", NULL },
	{ "bfilter=SCc,bfilter=first_core,bamount=1",
	  "bamount=1,bfilter=first_core", NULL },
	{ "btopology=SC,btopology=SCC,bamount=1", "bamount=1,btopology=SCC",
	  NULL },
	{ "bprefer=a,bprefer=b+c,bamount=1", "bamount=1,bprefer=b+c", NULL },
	/* binding is off, whatever else is said */
	{ "bunit=X,bamount=0", "bunit=X,bamount=0", NULL },
};

static void test_lines(void **state)
{
	const size_t count = sizeof(lines) / sizeof(lines[0]);

	(void)state;
	check_request_lines(lines, count);
	/* What is canonical stays so. */
	for (size_t i = 0; i < count; i++) {
		const char *printed = lines[i].printed;
		const struct request_line again = { printed, printed, NULL };

		if (printed)
			check_request_lines(&again, 1);
	}
}

/* What a site's binding can complete; NULL: it is refused, or asks for units. */
struct open_line {
	const char *in, *sent;
};

static const struct open_line open_lines[] = {
	{ "bmem=local", "bmem=local" },
	{ "bstrategy=packed", "bstrategy=packed" },
	{ "bmode=soft,ballow=S,bnodes=FASTEST",
	  "bmode=soft,ballow=S,bnodes=FASTEST" },
	{ "binstance=set,bsort=S", "bsort=S,binstance=set" },
	{ "ballow=S", NULL },
	{ "btype=host", NULL },
	{ "bspread=S", NULL },
	{ "bisolate=no", "bisolate=no" },
	{ "bisolate=yes,bmode=soft", NULL },
	{ "bmem=local,bunit=X", NULL },
	{ "bmem=local,bamount=0", NULL },
	{ "bmem=local,bcpus=1", NULL },
	{ "bmem=local,bunit=X:1|N:1", NULL },
};

static void check_open_line(const struct open_line *line)
{
	struct tb_request request;
	char *sent;
	int rc;

	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line->in, NULL), 0);
	rc = tb_request_complete_open(&request, NULL);
	assert_int_equal(!rc && tb_request_is_open(&request),
			 line->sent != NULL);
	if (line->sent) {
		assert_false(tb_request_binds(&request));
		sent = tb_request_print_sent(&request);
		assert_string_equal(sent, line->sent);
		free(sent);
	}
	tb_request_clear(&request);
}

static void test_open_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(open_lines) / sizeof(open_lines[0]); i++)
		check_open_line(&open_lines[i]);
}

static void test_printed_parts(void **state)
{
	struct tb_request request;
	char *line;

	(void)state;
	assert_int_equal(read_request_line(
				 &request,
				 "bamount=2,btype=slot,bmem=local,bnodes=FASTEST",
				 NULL),
			 0);
	line = tb_request_print_given(&request);
	assert_string_equal(line,
			    "bamount=2,btype=slot,bmem=local,bnodes=FASTEST");
	free(line);
	line = tb_request_print_open(&request);
	assert_string_equal(line, "bmem=local");
	free(line);
	line = tb_request_print_sent(&request);
	assert_string_equal(line, "bamount=2,bmem=local,bnodes=FASTEST");
	free(line);
	tb_request_clear(&request);
}

static void test_long_lines(void **state)
{
	static const char *const starts[] = { "",
					      "bunit=",
					      "bfilter=",
					      "bfilter=first_core+",
					      "bamount=",
					      "bamount=1,bsort=",
					      "bfilter=(N",
					      "bcpus=",
					      "bcpus=0-",
					      "btopology=",
					      "btopology=(N",
					      "binstance=",
					      "bcpus=0+",
					      "bmem=",
					      "bmode=",
					      "ballow=",
					      "bisolate=",
					      "bnodes=",
					      "bprefer=",
					      "bprefer=a+" };
	static const char fill[] = "C(,=\xff"
				   "0S";
	char *line = malloc(TB_REQUEST_TEXT_MAX + 2);
	struct tb_error err;

	(void)state;
	assert_non_null(line);
	for (size_t s = 0; s < sizeof(starts) / sizeof(starts[0]); s++)
		for (size_t f = 0; f < sizeof(fill) - 1; f++) {
			struct tb_request request;

			memset(line, fill[f], TB_REQUEST_TEXT_MAX + 1);
			memcpy(line, starts[s], strlen(starts[s]));
			line[TB_REQUEST_TEXT_MAX + 1] = '\0';
			tb_request_init(&request);
			assert_int_equal(tb_request_parse(&request, line, &err),
					 -1);
			assert_non_null(strstr(err.text, "too long"));
			line[TB_REQUEST_TEXT_MAX] = '\0';
			/* A string of 64 Ki cores is valid, and so is CPU 0. */
			if (tb_request_parse(&request, line, &err))
				assert_true(strlen(err.text) > 10);
			else
				assert_true(request.filter || request.shape ||
					    request.cpus);
			tb_request_clear(&request);
		}
	free(line);
}

/* A list that is short as it is given can be long as each reader gets it. */
static void test_canonical_length(void **state)
{
	struct tb_request request;
	struct tb_error err;
	char *list = malloc(TB_CPUS_MAX * 6), *at = list;

	(void)state;
	assert_non_null(list);
	/* With 14,000 numbers it is too long; every other option is short. */
	for (unsigned cpu = 10000; cpu < 38000; cpu += 2)
		at += sprintf(at, "%u+", cpu);
	at[-1] = '\0';
	tb_request_init(&request);
	assert_int_equal(tb_request_set(&request, "bcpus", list, &err), -1);
	assert_non_null(strstr(err.text, "69632"));
	/* Two values that fit, but not together in one line. */
	list[TB_REQUEST_TEXT_MAX / 6 / 2 * 6 - 1] = '\0';
	assert_int_equal(tb_request_set(&request, "bcpus", list, NULL), 0);
	assert_int_equal(tb_request_complete(&request, &err), 0);
	memset(list, 'C', TB_REQUEST_TEXT_MAX / 2 + 100);
	list[TB_REQUEST_TEXT_MAX / 2 + 100] = '\0';
	assert_int_equal(tb_request_set(&request, "btopology", list, NULL), 0);
	assert_int_equal(tb_request_complete(&request, &err), -1);
	assert_non_null(strstr(err.text, "69632"));
	tb_request_clear(&request);
	free(list);
}

/* parse(print(x)) = x, with everything that a request can hold. */
static void test_random_round_trip(void **state)
{
	const struct random_shape shape = { 24, false };
	struct random random = { 99 };
	struct random_case c;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct tb_request request, again;
		char *first, *second;

		random_case(&random, &shape, &c);
		random_case_request(&c, &request);
		first = tb_request_print(&request);
		tb_request_init(&again);
		assert_int_equal(tb_request_parse(&again, first, NULL), 0);
		second = tb_request_print(&again);
		assert_string_equal(first, second);
		assert_int_equal(request.unit.letter, again.unit.letter);
		assert_int_equal(request.unit.kind, again.unit.kind);
		assert_int_equal(request.amount, again.amount);
		assert_int_equal(request.type, again.type);
		assert_int_equal(request.strategy, again.strategy);
		assert_string_equal(request.sort, again.sort);
		assert_int_equal(request.start, again.start);
		assert_int_equal(request.stop, again.stop);
		free(first);
		free(second);
		tb_request_clear(&request);
		tb_request_clear(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_open_lines),
		cmocka_unit_test(test_printed_parts),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_canonical_length),
		cmocka_unit_test(test_random_round_trip),
	};

	return cmocka_run_group_tests_name("request_line", tests, NULL, NULL);
}
