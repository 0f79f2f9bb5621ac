/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_TESTS_FUZZ_H
#define MFTPUBSUB_TESTS_FUZZ_H

#include "content/node-id.h"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace mftpubsub
{

/// Ends the program, as a fuzzer wants a failure, unless @p condition holds.
inline void
Require(bool condition)
{
    if (!condition)
    {
        std::abort();
    }
}

/// @return an id from @p first on that no two bytes of @p data name: nothing is said of that node
inline NodeId
FindUnused(std::span<const uint8_t> data, NodeId first)
{
    std::vector<bool> isUsed(NO_NODE + 1);
    for (size_t index = 0; index + 1 < data.size(); ++index)
    {
        isUsed[data[index] << 8 | data[index + 1]] = true;
    }
    while (isUsed[first])
    {
        ++first;
    }
    return first;
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_TESTS_FUZZ_H */
