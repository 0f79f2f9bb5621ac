/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_NATURAL_ORDER_H
#define MFTPUBSUB_LAB_NATURAL_ORDER_H

#include <cctype>
#include <string>
#include <tuple>

namespace mftpubsub
{

/// b2 before b10: digits at the end compare as numbers.
inline bool
NaturallyLess(const std::string& a, const std::string& b)
{
    const auto split = [](const std::string& text) {
        auto digits = text.size();
        while (digits > 0 && std::isdigit(static_cast<unsigned char>(text[digits - 1])))
        {
            --digits;
        }
        const auto number = text.substr(digits);
        return std::tuple(text.substr(0, digits), number.size(), number);
    };
    return split(a) < split(b);
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_NATURAL_ORDER_H */
