/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * libFuzzer target: any bytes are a message or a DecodeError, and a message that was decoded is
 * encoded and decoded again to the same bytes. The first byte is the kind.
 */
#include "fuzz.h"
#include "protocols/tree/message-codec.h"

#include <cstdint>

using namespace mftpubsub;

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0)
    {
        return 0;
    }
    try
    {
        const auto message = Decode(data[0], {data + 1, size - 1});
        const auto encoded = Encode(message);
        const auto again = Encode(Decode(GetKind(message), encoded));
        Require(GetKind(message) == data[0] && encoded == again);
    }
    catch (const DecodeError&)
    {
    }
    return 0;
}
