/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memo.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64 /* a power of two */
#define BLOCK_SIZE 32768

/* An entry, its value and the words of its sets lie in blocks. */
struct memo_block {
	struct memo_block *before;
	size_t used, size;
	max_align_t bytes[];
};

struct memo_entry {
	uint64_t hash;
	struct tb_memo_key key;
	struct tb_bitset cores; /* what key.cores points to */
	max_align_t value[];
};

struct tb_memo {
	size_t value_size;
	struct memo_block *blocks;
	struct memo_entry *
		*slots; /* NULL: free; at most half of them are taken */
	size_t nslots, count;
	size_t block_bytes;
};

static size_t count_set_words(const struct tb_bitset *set)
{
	return (set->nbits + 63) / 64;
}

void *tb_memo_keep(struct tb_memo *memo, size_t size)
{
	struct memo_block *block = memo->blocks;
	char *bytes;

	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) *
	       sizeof(max_align_t);
	if (!block || block->size - block->used < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;

		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		block->before = memo->blocks;
		block->used = 0;
		block->size = room;
		memo->block_bytes += sizeof(*block) + room;
		memo->blocks = block;
	}
	bytes = (char *)block->bytes + block->used;
	block->used += size;
	return memset(bytes, 0, size);
}

struct tb_memo *tb_memo_create(size_t value_size)
{
	struct tb_memo *memo = calloc(1, sizeof(*memo));

	if (!memo)
		return NULL;
	memo->value_size = value_size;
	memo->nslots = FIRST_SLOTS;
	memo->slots = calloc(memo->nslots, sizeof(struct memo_entry *));
	if (memo->slots)
		return memo;
	free(memo);
	return NULL;
}

void tb_memo_destroy(struct tb_memo *memo)
{
	if (!memo)
		return;
	while (memo->blocks) {
		struct memo_block *before = memo->blocks->before;

		free(memo->blocks);
		memo->blocks = before;
	}
	free(memo->slots);
	free(memo);
}

size_t tb_memo_size(const struct tb_memo *memo)
{
	return sizeof(*memo) + memo->nslots * sizeof(struct memo_entry *) +
	       memo->block_bytes;
}

static uint64_t mix_hash(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

static uint64_t hash_key(const struct tb_memo_key *key)
{
	uint64_t hash = mix_hash(key->shape, (uintptr_t)key->filter);

	for (unsigned i = 0; i < TB_MEMO_NUMBERS; i++)
		hash = mix_hash(hash, key->numbers[i]);
	for (size_t i = 0; i < count_set_words(key->cores); i++)
		hash = mix_hash(hash, key->cores->words[i]);
	return hash;
}

static bool entry_has_key(const struct memo_entry *entry,
			  const struct tb_memo_key *key, uint64_t hash)
{
	return entry->hash == hash && entry->key.shape == key->shape &&
	       entry->key.filter == key->filter &&
	       !memcmp(entry->key.numbers, key->numbers,
		       sizeof(key->numbers)) &&
	       entry->cores.nbits == key->cores->nbits &&
	       tb_bitset_equal(&entry->cores, key->cores);
}

/* Where the key is, or would be. */
static struct memo_entry **find_slot(const struct tb_memo *memo,
				     const struct tb_memo_key *key,
				     uint64_t hash)
{
	size_t at = hash & (memo->nslots - 1);

	while (memo->slots[at] && !entry_has_key(memo->slots[at], key, hash))
		at = (at + 1) & (memo->nslots - 1);
	return &memo->slots[at];
}

static bool grow_slots(struct tb_memo *memo)
{
	struct memo_entry **old = memo->slots;
	size_t nold = memo->nslots;

	memo->slots = calloc(2 * nold, sizeof(struct memo_entry *));
	if (!memo->slots) {
		memo->slots = old;
		return false;
	}
	memo->nslots = 2 * nold;
	for (size_t i = 0; i < nold; i++)
		if (old[i])
			*find_slot(memo, &old[i]->key, old[i]->hash) = old[i];
	free(old);
	return true;
}

bool tb_memo_make_set(struct tb_memo *memo, struct tb_bitset *set)
{
	set->words = tb_memo_keep(memo,
				  count_set_words(set) * sizeof(*set->words));
	return set->words;
}

static struct memo_entry *create_memo_entry(struct tb_memo *memo,
					    const struct tb_memo_key *key,
					    uint64_t hash)
{
	struct memo_entry *entry = tb_memo_keep(memo, sizeof(*entry) +
							      memo->value_size);

	if (!entry)
		return NULL;
	entry->hash = hash;
	entry->key = *key;
	entry->cores.nbits = key->cores->nbits;
	if (!tb_memo_make_set(memo, &entry->cores))
		return NULL;
	tb_bitset_assign(&entry->cores, key->cores);
	entry->key.cores = &entry->cores;
	return entry;
}

void *tb_memo_find(struct tb_memo *memo, const struct tb_memo_key *key,
		   bool *is_new)
{
	uint64_t hash = hash_key(key);
	struct memo_entry **slot = find_slot(memo, key, hash);

	*is_new = !*slot;
	if (*slot)
		return (*slot)->value;
	if (2 * (memo->count + 1) > memo->nslots) {
		if (!grow_slots(memo))
			return NULL;
		slot = find_slot(memo, key, hash);
	}
	*slot = create_memo_entry(memo, key, hash);
	if (!*slot)
		return NULL;
	memo->count++;
	return (*slot)->value;
}
