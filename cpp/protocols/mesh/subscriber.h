/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_H
#define MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_H

#include "protocols/mesh/speaker.h"
#include "protocols/mesh/station.h"

#include <map>
#include <optional>
#include <set>

namespace mftpubsub::mesh
{

/**
 * A subscriber of the mesh, as a state machine without I/O (docs/protocols.md).
 *
 * It takes every event that it hears by its own filters, and asks a broker whose STATE has events
 * that it has not heard. Its word is all its filters with a timestamp of its own; it says it until
 * it hears somebody else say it.
 */
class Subscriber : public Speaker
{
  public:
    /// @param hasBroker whether there is a broker on this device, which is told everything directly
    Subscriber(const Context& context, SubscriberMemory memory, bool hasBroker);

    void Start(Instant now);
    void Receive(Instant now, const Frame& frame, Output& output);

    /// The application on this device has published an event.
    void HearLocally(Instant now, const EventPtr& event, Output& output);

    void Subscribe(Instant now, const Filter& filter);
    void Unsubscribe(Instant now, const Filter& filter);

    /// @return its newest word
    Word GetWord(Instant now) const;

    Instant Due(Turn turn) const override;
    std::optional<Outgoing> Build(Instant now, Turn turn) override;

    const SubscriberMemory& GetMemory() const
    {
        return m_memory;
    }

  private:
    bool Wants(const Event& event) const;
    void Hear(Instant now, const CarriedEvent& carried, NodeId from, Output& output);
    void AnswerCopy(Instant now, const CarriedEvent& carried, NodeId from);
    void HearState(Instant now, const Header& from, const State& state);
    void HearCover(const Header& from, const Cover& cover);
    void IsDoneWith(const Summary& events);
    void SayWord(Instant at);
    void WordHeard(const Header& by);
    void HearHash(Instant now, const Header& from, uint32_t hash);
    bool IsInDoubt() const;
    std::optional<EventId> FindMissed(Instant now) const;
    std::optional<Outgoing> BuildNack(Instant now);
    std::optional<Outgoing> BuildHello(Instant now);
    std::optional<Outgoing> BuildWord(Instant now);
    SummaryPart GetDone(size_t bytesAround, NodeId& from) const;

    const Context& m_context;
    SubscriberMemory m_memory;
    bool m_hasBroker;

    bool m_isHeard{true}; //!< somebody has said its word
    uint32_t m_said{0};   //!< so often, without being heard
    Instant m_saidAt{0};
    Instant m_wordAt{NEVER};
    std::map<NodeId, uint32_t> m_knowing; //!< lives of brokers that have its word
    std::optional<uint32_t> m_goodHash;   //!< of a table that has its word
    /// Hashes of tables that may not have its word.
    std::set<uint32_t> m_doubts;

    std::map<EventId, Instant> m_missing; //!< what STATEs have and it has not, since when it knows
    NodeId m_asked{NO_NODE};              //!< the broker to be asked ...
    SummaryPart m_askedHas;               //!< ... and what it has
    Instant m_nackAt{NEVER};
    Instant m_nackedAt{-Seconds(1.0)};
    uint32_t m_unanswered{0}; //!< NACKs since the last answer

    Instant m_soughtUntil{0};         //!< events may be on their way to it and few others
    std::optional<EventId> m_arrived; //!< the event that a HELLO is to tell of
    Instant m_helloAt{NEVER};
    NodeId m_helloFrom{0};   //!< the publisher with whom the next HELLO begins
    Instant m_saidDoneAt{0}; //!< HELLO or NACK
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_H */
