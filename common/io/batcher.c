/* batcher.c - two lists, a mutex, a condition and a uv_async */
#include "common/io/batcher.h"

#include "common/base/err.h"
#include "common/base/mem.h"

struct queue {
	struct batch_item *first, **end;
};

struct batcher {
	uv_thread_t thread;
	uv_mutex_t mutex;
	uv_cond_t cond;
	uv_async_t async;
	batch_fn *work, *done;
	void *arg;
	void (*on_closed)(void *arg);
	uint32_t gather_us;
	uint32_t inside;      /* the loop's */
	struct queue in, out; /* under the mutex */
	int closing, over;    /* under the mutex */
};

static struct batch_item *take_all(struct queue *q)
{
	struct batch_item *list = q->first;

	q->first = NULL;
	q->end = &q->first;
	return list;
}

static void append(struct queue *q, struct batch_item *list)
{
	*q->end = list;
	while (*q->end)
		q->end = &(*q->end)->next;
}

/* Whoever closes does not wait. */
static void gather(struct batcher *b)
{
	uint64_t until = uv_hrtime() + b->gather_us * 1000ull, now = uv_hrtime();

	while (b->gather_us && !b->closing && now < until) {
		uv_cond_timedwait(&b->cond, &b->mutex, until - now);
		now = uv_hrtime();
	}
}

static void run(void *arg)
{
	struct batcher *b = arg;
	struct batch_item *list;

	uv_mutex_lock(&b->mutex);
	for (;;) {
		while (!b->in.first && !b->closing)
			uv_cond_wait(&b->cond, &b->mutex);
		gather(b);
		list = take_all(&b->in);
		if (!list)
			break;
		uv_mutex_unlock(&b->mutex);
		b->work(b->arg, list);
		uv_mutex_lock(&b->mutex);
		append(&b->out, list);
		uv_async_send(&b->async);
	}
	b->over = 1;
	uv_async_send(&b->async);
	uv_mutex_unlock(&b->mutex);
}

static void on_async_closed(uv_handle_t *h)
{
	struct batcher *b = h->data;

	uv_mutex_destroy(&b->mutex);
	uv_cond_destroy(&b->cond);
	if (b->on_closed)
		b->on_closed(b->arg);
	mem_free(b);
}

static void on_async(uv_async_t *h)
{
	struct batcher *b = h->data;
	struct batch_item *list, *i;
	int over;

	uv_mutex_lock(&b->mutex);
	list = take_all(&b->out);
	over = b->over;
	uv_mutex_unlock(&b->mutex);
	for (i = list; i; i = i->next)
		b->inside--;
	if (list)
		b->done(b->arg, list);
	if (over && !uv_is_closing((uv_handle_t *)h)) {
		uv_thread_join(&b->thread);
		uv_close((uv_handle_t *)h, on_async_closed);
	}
}

int batcher_new(uv_loop_t *loop, batch_fn *work, batch_fn *done, void *arg,
		uint32_t gather_us, struct batcher **ret)
{
	struct batcher *b = mem_alloc(1, sizeof *b);

	if (!b)
		return ERR_NOMEM;
	b->work = work;
	b->done = done;
	b->arg = arg;
	b->gather_us = gather_us;
	take_all(&b->in);
	take_all(&b->out);
	uv_async_init(loop, &b->async, on_async);
	b->async.data = b;
	uv_mutex_init(&b->mutex);
	uv_cond_init(&b->cond);
	if (uv_thread_create(&b->thread, run, b)) {
		uv_close((uv_handle_t *)&b->async, on_async_closed);
		return ERR_NOMEM;
	}
	*ret = b;
	return 0;
}

void batcher_put(struct batcher *b, struct batch_item *item)
{
	item->next = NULL;
	b->inside++;
	uv_mutex_lock(&b->mutex);
	if (!b->in.first) /* else it is awake already, or gathering */
		uv_cond_signal(&b->cond);
	append(&b->in, item);
	uv_mutex_unlock(&b->mutex);
}

uint32_t batcher_inside(const struct batcher *b)
{
	return b->inside;
}

void batcher_close(struct batcher *b, void (*on_closed)(void *arg))
{
	b->on_closed = on_closed;
	uv_mutex_lock(&b->mutex);
	b->closing = 1;
	uv_cond_signal(&b->cond);
	uv_mutex_unlock(&b->mutex);
}
