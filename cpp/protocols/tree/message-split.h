/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_SPLIT_H
#define MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_SPLIT_H

#include "protocols/tree/message.h"

#include <cstddef>
#include <vector>

namespace mftpubsub
{

/**
 * @param message what is to be sent
 * @param mostBytes that an encoded message should have
 * @return messages that say the same, in order: a REP and a HAVE that are larger are halved until
 * they fit or have one event or row; any other message is left as it is
 */
std::vector<Message> SplitToFit(const Message& message, size_t mostBytes);

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_SPLIT_H */
