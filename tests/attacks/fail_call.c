/* A library to preload: makes one call of the C library fail.
     FAIL_CALL   the call's name      FAIL_AT     its number from 1 on, 0 for none
     FAIL_ERRNO  the error's number   FAIL_COUNT  a file that gets the number of calls
   Calls that write to standard error, and memory of a page or less, are left alone and not counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *chosen = "";
static int fail_at, error_number = EIO;
static atomic_int calls;

__attribute__((constructor)) static void read_environment(void) {
  const char *name = getenv("FAIL_CALL"), *at = getenv("FAIL_AT"), *number = getenv("FAIL_ERRNO");
  if (at) fail_at = atoi(at);
  if (number) error_number = atoi(number);
  if (name) chosen = name;
}

__attribute__((destructor)) static void write_count(void) {
  const char *path = getenv("FAIL_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "%d\n", (int)calls);
    fclose(file);
  }
}

/* Whether this call is the one; then errno is set. */
static int fails(const char *name) {
  if (strcmp(name, chosen) != 0 || atomic_fetch_add(&calls, 1) + 1 != fail_at) return 0;
  errno = error_number;
  return 1;
}

/* next(name): the C library's own function, found at the first call. */
#define NEXT(type, name, ...)                                \
  static type (*next)(__VA_ARGS__);                          \
  if (!next) next = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void *data, size_t size) {
  NEXT(ssize_t, "write", int, const void *, size_t);
  return file != STDERR_FILENO && fails("write") ? -1 : next(file, data, size);
}

ssize_t read(int file, void *data, size_t size) {
  NEXT(ssize_t, "read", int, void *, size_t);
  return fails("read") ? -1 : next(file, data, size);
}

ssize_t pread(int file, void *data, size_t size, off_t at) {
  NEXT(ssize_t, "pread", int, void *, size_t, off_t);
  return fails("pread") ? -1 : next(file, data, size, at);
}

ssize_t pread64(int file, void *data, size_t size, off_t at) {
  NEXT(ssize_t, "pread64", int, void *, size_t, off_t);
  return fails("pread") ? -1 : next(file, data, size, at);
}

int fsync(int file) {
  NEXT(int, "fsync", int);
  return fails("fsync") ? -1 : next(file);
}

int rename(const char *from, const char *to) {
  NEXT(int, "rename", const char *, const char *);
  return fails("rename") ? -1 : next(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  NEXT(int, "linkat", int, const char *, int, const char *, int);
  return fails("linkat") ? -1 : next(from_folder, from, to_folder, to, flags);
}

int fstat(int file, struct stat *state) {
  NEXT(int, "fstat", int, struct stat *);
  return fails("fstat") ? -1 : next(file, state);
}

int ftruncate(int file, off_t size) {
  NEXT(int, "ftruncate", int, off_t);
  return fails("ftruncate") ? -1 : next(file, size);
}

int fallocate(int file, int mode, off_t at, off_t size) {
  NEXT(int, "fallocate", int, int, off_t, off_t);
  return fails("fallocate") ? -1 : next(file, mode, at, size);
}

int flock(int file, int operation) {
  NEXT(int, "flock", int, int);
  return fails("flock") ? -1 : next(file, operation);
}

/* The file is closed all the same, as Linux does. */
int close(int file) {
  NEXT(int, "close", int);
  const int done = next(file);
  return fails("close") ? -1 : done;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  NEXT(void *, "mmap", void *, size_t, int, int, int, off_t);
  return fails("mmap") ? MAP_FAILED : next(at, size, protection, flags, file, offset);
}

static mode_t mode_of(int flags, va_list more) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; }

int open(const char *path, int flags, ...) {
  NEXT(int, "open", const char *, int, ...);
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return fails("open") ? -1 : next(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  NEXT(int, "open64", const char *, int, ...);
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return fails("open") ? -1 : next(path, flags, mode);
}

static int memory_fails(size_t size) { return size > 4096 && fails("malloc"); }

void *malloc(size_t size) {
  NEXT(void *, "malloc", size_t);
  return memory_fails(size) ? NULL : next(size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  NEXT(void *, "aligned_alloc", size_t, size_t);
  return memory_fails(size) ? NULL : next(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  NEXT(int, "posix_memalign", void **, size_t, size_t);
  return memory_fails(size) ? ENOMEM : next(memory, alignment, size);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
  NEXT(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  return fails("pthread_create") ? EAGAIN : next(thread, attributes, function, argument);
}
