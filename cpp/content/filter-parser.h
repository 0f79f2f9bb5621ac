/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_FILTER_PARSER_H
#define MFTPUBSUB_CONTENT_FILTER_PARSER_H

#include "content/condition.h"

#include <cstddef>
#include <string_view>

namespace mftpubsub
{

/// Longest filter text, bytes: its length fits the 16 bits that messages have for it.
inline constexpr size_t MAX_FILTER_BYTES = 65535;

/// Most levels of parentheses and operators within each other; bounds the stack.
inline constexpr int MAX_FILTER_DEPTH = 256;

/**
 * @param text a filter's text
 * @return what it says
 * @throws FilterError when it is not a condition
 */
Condition ParseCondition(std::string_view text);

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_FILTER_PARSER_H */
