/* All that a device plug-in may include: interface version 3, plain C. A plug-in is a shared object
 * libfrugal_<name>.so that exports frugal_plugin_entry() alone. No exception, no C++ type and no
 * ownership crosses this line. What it can do lies in tables, asked for by name and version:
 *   "device" 1  which there are, and their rates    every plug-in has it
 *   "engine" 1  whole steps of a tool               what the tools use
 *   "suite"  1  single operations                   what tests use, the tools never
 * Tables only grow, at their end, and are read no further than their `size`. */
#ifndef FRUGAL_DEVICE_PLUGIN_ABI_H
#define FRUGAL_DEVICE_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(modernize-use-using): this is C. */

#ifdef __cplusplus
extern "C" {
#endif

/* Raised only when frugal_plugin itself changes. */
#define FRUGAL_PLUGIN_ABI 3

/* Room for words: `size` bytes, the terminating zero included. */
typedef struct frugal_message {
  char* text;
  size_t size;
} frugal_message;

/* What a call came to; all but FRUGAL_OK leave words in its message. */
typedef enum frugal_status {
  FRUGAL_OK = 0,
  FRUGAL_FAILED = 1,
  FRUGAL_NO_MEMORY = 2,    /* smaller batches or models would do */
  FRUGAL_UNSUPPORTED = 3,  /* this device or plug-in never does it */
  FRUGAL_BAD_ARGUMENT = 4, /* a mistake of the caller */
  FRUGAL_LOST = 5          /* the device or its context is gone, with all that lay there */
} frugal_status;

typedef enum frugal_type {
  FRUGAL_U8 = 0,
  FRUGAL_I8 = 1,
  FRUGAL_U32 = 2,
  FRUGAL_I32 = 3,
  FRUGAL_U64 = 4,
  FRUGAL_I64 = 5,
  FRUGAL_BF16 = 6,
  FRUGAL_F32 = 7,
  FRUGAL_F64 = 8
} frugal_type;

#define FRUGAL_MOST_DIMENSIONS 4

/* An array in the host's memory, row by row without gaps. */
typedef struct frugal_array {
  const char* name;
  void* data;
  uint32_t type; /* frugal_type */
  uint32_t rank;
  uint64_t shape[FRUGAL_MOST_DIMENSIONS];
} frugal_array;

/* An option by name, both as text: "optimizer" = "adagrad". */
typedef struct frugal_setting {
  const char* name;
  const char* value;
} frugal_setting;

typedef struct frugal_device_facts {
  uint32_t size;         /* in: of this struct as the caller knows it */
  char name[128];        /* for people */
  char architecture[32]; /* "sm_90" */
  uint64_t memory_bytes;
  uint64_t free_bytes;
  double bytes_per_second; /* a copy within its memory, read and write; 0 = not measured */
} frugal_device_facts;

typedef struct frugal_engine frugal_engine;

/* "device", version 1. */
typedef struct frugal_device_table {
  uint32_t size;
  /* Devices that can be used; 0, and why. Never aborts, prints nothing. */
  int (*count)(frugal_message why);
  int (*facts)(int device, frugal_device_facts* out, frugal_message error);
  /* Copies `bytes` bytes `times` times from pinned memory of the host to the device, or back, and
   * waits for all. For measurements: the memory of the first call is kept for those that follow. */
  int (*transfer)(int device, int back, size_t bytes, uint32_t times, frugal_message error);
} frugal_device_table;

/* Sums over steps of an engine. */
typedef struct frugal_sums {
  uint32_t size; /* in: of this struct as the caller knows it */
  double loss;   /* over samples */
  uint64_t samples;
  uint64_t steps;
  double busy_seconds; /* in which the device did steps, by its own clock; 0 = not measured */
} frugal_sums;

/* "engine", version 1. An engine is a tool's training or serving with parameters and optimiser's
 * state on the device; libcore/device/engine_kinds.md says which arrays, numbers and settings each
 * kind takes. One thread at a time calls the functions of an engine. */
typedef struct frugal_engine_table {
  uint32_t size;
  /* "robe.train" ...; ends with null. */
  const char* const* kinds;
  /* FRUGAL_OK, or FRUGAL_UNSUPPORTED and why; *bytes: what the engine takes of the device. */
  int (*plan)(int device, const char* kind, const frugal_setting* settings, size_t num_settings,
              uint64_t* bytes, frugal_message why);
  int (*create)(int device, const char* kind, const frugal_setting* settings, size_t num_settings,
                frugal_engine** out, frugal_message error);
  void (*release)(frugal_engine* engine);
  /* Model, state and constant data, to the device; from it, after all that was submitted. */
  int (*set)(frugal_engine* engine, const frugal_array* arrays, size_t n, frugal_message error);
  int (*get)(frugal_engine* engine, const frugal_array* arrays, size_t n, frugal_message error);
  /* One training step. Copies the batch before it returns and does not wait for the step, but for
   * room where too many steps are on their way. */
  int (*submit)(frugal_engine* engine, const double* numbers, size_t num_numbers,
                const frugal_array* batch, size_t n, frugal_message error);
  /* Adds the sums of the steps that are done and were not told of; wait: of all submitted. */
  int (*collect)(frugal_engine* engine, int wait, frugal_sums* sums, frugal_message error);
  /* Answers for a batch without training, after all that was submitted. */
  int (*run)(frugal_engine* engine, const frugal_array* batch, size_t n,
             const frugal_array* answers, size_t num_answers, frugal_message error);
} frugal_engine_table;

/* "suite", version 1. */
typedef struct frugal_suite_table {
  uint32_t size;
  const char* const* operations; /* ends with null */
  /* Copies the inputs to the device, runs the operation there, copies the outputs back. */
  int (*run)(int device, const char* operation, const frugal_setting* settings, size_t num_settings,
             const frugal_array* inputs, size_t num_inputs, const frugal_array* outputs,
             size_t num_outputs, frugal_message error);
} frugal_suite_table;

typedef struct frugal_plugin {
  uint32_t abi;        /* FRUGAL_PLUGIN_ABI that the plug-in was compiled with */
  uint32_t size;       /* of this struct there */
  const char* name;    /* "cuda" */
  const char* toolkit; /* "CUDA 13.0": what it was made with */
  const char* needs;   /* "driver 580 or later": what it needs to run */
  /* A table by name and version, or null. Lives as long as the process. */
  const void* (*table)(const char* name, uint32_t version);
} frugal_plugin;

/* The one symbol that a plug-in exports; the struct lives as long as the process. */
const frugal_plugin* frugal_plugin_entry(void);

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
