/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decompression of foreign bytes, whole and in memory. Some hundred bytes can
 * unpack to gigabytes, so the caller says what is the most that it takes.
 */
#ifndef UC_UNPACK_H
#define UC_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Fill all @out_size bytes of @out, no more and no less. 0, -EBADMSG if @in is
 * malformed or of another size, or -ENOMEM.
 */
int uc_unpack_zlib(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size);
int uc_unpack_zstd(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size);

/*
 * An .xz file, which need not say its size beforehand. @ret is for the caller
 * to free(). 0, -EBADMSG, -EFBIG if there is more than @limit, or -ENOMEM.
 */
int uc_unpack_xz(const uint8_t *in, size_t in_size, size_t limit, uint8_t **ret, size_t *ret_size);

#endif
