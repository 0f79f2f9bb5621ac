/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/message.h"

namespace mftpubsub
{

std::string_view
GetName(const Message& message)
{
    return std::visit([](const auto& m) { return m.NAME; }, message);
}

} // namespace mftpubsub
