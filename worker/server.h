/* server.h - the model server of one role, opened when the first task wants it
 *
 * Where it is and how hard it may be pushed are the sweep's settings, which the broker
 * tells; what is particular to the role (its path, the flags for advice) is the
 * caller's.
 *
 * Memory:  the caller's struct, zeroed; its endpoint is freed once chat is closed.
 * Errors:  those of http_open(), endpoint_new() and chat_open().
 * Threads: the loop's.
 */
#ifndef SERVER_H
#define SERVER_H

#include "common/io/http.h"
#include "proto/settings.h"
#include "worker/chat.h"
#include "worker/endpoint.h"

struct server {
	struct endpoint *endpoint;
	struct chat *chat; /* NULL: not opened */
};

/* Opens it where it is not open; *http is shared by all roles, and opened by the
 * first. */
int server_open(struct server *s, uv_loop_t *loop, struct http **http,
		const struct settings *all, const struct settings_role *role,
		struct endpoint_settings how, struct err *e);

#endif
