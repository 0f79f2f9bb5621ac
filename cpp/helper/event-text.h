/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HELPER_EVENT_TEXT_H
#define MFTPUBSUB_HELPER_EVENT_TEXT_H

#include "content/event.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// Attributes of an event, in order.
using Attributes = std::vector<std::pair<std::string, Value>>;

/**
 * @param text as in "temp = 21.5, room = 'kitchen'", with names and values as filters have them
 * @throws FilterError for any other text, and for a name that is there twice
 */
Attributes ParseAttributes(std::string_view text);

/// @return a text that ParseAttributes takes
std::string ToText(const Attributes& attributes);

} // namespace mftpubsub

#endif /* MFTPUBSUB_HELPER_EVENT_TEXT_H */
