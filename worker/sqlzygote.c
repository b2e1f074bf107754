/* sqlzygote.c - see sqlzygote.h */
#include "worker/sqlzygote.h"

#include "common/base/mem.h"
#include "worker/sqlchild.h"
#include "worker/sqlwire.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct sqlzygote {
	int control;
	pid_t pid;
	struct sqlwire_slot *slot; /* SQLZYGOTE_CHILDREN of them, shared with all */
};

enum order_kind { ORDER_SPAWN, ORDER_KILL };

struct order {
	uint32_t kind, place;
	pid_t pid;
	uint64_t address_space;
};

/* ---- in the zygote ---- */

struct nursery {
	int control, signals;
	pid_t parent;
	const struct sqlchild_call *calls;
	size_t n_calls;
	struct sqlwire_slot *slot;
	pid_t pid[SQLZYGOTE_CHILDREN]; /* 0: no child */
};

/* Nothing of the worker's environment is a child's business, its keys least of all. */
static void forget_environment(void)
{
	for (char **v = environ; v && *v; v++)
		memset(*v, 0, strlen(*v));
}

/* If nobody listens any more, obey() finds out. */
static void tell(const struct nursery *y, struct sqlzygote_news news)
{
	send(y->control, &news, sizeof news, MSG_NOSIGNAL);
}

static _Noreturn void be_child(const struct nursery *y, const struct order *o,
			       int socket)
{
	struct sqlchild_start start = { .socket = 3,
					.slot = &y->slot[o->place],
					.calls = y->calls,
					.n_calls = y->n_calls,
					.address_space = o->address_space };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "mapfleet-sql");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (socket != 3)
		dup2(socket, 3);
	fcntl(3, F_SETFD, 0);
	close_range(4, ~0u, 0);
	sqlchild_main(&start);
}

static void evict(struct nursery *y, uint32_t place)
{
	pid_t pid = y->pid[place];
	int status = 0;

	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	y->pid[place] = 0;
	tell(y, (struct sqlzygote_news){ place, pid, 1, status });
}

static void spawn(struct nursery *y, const struct order *o, int socket)
{
	pid_t pid;

	if (socket < 0 || o->place >= SQLZYGOTE_CHILDREN)
		return;
	if (y->pid[o->place]) /* another pool's, which is gone */
		evict(y, o->place);
	atomic_store(&y->slot[o->place].running, 0);
	atomic_store(&y->slot[o->place].skip, 0);
	pid = fork();
	if (pid == 0)
		be_child(y, o, socket);
	close(socket);
	if (pid < 0) {
		tell(y, (struct sqlzygote_news){ o->place, 0, 1, -errno });
		return;
	}
	y->pid[o->place] = pid;
	tell(y, (struct sqlzygote_news){ o->place, pid, 0, 0 });
}

static void kill_if_ours(const struct nursery *y, pid_t pid)
{
	for (size_t i = 0; i < SQLZYGOTE_CHILDREN; i++)
		if (pid > 0 && y->pid[i] == pid)
			kill(pid, SIGKILL);
}

static int fd_in(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof fd);
	return fd;
}

/* 0 when the worker is gone. */
static int obey(struct nursery *y)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct order o = { 0 };
	struct iovec v = { &o, sizeof o };
	struct msghdr m = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof control };
	ssize_t n = recvmsg(y->control, &m, MSG_CMSG_CLOEXEC);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n != sizeof o)
		return 0;
	if (o.kind == ORDER_SPAWN)
		spawn(y, &o, fd_in(&m));
	else
		kill_if_ours(y, o.pid);
	return 1;
}

static void reap(struct nursery *y)
{
	struct signalfd_siginfo ignored;
	int status;
	pid_t pid;

	while (read(y->signals, &ignored, sizeof ignored) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (uint32_t i = 0; i < SQLZYGOTE_CHILDREN; i++)
			if (y->pid[i] == pid) {
				y->pid[i] = 0;
				tell(y, (struct sqlzygote_news){ i, pid, 1, status });
			}
}

static void end_all(const struct nursery *y)
{
	for (size_t i = 0; i < SQLZYGOTE_CHILDREN; i++)
		if (y->pid[i])
			kill(y->pid[i], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static int open_signals(void)
{
	sigset_t child;

	/* Ctrl-C goes to the whole group; when to stop is the worker's to say. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
	return signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
}

static _Noreturn void be_zygote(struct nursery *y)
{
	struct pollfd p[2];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "mapfleet-zygote");
	if (getppid() != y->parent)
		_exit(0);
	y->signals = open_signals();
	forget_environment();
	if (y->signals < 0 || sqlchild_setup(NULL))
		_exit(1);
	p[0] = (struct pollfd){ .fd = y->control, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = y->signals, .events = POLLIN };
	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (p[1].revents)
			reap(y);
		if (p[0].revents && !obey(y))
			break;
	}
	end_all(y);
	_exit(0);
}

/* ---- in the worker ---- */

static int share_slots(struct sqlwire_slot **ret)
{
	void *p = mmap(NULL, SQLZYGOTE_CHILDREN * sizeof **ret, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return ERR_NOMEM;
	*ret = p;
	return 0;
}

static void begin_life(struct nursery *y, int mine, int theirs)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	close(mine);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		close(null);
	}
	y->control = theirs;
	be_zygote(y);
}

int sqlzygote_start(const struct sqlchild_call *calls, size_t n, struct sqlzygote **ret,
		    struct err *e)
{
	struct nursery y = { .parent = getpid(), .calls = calls, .n_calls = n };
	struct sqlzygote *z = mem_alloc(1, sizeof *z);
	int pair[2];

	if (!z || share_slots(&z->slot)) {
		mem_free(z);
		return err_set(e, ERR_NOMEM, "no memory for the SQL zygote");
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		munmap(z->slot, SQLZYGOTE_CHILDREN * sizeof *z->slot);
		mem_free(z);
		return err_set(e, ERR_SANDBOX, "socketpair: %s", strerror(errno));
	}
	y.slot = z->slot;
	z->pid = fork();
	if (z->pid == 0)
		begin_life(&y, pair[0], pair[1]);
	close(pair[1]);
	z->control = pair[0];
	fcntl(z->control, F_SETFL, O_NONBLOCK);
	*ret = z;
	if (z->pid > 0)
		return 0;
	err_set(e, ERR_SANDBOX, "fork: %s", strerror(errno));
	sqlzygote_stop(ret);
	return ERR_SANDBOX;
}

void sqlzygote_stop(struct sqlzygote **z_)
{
	struct sqlzygote *z = *z_;

	if (!z)
		return;
	close(z->control); /* the zygote ends its children and itself */
	if (z->pid > 0)
		while (waitpid(z->pid, NULL, 0) < 0 && errno == EINTR)
			;
	munmap(z->slot, SQLZYGOTE_CHILDREN * sizeof *z->slot);
	mem_free(z);
	*z_ = NULL;
}

int sqlzygote_fd(const struct sqlzygote *z)
{
	return z->control;
}

static int give_order(struct sqlzygote *z, struct order o, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec v = { &o, sizeof o };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	struct cmsghdr *c;
	ssize_t n;

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof control;
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof fd);
	}
	do
		n = sendmsg(z->control, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == sizeof o ? 0 : ERR_SANDBOX;
}

int sqlzygote_spawn(struct sqlzygote *z, uint32_t place, int socket,
		    uint64_t address_space)
{
	assert(place < SQLZYGOTE_CHILDREN);
	return give_order(z, (struct order){ ORDER_SPAWN, place, 0, address_space },
			  socket);
}

void sqlzygote_kill(struct sqlzygote *z, pid_t pid)
{
	give_order(z, (struct order){ ORDER_KILL, 0, pid, 0 }, -1);
}

int sqlzygote_read(struct sqlzygote *z, struct sqlzygote_news *ret)
{
	struct sqlzygote_news news;
	ssize_t n;

	do
		n = recv(z->control, &news, sizeof news, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n != sizeof news)
		return -1;
	*ret = news;
	return 1;
}

uint64_t sqlzygote_running(const struct sqlzygote *z, uint32_t place)
{
	assert(place < SQLZYGOTE_CHILDREN);
	return atomic_load(&z->slot[place].running);
}

void sqlzygote_skip(struct sqlzygote *z, uint32_t place, uint64_t up_to)
{
	assert(place < SQLZYGOTE_CHILDREN);
	atomic_store(&z->slot[place].skip, up_to);
}
