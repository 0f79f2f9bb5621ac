/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The word of a subscriber on this device: all its filters, in one frame.
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_OWN_WORD_H
#define MFTPUBSUB_PROTOCOLS_MESH_OWN_WORD_H

#include "protocols/mesh/frames.h"
#include "protocols/mesh/speaker.h"
#include "protocols/mesh/station.h"

#include <map>

namespace mftpubsub::mesh
{

/// @return the word of a subscriber that has had @p filters since these instants
Word MakeWord(NodeId subscriber,
              uint32_t timestamp,
              const std::map<Filter, Instant>& filters,
              Instant now);

/// @throws std::length_error if the word has no room for @p filter beside those of @p memory
void CheckFit(const Context& context, const SubscriberMemory& memory, const Filter& filter);

/// Stable storage may be of a node with larger frames.
/// @return @p memory with the oldest filters that fit, as another word if some do not
SubscriberMemory KeepFitting(const Context& context, SubscriberMemory memory);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_OWN_WORD_H */
