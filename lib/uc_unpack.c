/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_unpack.h"

#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define XZ_MEMORY (128u << 20) /* bytes for the decoder; xz -9 needs 65 MiB */
#define XZ_FIRST (64u << 10) /* bytes of the first buffer */

/* Old linkers put compressed sections one behind the other: so may streams be. */
int uc_unpack_zlib(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
	z_stream s = { .next_in = (Bytef *)in, .next_out = out };
	int rc;

	if (in_size > UINT_MAX || out_size > UINT_MAX)
		return -EBADMSG;
	s.avail_in = (uInt)in_size;
	s.avail_out = (uInt)out_size;
	if (inflateInit(&s) != Z_OK)
		return -ENOMEM;
	while ((rc = inflate(&s, Z_FINISH)) == Z_STREAM_END && s.avail_in && s.avail_out)
		if (inflateReset(&s) != Z_OK)
			break;
	inflateEnd(&s);
	if (rc == Z_MEM_ERROR)
		return -ENOMEM;
	return rc == Z_STREAM_END && !s.avail_out ? 0 : -EBADMSG;
}

int uc_unpack_zstd(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	size_t got;

	if (!ctx)
		return -ENOMEM;
	got = ZSTD_decompressDCtx(ctx, out, out_size, in, in_size);
	ZSTD_freeDCtx(ctx);
	return !ZSTD_isError(got) && got == out_size ? 0 : -EBADMSG;
}

/* Make room for more output, at most @limit and one byte that tells of more. */
static int grow(lzma_stream *s, uint8_t **buf, size_t *cap, size_t limit)
{
	size_t used = *buf ? (size_t)(s->next_out - *buf) : 0;
	size_t want = *cap ? 2 * *cap : XZ_FIRST;
	uint8_t *grown;

	if (used > limit)
		return -EFBIG;
	if (want > limit + 1)
		want = limit + 1;
	grown = realloc(*buf, want);
	if (!grown)
		return -ENOMEM;
	*buf = grown;
	*cap = want;
	s->next_out = grown + used;
	s->avail_out = want - used;
	return 0;
}

static int run_xz(lzma_stream *s, size_t limit, uint8_t **buf)
{
	size_t cap = 0;
	int err;

	for (;;) {
		if (!s->avail_out) {
			err = grow(s, buf, &cap, limit);
			if (err)
				return err;
		}
		switch (lzma_code(s, LZMA_FINISH)) {
		case LZMA_OK:
			break;
		case LZMA_STREAM_END:
			return s->total_out > limit ? -EFBIG : 0;
		case LZMA_MEM_ERROR:
			return -ENOMEM;
		case LZMA_MEMLIMIT_ERROR:
			return -EFBIG;
		default:
			return -EBADMSG;
		}
	}
}

int uc_unpack_xz(const uint8_t *in, size_t in_size, size_t limit, uint8_t **ret, size_t *ret_size)
{
	lzma_stream s = LZMA_STREAM_INIT;
	uint8_t *buf = NULL;
	int err;

	if (lzma_stream_decoder(&s, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
		return -ENOMEM;
	s.next_in = in;
	s.avail_in = in_size;
	err = run_xz(&s, limit, &buf);
	lzma_end(&s);
	if (err) {
		free(buf);
		return err;
	}
	*ret = buf;
	*ret_size = (size_t)s.total_out;
	return 0;
}
