// Linked into every program of a mutated build. FRUGAL_MUTANT=N runs mutant N;
// FRUGAL_MUTANTS_REACHED=FILE, a file of kMaxMutants bytes, is shared by a program, its children
// and what was killed.
#include "tests/mutants/mutant_switch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace {

constexpr std::size_t kMaxMutants = 1 << 16;
unsigned char unshared[kMaxMutants];

// Before all other constructors: their code may be mutated.
__attribute__((constructor(101))) void start() {
  if (const char* id = std::getenv("FRUGAL_MUTANT")) frugal_mutant = std::atoi(id);
  const char* path = std::getenv("FRUGAL_MUTANTS_REACHED");
  if (!path) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* shared = mmap(nullptr, kMaxMutants, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (shared != MAP_FAILED) frugal_mutants_reached = static_cast<unsigned char*>(shared);
}

}  // namespace

unsigned char* frugal_mutants_reached = unshared;
int frugal_mutant = 0;
