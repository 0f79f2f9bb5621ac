/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_WIRE_MESSAGE_H
#define MFTPUBSUB_HOSTS_WIRE_MESSAGE_H

#include "content/node-id.h"

#include <string>

namespace mftpubsub
{

/// A message that leaves for the other end of a wire, or for a client or its broker.
struct WireMessage
{
    double seconds{0};
    NodeId from{NO_NODE};
    NodeId to{NO_NODE};
    std::string kind; //!< its name
    double bytes{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_WIRE_MESSAGE_H */
