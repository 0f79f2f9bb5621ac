/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_ROLES_H
#define MFTPUBSUB_CONTENT_ROLES_H

#include <cstdint>

namespace mftpubsub
{

/// Roles that a device may carry, a bit each.
enum Roles : uint8_t
{
    ROLE_BROKER = 1,
    ROLE_SUBSCRIBER = 2,
    ROLE_PUBLISHER = 4,
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_ROLES_H */
