/* Stands before the C library (LD_PRELOAD) and makes reads and clocks misbehave.
 *
 *   SHIM_SHORT=N   a read gives N bytes at most
 *   SHIM_SIGNAL=N  every N-th read is interrupted by a signal
 *   SHIM_FAIL=N    the N-th read of more than a page, and all after it, fail with EIO
 *   SHIM_CLOCK=1   every look at a clock, monotonic ones too, jumps by up to an hour in either direction
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long setting(const char *name) {
    const char *value = getenv(name);
    return value ? atol(value) : 0;
}

ssize_t read(int fd, void *into, size_t count) {
    static ssize_t (*next)(int, void *, size_t);
    static atomic_long reads, large;
    if (!next) {
        next = dlsym(RTLD_NEXT, "read");
    }
    long most = setting("SHIM_SHORT"), every = setting("SHIM_SIGNAL"), fail = setting("SHIM_FAIL");
    if (every && ++reads % every == 0) {
        errno = EINTR;
        return -1;
    }
    if (fail && count > 4096 && ++large >= fail) {
        errno = EIO;
        return -1;
    }
    return next(fd, into, most && count > (size_t)most ? (size_t)most : count);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    static atomic_uint random = 1;
    if (!next) {
        next = dlsym(RTLD_NEXT, "clock_gettime");
    }
    int result = next(clock, now);
    if (result == 0 && setting("SHIM_CLOCK")) {
        unsigned drawn = random = random * 1103515245u + 12345u;
        now->tv_sec += (long)(drawn >> 16) % 7200 - 3600;
        if (now->tv_sec < 0) {
            now->tv_sec = 0;
        }
    }
    return result;
}
