/* A library to preload: one call fails, to the kernel or for memory, from the start of the program's own code on.
     FAIL_CALL   the number of a system call; 1000: memory of more than a page; 1001: of a page or less
     FAIL_AT     which of these calls, from 1 on
     FAIL_ERRNO  the error's number; 0: a read or write is short
     FAIL_DONE   a file that is made when the call fails
     FAIL_COUNT  without FAIL_CALL: a file that gets lines "CALL NUMBER", how often each was made
   A filter of the kernel (seccomp) reports system calls, also the C library's own, to a thread of ours. It lets them
   pass, fails them or does half of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { num_system_calls = 1000, large_memory = num_system_calls, small_memory, num_calls, all = -1 };
static int chosen = all, fail_at, error_number;
static const char *done_path, *count_path;
static atomic_int calls[num_calls];
static atomic_int armed, listener = -1;

static int is_chosen(int call) {
  const int number = atomic_fetch_add(&calls[call], 1) + 1;
  return call == chosen && (call == small_memory ? number >= fail_at : number == fail_at);
}

static void mark_done(void) {
  if (done_path) close(open(done_path, O_CREAT | O_WRONLY, 0666));
}

/* Half of a read or write, done for the program; 0 where it has no halves. */
static long do_half(const struct seccomp_data *call) {
  const int file = (int)call->args[0];
  void *memory = (void *)call->args[1];
  size_t size = call->args[2];
  if (call->nr == SYS_readv || call->nr == SYS_writev) {
    const struct iovec *first = memory;
    memory = first->iov_base, size = first->iov_len;
  }
  switch (size > 1 ? call->nr : -1) {
    case SYS_read: case SYS_readv: return read(file, memory, size / 2);
    case SYS_write: case SYS_writev: return write(file, memory, size / 2);
    case SYS_pread64: return pread(file, memory, size / 2, (off_t)call->args[3]);
    case SYS_pwrite64: return pwrite(file, memory, size / 2, (off_t)call->args[3]);
    default: return 0;
  }
}

static void answer(const struct seccomp_notif *asked, struct seccomp_notif_resp *reply) {
  reply->id = asked->id;
  reply->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  if (!is_chosen(asked->data.nr)) return;
  if (error_number != 0) {
    reply->error = -error_number;
  } else if ((reply->val = do_half(&asked->data)) <= 0) {
    return;
  }
  reply->flags = 0;
  mark_done();
}

static void *answer_calls(void *unused) {
  while (listener < 0) usleep(10);
  for (;;) {
    struct seccomp_notif asked = {0};
    struct seccomp_notif_resp reply = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) continue;  /* interrupted, or the caller is gone */
    answer(&asked, &reply);
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
  }
  return unused;
}

/* The calling thread and those that it starts report `call`, or all. */
static void report_calls(int call) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, call == all ? 0 : 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const long file = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (file < 0) {
    perror("fail_call.so: this kernel does not report system calls");
    _exit(77);
  }
  listener = (int)file;
}

static int number_in(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

__attribute__((constructor)) static void start(void) {
  chosen = number_in("FAIL_CALL", all), fail_at = number_in("FAIL_AT", 0), error_number = number_in("FAIL_ERRNO", 0);
  done_path = getenv("FAIL_DONE"), count_path = getenv("FAIL_COUNT");
  armed = 1;
  if (chosen >= num_system_calls) return;  /* memory */
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);  /* signals are the program's */
  pthread_t thread;
  pthread_create(&thread, NULL, answer_calls, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  report_calls(chosen);
}

__attribute__((destructor)) static void write_counts(void) {
  armed = 0;
  FILE *file = count_path ? fopen(count_path, "w") : NULL;
  if (!file) return;
  for (int i = 0; i < num_calls; ++i)
    if (calls[i] > 0) fprintf(file, "%d %d\n", i, calls[i]);
  fclose(file);
}

/* Of memory, the functions are the GNU C library's. When a page or less is missing, it is missing from then on. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int memory_fails(size_t size) {
  if (!armed || !is_chosen(size <= 4096 ? small_memory : large_memory)) return 0;
  mark_done();
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return memory_fails(size) ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
  return memory_fails(count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) { return memory_fails(size) ? NULL : __libc_realloc(memory, size); }

void *aligned_alloc(size_t alignment, size_t size) {
  return memory_fails(size) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (memory_fails(size)) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
