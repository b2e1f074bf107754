/* chat_reply.h - what a 200 of a chat completions endpoint holds
 *
 * Servers differ in almost all of it: usage absent, null or empty; content null while
 * the text went into a reasoning field; an event stream though none was asked for; an
 * error object under a 200. Pure, for tests and fuzzing.
 *
 * Memory: what `ret` points to lives in `a` or in `body`.
 * Source: OpenAI's openapi.yaml, and what vLLM, llama.cpp, SGLang, Ollama, DeepSeek and
 *         gateways send.
 */
#ifndef CHAT_REPLY_H
#define CHAT_REPLY_H

#include "common/base/arena.h"
#include "proto/chat_out.h"

/* 0, or ERR_PROTO: no chat completion; then *ret_error is the JSON text of the error
 * object found, empty if none. prompt_bytes is for the estimate of usage. */
int chat_reply_read(struct view content_type, struct view body, size_t prompt_bytes,
		    struct arena *a, struct chat_out *ret, struct view *ret_error,
		    struct err *e);

#endif
