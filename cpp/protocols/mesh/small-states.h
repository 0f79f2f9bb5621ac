/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SMALL_STATES_H
#define MFTPUBSUB_PROTOCOLS_MESH_SMALL_STATES_H

#include "protocols/mesh/speaker.h"

#include <map>

namespace mftpubsub::mesh
{

/**
 * Of which brokers small STATEs alone are heard, of two sizes that take turns: over the link to
 * these large frames are lost.
 */
class SmallStates
{
  public:
    explicit SmallStates(const Context& context)
        : m_context(context)
    {
    }

    /// @p broker has said @p state, in a frame with so many bytes of events.
    void Hear(Instant now, NodeId broker, const State& state, size_t eventBytes = 0);

    /// @return bytes of a frame to @p broker that may arrive
    size_t GetMost(NodeId broker) const;

    size_t Count() const
    {
        return m_heard.size();
    }

  private:
    struct InARow
    {
        uint32_t count{0};
        Instant latest{0};
    };

    const Context& m_context;
    std::map<NodeId, InARow> m_heard; //!< since the latest large one
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SMALL_STATES_H */
