/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An ELF file as an address space for the core: as if its PT_LOADs were loaded
 * where they say, with a bias of 0. Nothing runs in it; its unwind data is
 * what is of interest.
 *
 * The file is foreign: bytes that are asked for are read with pread(), block by
 * block, and kept. A mapping of the file would end the program with SIGBUS
 * when somebody truncates it, and would change under the reader's hands;
 * reading all of it would read gigabytes of debug information for nothing.
 */
#ifndef UC_IMAGE_H
#define UC_IMAGE_H

#include <stddef.h>

#include "uc_debugframe.h"
#include "uc_types.h"

#define UC_IMAGE_LOADS UC_PHDRS_MAX

/* Sections by name; what a file has more than once counts at its first. */
enum uc_image_section_id {
	UC_IMAGE_EH_FRAME,
	UC_IMAGE_EH_FRAME_HDR,
	UC_IMAGE_SFRAME,
	UC_IMAGE_DEBUG_FRAME,
	UC_IMAGE_SECTIONS
};

/* As section headers say, if they agree with file and segments; size is 0 if
 * there is no such section. .debug_frame is never loaded: its addr is 0, and
 * uc_image_debugframe() reads it, from separate files, too. */
struct uc_image_section {
	u64 addr, off, size;
};

struct uc_image; /* a file that is open */

/**
 * uc_image_open() - open a program or library
 * @path: file; anything but a regular file is refused unopened
 * @ret:  the image, to be freed by uc_image_free()
 * @err:  receives a sentence that names the file, on failure
 *
 * Return: 0; -ENOEXEC if the file is not ELF or of no use as one; -ENOTSUP for
 * relocatable files, whose addresses are not known yet, for core dumps, and for
 * machines that the core does not know; or another negative errno.
 */
int uc_image_open(const char *path, struct uc_image **ret, char *err, size_t err_size);
/* The same of bytes, which are borrowed until the image is freed. */
int uc_image_open_memory(const void *data, size_t size, const char *name, struct uc_image **ret,
			 char *err, size_t err_size);
void uc_image_free(struct uc_image *img);

/* For messages: the path that it was opened by. */
const char *uc_image_name(const struct uc_image *img);
enum uc_abi_id uc_image_abi(const struct uc_image *img);
/* Bytes of the file. */
u64 uc_image_size(const struct uc_image *img);
/* The image's until it is freed. */
const struct uc_memory *uc_image_memory(const struct uc_image *img);
const struct uc_image_section *uc_image_section(const struct uc_image *img,
						enum uc_image_section_id id);
/* ".eh_frame" */
const char *uc_image_section_name(enum uc_image_section_id id);

/* Where code is, by address: executable segments' bytes in the file, and
 * executable sections, of which there are none without section headers. Sorted;
 * what overlaps or touches is one. The image's. */
const struct uc_code_range *uc_image_code(const struct uc_image *img, size_t *ret_nr);
const struct uc_code_range *uc_image_code_sections(const struct uc_image *img, size_t *ret_nr);

/*
 * .debug_frame of the file or of its separate debug file; looked for when it is
 * first asked for. NULL if there is none that can be read, with the reason in
 * ret_rc, which may be NULL: as uc_debugframe_open() says. The image's.
 */
const struct uc_debugframe *uc_image_debugframe(const struct uc_image *img, int *ret_rc);

/**
 * uc_image_walk() - set up a walk over the image
 * @img: must live as long as the walk is used
 * @w:   all of it is set: the ABI, the memory, and the module as
 *       uc_module_find() would, but for the whole file at once, and with
 *       .eh_frame where a section header alone names it
 *
 * w->sec is .eh_frame, bounded by its section header if it has one.
 *
 * Return: 0; UNCOIL_STOP_NO_SECTION if there is no .eh_frame (.sframe may be
 * there all the same: w->mod.sframe); UNCOIL_STOP_MALFORMED if
 * .eh_frame_hdr is, with w->flaw and w->stop_addr: live walks refuse
 * .eh_frame then. w->mod.lo tells whether .eh_frame was found without it.
 */
int uc_image_walk(const struct uc_image *img, struct uc_walk *w);

/* Read bytes of the image; all or nothing. 0 or -EFAULT. */
int uc_image_read(const struct uc_image *img, u64 addr, void *dst, u32 len);

#endif
