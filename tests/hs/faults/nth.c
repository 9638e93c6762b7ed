/* nth CALL[,CALL...] ERROR N EVERY PROGRAM [ARGUMENT...]: run a program of which one system call fails, or some.
 *
 * The N-th of these calls fails with ERROR, a number, and after it every EVERY-th (0: none), whichever thread makes it.
 * Not counted is what happens before the program handles SIGBUS: until then the linker and the runtime are at work; and
 * wake-ups by futex(2), which cannot fail.
 * How many were counted is written to the file that NTH_COUNT names, so that whoever wants each of them to fail once
 * knows when to stop.
 *
 * The kernel asks the parent about each call (seccomp_unotify(2)), so that calls made without the C library count too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} calls[] = {
    {"openat", SYS_openat}, {"openat2", SYS_openat2}, {"getdents64", SYS_getdents64}, {"read", SYS_read},
    {"preadv2", SYS_preadv2}, {"pread64", SYS_pread64}, {"write", SYS_write}, {"fstat", SYS_fstat},
    {"newfstatat", SYS_newfstatat}, {"statx", SYS_statx}, {"fstatfs", SYS_fstatfs}, {"fcntl", SYS_fcntl},
    {"mmap", SYS_mmap}, {"munmap", SYS_munmap}, {"clone3", SYS_clone3}, {"ppoll", SYS_ppoll}, {"futex", SYS_futex},
#ifdef SYS_poll
    {"poll", SYS_poll}, {"readlink", SYS_readlink}, {"access", SYS_access}, {"mkdir", SYS_mkdir},
    {"rename", SYS_rename}, {"unlink", SYS_unlink}, {"rmdir", SYS_rmdir},
#endif
    {"faccessat", SYS_faccessat}, {"mkdirat", SYS_mkdirat}, {"renameat2", SYS_renameat2}, {"unlinkat", SYS_unlinkat},
    {"fsync", SYS_fsync}, {"fdatasync", SYS_fdatasync}, {"syncfs", SYS_syncfs}, {"fchmod", SYS_fchmod},
    {"fchown", SYS_fchown}, {"utimensat", SYS_utimensat}, {"flistxattr", SYS_flistxattr},
    {"fgetxattr", SYS_fgetxattr}, {"fsetxattr", SYS_fsetxattr}, {"copy_file_range", SYS_copy_file_range},
    {"sendfile", SYS_sendfile}, {"splice", SYS_splice}, {"flock", SYS_flock}, {"ftruncate", SYS_ftruncate},
    {"sync_file_range", SYS_sync_file_range}, {"fallocate", SYS_fallocate},
#ifdef SYS_renameat
    {"renameat", SYS_renameat},
#endif
    {"readlinkat", SYS_readlinkat}, {"getcwd", SYS_getcwd}, {"ioctl", SYS_ioctl}, {"membarrier", SYS_membarrier},
    {"lseek", SYS_lseek}, {"prlimit64", SYS_prlimit64}, {"sched_getaffinity", SYS_sched_getaffinity},
};

enum { CALLS = sizeof calls / sizeof *calls };

static void fail(const char *what) {
    perror(what);
    exit(100);
}

/* Have the kernel ask about the calls that `names` holds, and about handlers of SIGBUS. Gives where it asks. */
static int listen_to(const char *names) {
    struct sock_filter code[2 * CALLS + 8];
    unsigned short at = 0;
    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALLS; i++) {
        size_t length = strlen(calls[i].name);
        for (const char *name = names; name; name = strchr(name, ',')) {
            name += *name == ',';
            if (strncmp(name, calls[i].name, length) == 0 && (name[length] == ',' || !name[length])) {
                code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1);
                code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
            }
        }
    }
    if (at == 1) {
        fprintf(stderr, "nth: none of these calls is known: %s\n", names);
        exit(100);
    }
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 3);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGBUS, 0, 1);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {at, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        fail("prctl");
    }
    int asked = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    if (asked < 0) {
        fail("seccomp");
    }
    return asked;
}

/* Send a descriptor, or if it is -1, receive one. */
static int pass(int socket, int descriptor) {
    char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (descriptor < 0) {
        if (recvmsg(socket, &message, 0) != 1 || !(head = CMSG_FIRSTHDR(&message))) {
            fail("recvmsg");
        }
        memcpy(&descriptor, CMSG_DATA(head), sizeof(int));
        return descriptor;
    }
    *head = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
    if (sendmsg(socket, &message, 0) != 1) {
        fail("sendmsg");
    }
    return descriptor;
}

/* Answer until nobody asks any more. Gives how many calls were counted. */
static long answer(int asked, int error, long n, long every) {
    long counted = 0;
    int handlers = 0;
    struct pollfd wait = {asked, POLLIN, 0};
    while (poll(&wait, 1, -1) > 0 && !(wait.revents & POLLHUP)) {
        struct seccomp_notif question = {0};
        struct seccomp_notif_resp reply = {0};
        if (ioctl(asked, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) {
            continue; /* Who asked is gone. */
        }
        int fails = 0, futex = question.data.args[1] & FUTEX_CMD_MASK;
        int wakes = question.data.nr == SYS_futex && futex != FUTEX_WAIT && futex != FUTEX_WAIT_BITSET;
        if (question.data.nr == SYS_rt_sigaction) {
            handlers += question.data.args[1] != 0;
        } else if (handlers > 0 && !wakes) {
            counted++;
            fails = counted == n || (every && counted > n && (counted - n) % every == 0);
        }
        reply.id = question.id;
        reply.error = fails ? -error : 0;
        reply.flags = fails ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        ioctl(asked, SECCOMP_IOCTL_NOTIF_SEND, &reply);
    }
    return counted;
}

int main(int argc, char **argv) {
    int sockets[2], status;
    if (argc < 6) {
        fputs("usage: nth CALL[,CALL...] ERROR N EVERY PROGRAM [ARGUMENT...]\n", stderr);
        return 100;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        fail("socketpair");
    }
    pid_t child = fork();
    if (child < 0) {
        fail("fork");
    }
    if (child == 0) {
        int asked = listen_to(argv[1]);
        pass(sockets[0], asked);
        close(asked);
        execvp(argv[5], argv + 5);
        fail(argv[5]);
    }
    close(sockets[0]);
    long counted = answer(pass(sockets[1], -1), atoi(argv[2]), atol(argv[3]), atol(argv[4]));
    if (waitpid(child, &status, 0) != child) {
        fail("waitpid");
    }
    FILE *count = getenv("NTH_COUNT") ? fopen(getenv("NTH_COUNT"), "w") : NULL;
    if (count) {
        fprintf(count, "%ld\n", counted);
        fclose(count);
    }
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
