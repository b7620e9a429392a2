/* The whole of what a device plug-in may include: plain C, versioned. A plug-in is a shared object
 * libfrugal_<name>.so that exports frugal_plugin_entry(). No exception, no C++ type and no
 * ownership crosses this line; errors are a status and a message in the caller's buffer. */
#ifndef FRUGAL_DEVICE_PLUGIN_ABI_H
#define FRUGAL_DEVICE_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(modernize-use-using): this is C. */
/* Raised whenever the meaning or the order of anything below changes. */
#define FRUGAL_PLUGIN_ABI 1

typedef enum frugal_operation {
  FRUGAL_OPERATION_AXPY_F32 = 0,
  FRUGAL_OPERATION_GATHER_ROWS_F32 = 1,
  FRUGAL_OPERATION_GEMM_F32 = 2,
  FRUGAL_OPERATION_COUNT = 3
} frugal_operation;

/* 0 = done; anything else = failed, and `message` (never null, message_size bytes) says why. */
typedef struct frugal_message {
  char* text;
  size_t size;
} frugal_message;

/* Memory of one device; made and freed by the plug-in, opaque to everybody else. */
typedef struct frugal_buffer frugal_buffer;

typedef struct frugal_plugin {
  uint32_t abi;     /* FRUGAL_PLUGIN_ABI that the plug-in was compiled with */
  uint32_t size;    /* sizeof(frugal_plugin) there */
  const char* name; /* "cuda" */

  /* 0 = cannot run on this machine, and why; greater = better. Never fails, never aborts. */
  int (*score)(frugal_message why);
  int (*device_count)(void);
  /* A name of device i for people, NUL-terminated in name; bytes of its memory. */
  int (*device_info)(int device, frugal_message name, uint64_t* memory_bytes);
  /* 1 if device runs the operation, else 0. */
  int (*supports)(int device, frugal_operation operation);

  int (*allocate)(int device, size_t bytes, frugal_buffer** buffer, frugal_message error);
  void (*release)(frugal_buffer* buffer);
  int (*upload)(frugal_buffer* to, const void* from, size_t bytes, frugal_message error);
  int (*download)(void* to, const frugal_buffer* from, size_t bytes, frugal_message error);

  /* y[i] += a x[i], i < n. */
  int (*axpy_f32)(float a, const frugal_buffer* x, frugal_buffer* y, size_t n,
                  frugal_message error);
  /* out[j, 0..dim) = table[rows[j], 0..dim), j < n; row-major without gaps; rows: uint32. */
  int (*gather_rows_f32)(const frugal_buffer* table, size_t dim, const frugal_buffer* rows,
                         size_t n, frugal_buffer* out, frugal_message error);
  /* c[m, n] = a[m, k] b[k, n], row-major without gaps. */
  int (*gemm_f32)(const frugal_buffer* a, const frugal_buffer* b, frugal_buffer* c, size_t m,
                  size_t n, size_t k, frugal_message error);
} frugal_plugin;

/* The one symbol that a plug-in exports; the struct lives as long as the process. */
const frugal_plugin* frugal_plugin_entry(void);

/* NOLINTEND(modernize-use-using) */
#ifdef __cplusplus
}
#endif

#endif
