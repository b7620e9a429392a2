from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator


class Frugal(CMakePackage):
    """Trains large models of text, clicks, graphs and event streams on laptops and CPU servers."""

    # Untested: no Spack has built it. For Spack 1; this file as packages/frugal/package.py of a repository of packages, then
    # in a clone of frugal:
    #   spack dev-build frugal@1.0.0

    license("MIT")

    version("1.0.0")

    variant("mpi", default=True, description="Training on several machines")
    variant("cuda", default=False, description="Training on NVIDIA GPUs")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2.1:")
    depends_on("eigen@3.4:")
    depends_on("yaml-cpp")
    depends_on("nlohmann-json@3.11:")
    depends_on("zstd@1.5:")
    depends_on("zlib-api")
    depends_on("xxhash")
    depends_on("expat")
    depends_on("metis@5.1:")
    depends_on("utf8proc")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@11.8:", when="+cuda")

    generator("ninja")
    conflicts("%gcc@:11", msg="frugal is C++20 as gcc 12 has it")

    def cmake_args(self):
        plugins = [self.define(f"FRUGAL_{name.upper()}", "on" if f"+{name}" in self.spec else "off") for name in ("mpi", "cuda")]
        return [*plugins, self.define("FRUGAL_TESTS", False), self.define("FRUGAL_WERROR", False)]
