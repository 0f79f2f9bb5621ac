/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_MESH_MESH_WORDS_H
#define MFTPUBSUB_LAB_MESH_MESH_WORDS_H

#include "protocols/mesh/station.h"

#include <string>

namespace mftpubsub
{

/// @return e.g. "7:4": publisher and sequence number
std::string Name(EventId id);

/// @return what a frame says; of a protocol whose frames it cannot read, their name and their
/// events
std::string Describe(const mesh::OutgoingFrame& frame);

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_MESH_MESH_WORDS_H */
