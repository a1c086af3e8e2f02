# SPDX-License-Identifier: GPL-2.0-or-later
"""
topobind for Spack, from a tarball of "make dist" in the current directory:

    spack repo add contribs/spack
    spack install --no-checksum topobind slurm_src=/path/to/slurm-22.05.8

Slurm is mostly the one of the system: "spack external find slurm" tells Spack of it.
slurm_src is the source tree of exactly that Slurm, on which its ./configure has run.
Then PluginDir in slurm.conf needs the directory lib/slurm of this package, too.
"""

import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass  # Spack before 1.0 has it in spack.package.


class Topobind(AutotoolsPackage):
    """Sockets, NUMA nodes, caches, cores and hardware threads as consumable units of
    the Slurm workload manager."""

    homepage = "https://topobind.invalid"
    manual_download = True

    license("GPL-2.0-or-later")

    version("0.1.0")

    variant("slurm_src", default="none", values=any, description="Source tree of that Slurm")
    variant("libcgroup", default=True, description="Write cgroups by libcgroup")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("elf")
    depends_on("hwloc@2.4:")
    depends_on("jansson")
    depends_on("libcgroup@2:", when="+libcgroup")
    depends_on("munge")
    depends_on("slurm")

    conflicts("slurm_src=none", msg="slurm_src=DIR says where the source of Slurm is")

    def url_for_version(self, version):
        return f"file://{os.getcwd()}/topobind-{version}.tar.xz"

    def configure_args(self):
        args = [
            f"--with-slurm-src={self.spec.variants['slurm_src'].value}",
            f"--with-slurm-plugindir={self.prefix.lib.slurm}",
            f"--with-bash-completion-startup={self.prefix.etc}",
        ]
        if not self.spec.satisfies("+libcgroup"):
            args.append("--without-libcgroup")
        return args
