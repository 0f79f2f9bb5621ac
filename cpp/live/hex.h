/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_HEX_H
#define MFTPUBSUB_LIVE_HEX_H

#include "content/bytes.h"

#include <span>
#include <string>
#include <string_view>

namespace mftpubsub::live
{

/// @return the bytes of @p text, which outlives them
inline std::span<const uint8_t>
AsBytes(std::string_view text)
{
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// @return two digits a byte
inline std::string
ToHex(std::span<const uint8_t> bytes)
{
    constexpr std::string_view DIGITS = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const auto byte : bytes)
    {
        text += DIGITS[byte >> 4];
        text += DIGITS[byte & 15];
    }
    return text;
}

/// @return the bytes of a text that ToHex made. @throws DecodeError for another
inline Bytes
FromHex(std::string_view text)
{
    const auto digit = [](char character) -> uint8_t {
        if (character >= '0' && character <= '9')
        {
            return static_cast<uint8_t>(character - '0');
        }
        if (character >= 'a' && character <= 'f')
        {
            return static_cast<uint8_t>(character - 'a' + 10);
        }
        throw DecodeError("no hexadecimal digit");
    };
    if (text.size() % 2 != 0)
    {
        throw DecodeError("an odd number of hexadecimal digits");
    }
    Bytes bytes;
    for (size_t at = 0; at < text.size(); at += 2)
    {
        bytes.push_back(static_cast<uint8_t>(digit(text[at]) << 4 | digit(text[at + 1])));
    }
    return bytes;
}

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_HEX_H */
