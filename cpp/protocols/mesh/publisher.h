/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_PUBLISHER_H
#define MFTPUBSUB_PROTOCOLS_MESH_PUBLISHER_H

#include "policies/queue-policy.h"
#include "protocols/mesh/distances.h"
#include "protocols/mesh/gathering.h"
#include "protocols/mesh/pace.h"

#include <map>
#include <optional>

namespace mftpubsub::mesh
{

/**
 * A publisher of the mesh on a device without a broker, as a state machine without I/O. It holds an
 * event until it hears that a broker has it: from the broker, or in a STATE. The queue policy may
 * give the event up before: above the channel's capacity nothing else bounds what waits here.
 */
class Publisher : public Speaker
{
  public:
    /// @param queue the policy of brokers' stores, which holds here too
    Publisher(const Context& context, QueueOptions queue);

    void Publish(Instant now, const EventPtr& event);
    /// Has an event of a former life, which goes out when a STATE lacks it.
    /// @param since when it was published
    void Recall(const EventPtr& event, Instant since);
    /// @param link how far away the sender is, in hops
    void Receive(Instant now, const Frame& frame, double link);

    Instant Due(Turn turn) const override;
    std::optional<Outgoing> Build(Instant now, Turn turn) override;

    /// @return how many events no broker is known to have
    size_t CountHeld() const
    {
        return m_held.size();
    }

    bool Holds(EventId id) const
    {
        return m_held.contains(id);
    }

  private:
    struct Held
    {
        EventPtr event;
        Instant since{0}; //!< when it was published
        uint32_t sent{0}; //!< so often
        Instant nextAt{0};
        bool isRecalled{false}; //!< perhaps it was let go of before
    };

    void NoteDistances(Instant now, const Frame& frame, double link);
    void HearEvents(const std::vector<CarriedEvent>& events);
    void HearState(Instant now, const State& state);
    bool MayMix() const;
    void ApplyPolicy(Instant now);
    std::optional<Outgoing> BuildBlock(Instant now);

    const Context& m_context;
    Pace m_pace;
    Gathering m_gathering;
    QueueOptions m_queue;
    std::map<EventId, Held> m_held;
    Distances m_distances;
    Instant m_sentAt{-Seconds(1.0)};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_PUBLISHER_H */
