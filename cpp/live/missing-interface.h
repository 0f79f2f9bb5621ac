/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_MISSING_INTERFACE_H
#define MFTPUBSUB_LIVE_MISSING_INTERFACE_H

#include <stdexcept>

namespace mftpubsub::live
{

/// The machine has no interface of that name now.
class MissingInterface : public std::invalid_argument
{
  public:
    using std::invalid_argument::invalid_argument;
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_MISSING_INTERFACE_H */
