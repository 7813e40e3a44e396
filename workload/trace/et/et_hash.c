/* MurmurHash3 x64 128 over a stream; see et_hash.h. */
#include "workload/trace/et/et_hash.h"

#include <string.h>

enum { BLOCK_BYTES = 16 };

static const uint64_t c1 = UINT64_C(0x87C37B91114253D5), c2 = UINT64_C(0x4CF5AD432745937F);

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static uint64_t load(const unsigned char *bytes)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < 8; i++) {
        x |= (uint64_t)bytes[i] << (8 * i);
    }
    return x;
}

static uint64_t mix_low(uint64_t k)
{
    return rotate(k * c1, 31) * c2;
}

static uint64_t mix_high(uint64_t k)
{
    return rotate(k * c2, 33) * c1;
}

static void add_block(struct et_hash *hash, const unsigned char *block)
{
    hash->low = rotate(hash->low ^ mix_low(load(block)), 27) + hash->high;
    hash->low = hash->low * 5 + 0x52DCE729;
    hash->high = rotate(hash->high ^ mix_high(load(block + 8)), 31) + hash->low;
    hash->high = hash->high * 5 + 0x38495AB5;
}

void orr_et_hash_add(struct et_hash *hash, const void *data, size_t count)
{
    const unsigned char *bytes = data;
    const size_t held = hash->bytes % BLOCK_BYTES;
    hash->bytes += count;
    if (held != 0) {
        const size_t more = count < BLOCK_BYTES - held ? count : BLOCK_BYTES - held;
        memcpy(hash->tail + held, bytes, more);
        bytes += more;
        count -= more;
        if (held + more < BLOCK_BYTES) {
            return;
        }
        add_block(hash, hash->tail);
    }
    for (; count >= BLOCK_BYTES; bytes += BLOCK_BYTES, count -= BLOCK_BYTES) {
        add_block(hash, bytes);
    }
    if (count != 0) {
        memcpy(hash->tail, bytes, count);
    }
}

static uint64_t finish(uint64_t k)
{
    k = (k ^ k >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    k = (k ^ k >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return k ^ k >> 33;
}

void orr_et_hash_end(struct et_hash *hash)
{
    const size_t held = hash->bytes % BLOCK_BYTES;
    memset(hash->tail + held, 0, BLOCK_BYTES - held);
    if (held != 0) {
        hash->high ^= mix_high(load(hash->tail + 8));
        hash->low ^= mix_low(load(hash->tail));
    }
    hash->low ^= hash->bytes;
    hash->high ^= hash->bytes;
    hash->low += hash->high;
    hash->high += hash->low;
    hash->low = finish(hash->low);
    hash->high = finish(hash->high);
    hash->low += hash->high;
    hash->high += hash->low;
}
