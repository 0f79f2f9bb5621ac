/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "utf8.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace mftpubsub::live
{

namespace
{

/// @return bytes of the character that @p text begins with; 0 if it is none (RFC 3629)
size_t
CountCharacter(std::string_view text)
{
    const auto first = static_cast<uint8_t>(text[0]);
    const auto size = static_cast<size_t>(std::max(std::countl_one(first), 1));
    if (first < 0x80)
    {
        return 1;
    }
    if (first < 0xc2 || first > 0xf4 || text.size() < size)
    {
        return 0;
    }
    const auto second = static_cast<uint8_t>(text[1]);
    const auto isShort = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const auto isSurrogate = first == 0xed && second > 0x9f;
    const auto isBeyond = first == 0xf4 && second > 0x8f;
    const auto isRest = std::ranges::all_of(text.substr(1, size - 1), [](char c) {
        return (static_cast<uint8_t>(c) & 0xc0) == 0x80;
    });
    return isShort || isSurrogate || isBeyond || !isRest ? 0 : size;
}

} // namespace

void
CheckUtf8(std::string_view text, const std::string& what)
{
    for (size_t at = 0; at < text.size();)
    {
        const auto size = CountCharacter(text.substr(at));
        if (size == 0)
        {
            throw std::invalid_argument(what + ": must be UTF-8, which it is not from byte " +
                                        std::to_string(at) + " on");
        }
        at += size;
    }
}

} // namespace mftpubsub::live
