/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_CHECKED_OPTIONS_H
#define MFTPUBSUB_PROTOCOLS_MESH_CHECKED_OPTIONS_H

#include "protocols/mesh/options.h"

namespace mftpubsub::mesh
{

/// @return @p options
/// @throws std::invalid_argument for one with which a station would divide by zero, never come to
///         an end, or never tell what others need
const Options& Checked(const Options& options);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_CHECKED_OPTIONS_H */
