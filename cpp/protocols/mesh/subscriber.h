/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_H
#define MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_H

#include "protocols/mesh/frame-fit.h"
#include "protocols/mesh/small-states.h"
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

    /// @return how many things it remembers of events and of brokers
    size_t CountRemembered() const;

  private:
    /// What a broker has and it has not heard.
    struct Offer
    {
        Summary events;
        Instant since{0};       //!< of all of these
        Instant heardAt{0};     //!< the latest STATE
        uint32_t unanswered{0}; //!< NACKs
    };

    /// Its word, until it is heard.
    struct SayingWord
    {
        bool isHeard{true}; //!< somebody has said it
        uint32_t said{0};   //!< so often, without being heard
        Instant saidAt{0};
        Instant at{NEVER};
    };

    /// Who has its word.
    struct Knowing
    {
        std::map<NodeId, uint32_t> brokers; //!< their lives
        std::optional<uint32_t> goodHash;   //!< of a table that has it
        std::set<uint32_t> doubts;          //!< hashes of tables that may not have it
        Instant comparedAt{NEVER};          //!< when a BSUB told hashes; NEVER: not yet
    };

    /// NACKs.
    struct Asking
    {
        Instant at{NEVER};
        Instant askedAt{-Seconds(1.0)};
        uint32_t unanswered{0}; //!< since the last answer
        FrameFit<EventId> fit;
    };

    /// HELLOs.
    struct SayingDone
    {
        std::optional<EventId> arrived; //!< the event that the next one is to tell of
        Instant at{NEVER};
        EventId from{SummaryPart::BEGIN}; //!< where the next one begins, if it is a part
        Instant saidAt{0};                //!< HELLO or NACK
    };

    void HearBlocks(Instant now, const Header& from);
    void HearWords(Instant now, const Frame& frame);
    bool Wants(const Event& event) const;
    void Hear(Instant now, const CarriedEvent& carried, NodeId from, Output& output);
    void AnswerCopy(Instant now, const CarriedEvent& carried, NodeId from);
    void HearState(Instant now, const Header& from, const State& state);
    void Answered(Instant now, NodeId broker);
    void HearCover(const Header& from, const Cover& cover);
    void IsDoneWith(const Summary& events);
    void SayWord(Instant at);
    void WordHeard(const Header& by);
    void HearHash(Instant now, const Header& from, uint32_t hash);
    bool AreTablesCompared(Instant now) const;
    bool IsInDoubt() const;
    bool IsRipe(Instant now, const Offer& offer) const;
    void Offered(Instant now, NodeId broker, const State& state);
    void AskSoon(Instant now, Instant ripe);
    std::optional<Outgoing> BuildNack(Instant now);
    std::optional<Outgoing> BuildHello(Instant now);
    std::optional<Outgoing> BuildWord(Instant now);
    SummaryPart GetDone(size_t budget, EventId& from) const;

    const Context& m_context;
    SubscriberMemory m_memory;
    bool m_hasBroker;

    SayingWord m_word;
    Knowing m_knowing;
    std::map<NodeId, Offer> m_offers; //!< by broker
    SmallStates m_smallStates;
    Asking m_asking;
    Instant m_soughtUntil{0}; //!< events may be on their way to it and few others
    SayingDone m_done;
    bool m_isSettledCut{false}; //!< what is settled has too many holes for a STATE
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_H */
