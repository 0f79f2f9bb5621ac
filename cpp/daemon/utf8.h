/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_DAEMON_UTF8_H
#define MFTPUBSUB_DAEMON_UTF8_H

#include <string>
#include <string_view>

namespace mftpubsub::live
{

/// Nodes in Python read texts as UTF-8.
/// @param what @p text is, for the message
/// @throws std::invalid_argument if it is something else
void CheckUtf8(std::string_view text, const std::string& what);

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_DAEMON_UTF8_H */
