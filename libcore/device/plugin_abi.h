/* All that a device plug-in may include: interface version 3, plain C. A plug-in is a shared object
 * libfrugal_<name>.so that exports frugal_plugin_entry() alone. No exception, no C++ type and no
 * ownership crosses this interface. Its functions are in tables, requested by name and version:
 *   "device" 1  the devices and their rates    every plug-in has it
 *   "engine" 1  whole steps of a tool          used by the tools
 *   "suite"  1  single operations              used by tests, never by the tools
 * Tables only grow at their end, and are read no further than their `size`. */
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

/* Buffer for a message: `size` bytes, including the terminating zero. */
typedef struct frugal_message {
  char* text;
  size_t size;
} frugal_message;

/* Result of a call. All but FRUGAL_OK write a message. */
typedef enum frugal_status {
  FRUGAL_OK = 0,
  FRUGAL_FAILED = 1,
  FRUGAL_NO_MEMORY = 2,    /* smaller batches or models would fit */
  FRUGAL_UNSUPPORTED = 3,  /* this device or plug-in cannot do it */
  FRUGAL_BAD_ARGUMENT = 4, /* a bug of the caller */
  FRUGAL_LOST = 5          /* the device or its context is lost, with its memory */
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

/* An array in host memory, row-major without gaps. */
typedef struct frugal_array {
  const char* name;
  void* data;
  uint32_t type; /* frugal_type */
  uint32_t rank;
  uint64_t shape[FRUGAL_MOST_DIMENSIONS];
} frugal_array;

/* A setting: name and value as text, "optimizer" = "adagrad". */
typedef struct frugal_setting {
  const char* name;
  const char* value;
} frugal_setting;

typedef struct frugal_device_facts {
  uint32_t size;         /* in: size of the struct in the caller */
  char name[128];        /* for people */
  char architecture[32]; /* "sm_90" */
  uint64_t memory_bytes;
  uint64_t free_bytes;
  double bytes_per_second; /* of a copy within its memory, read plus write; 0 = not measured */
} frugal_device_facts;

typedef struct frugal_engine frugal_engine;

/* "device", version 1. */
typedef struct frugal_device_table {
  uint32_t size;
  /* Number of usable devices; if 0, writes why. Never aborts or prints. */
  int (*count)(frugal_message why);
  int (*facts)(int device, frugal_device_facts* out, frugal_message error);
  /* Copies `bytes` bytes `times` times from pinned host memory to the device, or back, and waits.
   * For measurements: later calls reuse the memory of the first one. */
  int (*transfer)(int device, int back, size_t bytes, uint32_t times, frugal_message error);
} frugal_device_table;

/* Sums over steps of an engine. */
typedef struct frugal_sums {
  uint32_t size; /* in: size of the struct in the caller */
  double loss;   /* over samples */
  uint64_t samples;
  uint64_t steps;
  double busy_seconds; /* time in which the device computed; 0 = not measured */
} frugal_sums;

/* "engine", version 1. An engine is a tool's training or prediction, with parameters and optimiser
 * state on the device. libcore/device/engine_kinds.md lists the arrays, numbers and settings of
 * each kind. Only one thread at a time may call the functions of an engine. */
typedef struct frugal_engine_table {
  uint32_t size;
  /* Names of the kinds, "robe.train" ..., then null. */
  const char* const* kinds;
  /* Returns FRUGAL_OK, or FRUGAL_UNSUPPORTED and why; *bytes: device memory of the engine. */
  int (*plan)(int device, const char* kind, const frugal_setting* settings, size_t num_settings,
              uint64_t* bytes, frugal_message why);
  int (*create)(int device, const char* kind, const frugal_setting* settings, size_t num_settings,
                frugal_engine** out, frugal_message error);
  void (*release)(frugal_engine* engine);
  /* Copies model, state and constant data to the device, or back after all submitted steps. */
  int (*set)(frugal_engine* engine, const frugal_array* arrays, size_t n, frugal_message error);
  int (*get)(frugal_engine* engine, const frugal_array* arrays, size_t n, frugal_message error);
  /* Submits one training step. Copies the batch before it returns. Does not wait for the step, but
   * waits for a free slot if too many steps are in flight. */
  int (*submit)(frugal_engine* engine, const double* numbers, size_t num_numbers,
                const frugal_array* batch, size_t n, frugal_message error);
  /* Adds the sums of steps finished since the last call; wait: of all submitted steps. */
  int (*collect)(frugal_engine* engine, int wait, frugal_sums* sums, frugal_message error);
  /* Computes answers for a batch without training, after all submitted steps. */
  int (*run)(frugal_engine* engine, const frugal_array* batch, size_t n,
             const frugal_array* answers, size_t num_answers, frugal_message error);
} frugal_engine_table;

/* "suite", version 1. */
typedef struct frugal_suite_table {
  uint32_t size;
  const char* const* operations; /* ends with null */
  /* Copies the inputs to the device, runs the operation, and copies the outputs back. */
  int (*run)(int device, const char* operation, const frugal_setting* settings, size_t num_settings,
             const frugal_array* inputs, size_t num_inputs, const frugal_array* outputs,
             size_t num_outputs, frugal_message error);
} frugal_suite_table;

typedef struct frugal_plugin {
  uint32_t abi;        /* FRUGAL_PLUGIN_ABI that the plug-in was compiled with */
  uint32_t size;       /* size of the struct in the plug-in */
  const char* name;    /* "cuda" */
  const char* toolkit; /* toolkit it was built with, "CUDA 13.0" */
  const char* needs;   /* requirement to run, "driver 580 or later" */
  /* Returns a table by name and version, or null. Valid until the process ends. */
  const void* (*table)(const char* name, uint32_t version);
} frugal_plugin;

/* The only exported symbol; the struct is valid until the process ends. */
const frugal_plugin* frugal_plugin_entry(void);

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
