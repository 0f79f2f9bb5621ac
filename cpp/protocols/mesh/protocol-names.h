/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_PROTOCOL_NAMES_H
#define MFTPUBSUB_PROTOCOLS_MESH_PROTOCOL_NAMES_H

#include <string_view>

namespace mftpubsub
{

/// Without a tree: mesh::MeshStation.
inline constexpr std::string_view MFT_MESH = "mft-mesh";

/// RFC 7731, with subscribers' filters at the ends.
inline constexpr std::string_view MPL = "mpl";

/// Epidemic routing, likewise.
inline constexpr std::string_view EPIDEMIC = "epidemic";

/// One that is written in Python: mesh::HookStation.
inline constexpr std::string_view PYTHON_PROTOCOL = "python";

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_MESH_PROTOCOL_NAMES_H */
