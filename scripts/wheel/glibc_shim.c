/* What bookworm's headers and libstdc++.a take from glibc and 2.28 has not: linked into the wheel's module, seen by
   nobody else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* glibc 2.32: whether counts may do without atomic instructions. Never. */
char __libc_single_threaded = 0;

/* glibc 2.36: random bytes, for expat's tables and std::random_device. */
void arc4random_buf(void* buffer, size_t size) {
  char* next = buffer;
  while (size > 0) {
    const size_t part = size < 256 ? size : 256; /* the most that getentropy gives */
    if (getentropy(next, part) == 0) {
      next += part;
      size -= part;
    } else if (errno != EINTR) {
      abort();
    }
  }
}

uint32_t arc4random(void) {
  uint32_t value;
  arc4random_buf(&value, sizeof value);
  return value;
}

/* glibc 2.30. */
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

/* A time of another clock by the one that conditions and mutexes have: as far from now. A clock that is set meanwhile
   makes a wait end early, which waits are allowed to, or late. */
static struct timespec by_real_clock(clockid_t clock, const struct timespec* deadline) {
  struct timespec now, here;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &here);
  here.tv_sec += deadline->tv_sec - now.tv_sec;
  here.tv_nsec += deadline->tv_nsec - now.tv_nsec;
  if (here.tv_nsec < 0) {
    here.tv_sec -= 1;
    here.tv_nsec += 1000000000;
  } else if (here.tv_nsec >= 1000000000) {
    here.tv_sec += 1;
    here.tv_nsec -= 1000000000;
  }
  return here;
}

/* glibc 2.30: waits of std::condition_variable and std::timed_mutex by steady clocks. The machine's own where it has them. */
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* deadline) {
  typedef int (*Wait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  const Wait wait = (Wait)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (wait != NULL) return wait(condition, mutex, clock, deadline);
  const struct timespec here = by_real_clock(clock, deadline);
  return pthread_cond_timedwait(condition, mutex, &here);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* deadline) {
  typedef int (*Lock)(pthread_mutex_t*, clockid_t, const struct timespec*);
  const Lock lock = (Lock)dlsym(RTLD_DEFAULT, "pthread_mutex_clocklock");
  if (lock != NULL) return lock(mutex, clock, deadline);
  const struct timespec here = by_real_clock(clock, deadline);
  return pthread_mutex_timedlock(mutex, &here);
}
