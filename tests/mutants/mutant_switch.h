// Comes before the text of every file of a mutated build: MUTANT(id) tells whether mutant `id` is
// the one that runs, and notes that the code there was reached. C names, so that kernels keep
// exporting no C++ symbol of others.
#pragma once
extern "C" {
extern unsigned char* frugal_mutants_reached;  // a byte a mutant
extern int frugal_mutant;
}
#define MUTANT(id) (frugal_mutants_reached[id] = 1, frugal_mutant == (id))
