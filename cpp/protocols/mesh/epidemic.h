/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_EPIDEMIC_H
#define MFTPUBSUB_PROTOCOLS_MESH_EPIDEMIC_H

#include "protocols/mesh/relay-station.h"

#include <map>
#include <set>

namespace mftpubsub::mesh
{

/**
 * Epidemic routing (Vahdat and Becker, Duke CS-200006, 2000): pairwise anti-entropy by summary
 * vectors, subscribers' filters at the ends.
 *
 * A node says its summary vector now and then; whoever hears it and lacks something requests that,
 * and is sent it. Departs from the paper: vectors are broadcast instead of being exchanged once a
 * contact, so that one serves all neighbours, and who overhears an event takes it; buffers are
 * infinite, hop counts not limited, and subscribers relay nothing.
 */
class Epidemic : public RelayStation
{
  public:
    /// @param interval between summary vectors
    Epidemic(NodeId self,
             uint8_t roles,
             const Options& options,
             Instant interval,
             Uniform uniform,
             SubscriberMemory memory = {});

  private:
    void Hear(Instant now, const Header& header, ByteReader& in, Output& output) override;
    void Begin(Instant now) override;
    void Stored(Instant now, EventId id) override;
    Instant Due() const override;
    std::optional<Message> Build(Instant now) override;
    std::optional<Message> BuildData(Instant now);
    std::optional<Message> BuildRequest();
    void HearRequest(Instant now, const Header& header, const SummaryPart& wanted);

    const Instant m_interval;
    Instant m_summaryAt{NEVER};
    EventId m_summaryFrom{SummaryPart::BEGIN}; //!< where the next vector begins
    NodeId m_asked{NO_NODE};
    SummaryPart m_askedHas; //!< what the node to be asked has
    Instant m_requestAt{NEVER};
    std::map<NodeId, EventId> m_requestFrom; //!< where the next request to each begins
    std::set<EventId> m_requested;           //!< by others
    Instant m_dataAt{NEVER};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_EPIDEMIC_H */
