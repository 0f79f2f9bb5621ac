/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_BLOCK_CODEC_H
#define MFTPUBSUB_PROTOCOLS_MESH_BLOCK_CODEC_H

#include "protocols/mesh/frames.h"

namespace mftpubsub::mesh
{

/// Everything of a BLOCKMIX but its STATE: blocks as runs of numbers, 5 B each, factors 4 bits
/// each, the sum to the end of the frame.
void WriteBlockMix(ByteWriter& out, const BlockMix& mix);

/// @throws DecodeError when none follows
void ReadBlockMix(ByteReader& in, BlockMix& mix);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_BLOCK_CODEC_H */
