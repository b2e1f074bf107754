/* sqlbox.c - see sqlbox.h */
#include "worker/sqlbox.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* A limit that is lower already stays. */
static int limit(int what, uint64_t value, const char *name, struct err *e)
{
	struct rlimit l, now;

	if (getrlimit(what, &now) == 0 && now.rlim_max < value)
		value = now.rlim_max;
	l = (struct rlimit){ value, value };
	if (setrlimit(what, &l))
		return err_set(e, ERR_SANDBOX, "setrlimit(%s): %s", name,
			       strerror(errno));
	return 0;
}

#ifndef FLEET_SANITIZED
/* Bytes of address space in use; 0: the system does not tell. */
static uint64_t mapped(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long long pages = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%llu", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
#endif

static int limits(uint64_t address_space, struct err *e)
{
	int r = limit(RLIMIT_FSIZE, 0, "FSIZE", e);

	if (!r)
		r = limit(RLIMIT_CORE, 0, "CORE", e);
	if (!r)
		r = limit(RLIMIT_NOFILE, SQLBOX_FILES, "NOFILE", e);
#ifndef FLEET_SANITIZED
	if (!r && address_space)
		r = limit(RLIMIT_AS, mapped() + address_space, "AS", e);
#else
	(void)address_space;
#endif
	return r;
}

static const int plain[] = {
	SCMP_SYS(pread64),      SCMP_SYS(fstat),        SCMP_SYS(munmap),
	SCMP_SYS(mremap),       SCMP_SYS(brk),          SCMP_SYS(madvise),
	SCMP_SYS(futex),        SCMP_SYS(close),        SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday), SCMP_SYS(rt_sigreturn), SCMP_SYS(restart_syscall),
	SCMP_SYS(exit),         SCMP_SYS(exit_group),
#ifdef FLEET_SANITIZED
	SCMP_SYS(mmap),         SCMP_SYS(sigaltstack),  SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigaction), SCMP_SYS(sched_yield),  SCMP_SYS(gettid),
	SCMP_SYS(getpid),       SCMP_SYS(tgkill),       SCMP_SYS(readlink),
	SCMP_SYS(mprotect),     SCMP_SYS(getrandom),
#endif
};

/* Argument `n` is `value`. */
static struct scmp_arg_cmp is(unsigned n, uint64_t value)
{
	return (struct scmp_arg_cmp){ n, SCMP_CMP_EQ, value, 0 };
}

/* Argument `n` has, of the bits of `mask`, those of `value` only. */
static struct scmp_arg_cmp has(unsigned n, uint64_t mask, uint64_t value)
{
	return (struct scmp_arg_cmp){ n, SCMP_CMP_MASKED_EQ, mask, value };
}

/* Calls whose first argument must be `fd`. */
static int allow_on(scmp_filter_ctx f, int call, int fd)
{
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, call, 1, is(0, (uint64_t)fd));
}

static int rules(scmp_filter_ctx f, int socket)
{
	static const int talk[] = { SCMP_SYS(recvmsg), SCMP_SYS(sendmsg),
				    SCMP_SYS(sendto),  SCMP_SYS(recvfrom),
				    SCMP_SYS(read),    SCMP_SYS(write) };
	int r = 0;

	for (size_t i = 0; !r && i < sizeof plain / sizeof *plain; i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, plain[i], 0);
	for (size_t i = 0; !r && i < sizeof talk / sizeof *talk; i++)
		r = allow_on(f, talk[i], socket);
	if (!r) /* what an assert says */
		r = allow_on(f, SCMP_SYS(write), STDERR_FILENO);
#ifdef FLEET_SANITIZED
	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat), 1,
				     has(2, O_CREAT, 0));
#else
	if (!r) /* anonymous memory that is not executable */
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
				     has(2, PROT_EXEC, 0),
				     has(3, MAP_ANONYMOUS, MAP_ANONYMOUS));
	if (!r) /* malloc's heaps grow by it */
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
				     has(2, PROT_EXEC, 0));
#endif
	return r;
}

int sqlbox_enter(int socket, uint64_t address_space, struct err *e)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int r;

	if (!f)
		return err_set(e, ERR_SANDBOX, "seccomp_init failed");
	/* Some kernels forbid speculative stores to whoever has a filter, which costs a
	 * tenth of the time; there is no secret here to be guessed at. */
	seccomp_attr_set(f, SCMP_FLTATR_CTL_SSB, 1);
	r = rules(f, socket);
	if (r) {
		err_set(e, ERR_SANDBOX, "seccomp rule: %s", strerror(-r));
	} else {
		r = limits(address_space, e);
		if (!r && (r = seccomp_load(f)))
			err_set(e, ERR_SANDBOX, "seccomp filter refused: %s",
				strerror(-r));
	}
	seccomp_release(f);
	return r ? ERR_SANDBOX : 0;
}
