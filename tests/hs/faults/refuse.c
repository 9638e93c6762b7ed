/* refuse WHAT PROGRAM [ARGUMENT...]: run a program whose system calls of one kind fail, whoever makes them.
 *
 * A filter (seccomp(2)) answers in the kernel's place, so that calls made without the C library fail as well. What is
 * refused, and with which error, is one of the rows below.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct row {
    const char *name;
    unsigned call;
    int error;
    int argument;      /* only if this argument... */
    unsigned bits;     /* ...has any of these bits; -1: always */
};

static const struct row rows[] = {
    {"list", SYS_getdents64, EIO, -1, 0},
    {"threads", SYS_clone, EAGAIN, -1, 0},
    {"threads", SYS_clone3, EAGAIN, -1, 0},
    {"open-dirs", SYS_openat, EIO, 2, O_DIRECTORY},
    {"open-dirs", SYS_openat2, ENOSYS, -1, 0},
    /* The dynamic linker reads less than a page at a time. */
    {"read", SYS_read, EIO, 2, ~0xfffu},
    {"read", SYS_preadv2, EOPNOTSUPP, -1, 0},
    {"new-calls", SYS_openat2, ENOSYS, -1, 0},
    {"new-calls", SYS_preadv2, ENOSYS, -1, 0},
    {"sandbox", SYS_openat2, EPERM, -1, 0},
    {"sandbox", SYS_preadv2, EPERM, -1, 0},
    {"sandbox", SYS_membarrier, EPERM, -1, 0},
    {"sandbox", SYS_sched_getaffinity, EPERM, -1, 0},
    {"sandbox", SYS_fstatfs, EPERM, -1, 0},
    {"sandbox", SYS_prlimit64, EPERM, -1, 0},
};

enum { ROWS = sizeof rows / sizeof *rows };

int main(int argc, char **argv) {
    struct sock_filter code[8 * ROWS + 2];
    unsigned short at = 0;
    if (argc < 3) {
        fputs("usage: refuse WHAT PROGRAM [ARGUMENT...]\n", stderr);
        return 100;
    }
    for (int i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        if (strcmp(row->name, argv[1]) != 0) {
            continue;
        }
        unsigned char past = row->argument < 0 ? 1 : 3;
        code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, row->call, 0, past);
        if (row->argument >= 0) {
            unsigned low = offsetof(struct seccomp_data, args) + 8 * row->argument;
            code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low);
            code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, row->bits, 0, 1);
        }
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | row->error);
    }
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {at, code};
    if (at == 1 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("refuse");
        return 100;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 100;
}
