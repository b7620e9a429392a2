#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/system/cores/auto_threads.h"
#include "libcore/system/limits.h"
#include "libcore/system/topology.h"

namespace frugal::probe {

/// An instruction set for which kernels have a variant.
struct IsaFinding {
  std::string name;  ///< "avx512"
  std::string simd;  ///< its name for --simd: "v4"
  bool usable = false;
  std::string reason;  ///< why or why not; starts with "recorded" for a recorded machine
};

/// Evidence for or against an accelerator.
struct Signal {
  std::string name;  ///< "PCI vendor 1d95", "libcuda.so.1"
  bool found = false;
  std::string detail;
};

/// A compute device; the CPU is always the first one.
struct DeviceFinding {
  std::string kind;  ///< "cpu", "cuda", "rocm", "ipu"
  std::string name;
  std::uint64_t memory_bytes = 0;  ///< 0 = unknown
};

/// All signals of a kind of accelerator, and the verdict.
struct AcceleratorFinding {
  std::string kind;
  bool usable = false;  ///< the tools can compute on it
  std::string reason;   ///< the first missing signal, in words
  std::vector<Signal> signals;
  std::vector<DeviceFinding> devices;
};

/// Environment of the process: virtual machine, container, batch system. "" = none found.
struct Surroundings {
  std::string virtualization;
  std::string container;
  std::string batch_system;  ///< "SLURM job 17, ..."
};

/// Kernels and device that a tool uses on this machine by default.
struct ToolChoice {
  std::string tool;
  std::string kernels;  ///< table of kernels: "v4", "amx"
  std::string device;   ///< "cpu" or a plug-in
};

/// Everything `hw-probe detect` finds.
struct Machine {
  bool recorded = false;
  std::string architecture;  ///< "x86_64", "aarch64"
  std::string cpu_model;
  std::string kernel;    ///< release of the operating system's kernel
  UsableCpus cpus;       ///< including limits of SLURM and OpenMP
  ThreadChoice threads;  ///< of --threads auto
  std::vector<IsaFinding> isa;
  Topology topology;
  std::vector<MemoryLimit> memory;
  std::uint64_t memory_available = 0;
  std::vector<DeviceFinding> devices;
  std::vector<AcceleratorFinding> accelerators;
  Surroundings surroundings;
  std::vector<ToolChoice> tools;
};

}  // namespace frugal::probe
