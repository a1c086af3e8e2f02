/* SPDX-License-Identifier: GPL-2.0-or-later */
/* key_words.c - options that are one word of a list */
#include "key.h"

#include <string.h>

#define WORDS_MAX 4 /* with the NULL after the last */

/* By the value of the field in its enum. */
static const char *const key_words[TB_REQUEST_KEYS][WORDS_MAX] = {
	[TB_REQUEST_KEY_TYPE] = { [TB_SLOT] = "slot", [TB_HOST] = "host" },
	[TB_REQUEST_KEY_EQUAL] = { [TB_EQUAL] = "yes", [TB_UNEQUAL] = "no" },
	[TB_REQUEST_KEY_STRATEGY] = { [TB_PACKED] = "packed",
				      [TB_LINEAR] = "linear",
				      [TB_SCATTER] = "scatter" },
	[TB_REQUEST_KEY_INSTANCE] = { [TB_SET] = "set",
				      [TB_ENV] = "env",
				      [TB_PE] = "pe" },
	[TB_REQUEST_KEY_MODE] = { [TB_HARD] = "hard", [TB_SOFT] = "soft" },
	[TB_REQUEST_KEY_ISOLATE] = { [false] = "no", [true] = "yes" },
};

bool tb_key_has_words(enum tb_request_key key)
{
	return key_words[key][0];
}

static int get_word(const struct tb_request *request, enum tb_request_key key)
{
	switch (key) {
	case TB_REQUEST_KEY_TYPE:
		return request->type;
	case TB_REQUEST_KEY_EQUAL:
		return request->equal;
	case TB_REQUEST_KEY_STRATEGY:
		return request->strategy;
	case TB_REQUEST_KEY_INSTANCE:
		return request->instance;
	case TB_REQUEST_KEY_ISOLATE:
		return request->isolate;
	default:
		return request->mode;
	}
}

static void set_word(struct tb_request *request, enum tb_request_key key,
		     int word)
{
	switch (key) {
	case TB_REQUEST_KEY_TYPE:
		request->type = (enum tb_type)word;
		break;
	case TB_REQUEST_KEY_EQUAL:
		request->equal = (enum tb_equal)word;
		break;
	case TB_REQUEST_KEY_STRATEGY:
		request->strategy = (enum tb_strategy)word;
		break;
	case TB_REQUEST_KEY_INSTANCE:
		request->instance = (enum tb_instance)word;
		break;
	case TB_REQUEST_KEY_ISOLATE:
		request->isolate = word;
		break;
	default:
		request->mode = (enum tb_hardness)word;
	}
}

int tb_key_read_word(struct tb_request *request, enum tb_request_key key,
		     const char *value, struct tb_error *err)
{
	const char *const *words = key_words[key];

	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], value) != 0)
			continue;
		set_word(request, key, i);
		return 0;
	}
	return tb_key_refuse(key, value, err);
}

/* What a site can say in its place (bmode and bisolate, as bmem) is none. */
bool tb_key_is_default_word(const struct tb_request *request,
			    enum tb_request_key key)
{
	return key != TB_REQUEST_KEY_MODE && key != TB_REQUEST_KEY_ISOLATE &&
	       get_word(request, key) == 0;
}

const char *tb_key_word(const struct tb_request *request,
			enum tb_request_key key)
{
	return key_words[key][get_word(request, key)];
}

const char *tb_instance_name(enum tb_instance instance)
{
	return key_words[TB_REQUEST_KEY_INSTANCE][instance];
}

const char *tb_mode_name(enum tb_hardness mode)
{
	return key_words[TB_REQUEST_KEY_MODE][mode];
}

bool tb_mode_read(const char *word, enum tb_hardness *mode)
{
	for (int i = TB_HARD; i <= TB_SOFT; i++)
		if (tb_text_is_word(word, strlen(word),
				    key_words[TB_REQUEST_KEY_MODE][i])) {
			*mode = (enum tb_hardness)i;
			return true;
		}
	return false;
}
