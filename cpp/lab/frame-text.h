/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_FRAME_TEXT_H
#define MFTPUBSUB_LAB_FRAME_TEXT_H

#include "protocols/mesh/frames.h"

#include <string>

namespace mftpubsub
{

/// @return e.g. "7:4": publisher and sequence number
std::string Name(EventId id);

/// @return what a frame of the mesh says, as a line of a transcript
std::string Describe(const mesh::Frame& frame);

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_FRAME_TEXT_H */
