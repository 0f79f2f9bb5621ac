/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_LAB_ERROR_H
#define MFTPUBSUB_LAB_LAB_ERROR_H

#include <stdexcept>

namespace mftpubsub
{

/// A command that makes no sense in the laboratory's present state.
class LabError : public std::invalid_argument
{
  public:
    using std::invalid_argument::invalid_argument;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_LAB_ERROR_H */
