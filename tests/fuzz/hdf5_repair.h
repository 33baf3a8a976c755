/* Makes a changed HDF5 file consistent again: checksums of superblock, headers and chunks, digests and seal are those of
 * the content, so that a fuzzer gets behind them to what believes the values. */
#ifndef TESTS_FUZZ_HDF5_REPAIR_H
#define TESTS_FUZZ_HDF5_REPAIR_H

#include <stddef.h>
#include <stdint.h>

void hdf5_repair(uint8_t *data, size_t size);

#endif
