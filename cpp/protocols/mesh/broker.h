/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_BROKER_H
#define MFTPUBSUB_PROTOCOLS_MESH_BROKER_H

#include "protocols/mesh/speaker.h"
#include "protocols/mesh/station.h"
#include "protocols/mesh/word-table.h"
#include "protocols/queue-policy.h"

#include <deque>
#include <map>
#include <set>
#include <vector>

namespace mftpubsub::mesh
{

/**
 * A broker of the mesh, as a state machine without I/O (docs/protocols.md).
 *
 * It keeps the events that it has heard and the words of all subscribers, forwards what is new
 * unless others have done so, and hands on what a neighbour's STATE lacks or a subscriber's NACK
 * asks for. There are no next hops, so none can be wrong.
 */
class Broker : public Speaker
{
  public:
    Broker(const Context& context, QueueOptions queues);

    void Start(Instant now);
    void Receive(Instant now, const Frame& frame, Output& output);

    /// The publisher on this device has published an event.
    void Publish(Instant now, const EventPtr& event, Output& output);

    /// The subscriber on this device says its word.
    void Say(Instant now, const Word& word);

    Instant Due(Turn turn) const override;
    std::optional<Outgoing> Build(Instant now, Turn turn) override;

    /// @return the pairs that Build has matched since the last call
    std::vector<Pair> TakeMatches();

    const Summary& GetHas() const
    {
        return m_has;
    }

    const WordTable& GetWords() const
    {
        return m_words;
    }

    /// @return whether no word that it has wants the event of this @p id, which it may not hold
    bool IsSettled(EventId id) const
    {
        return m_settled.Has(id);
    }

    bool Holds(EventId id) const
    {
        return m_store.contains(id);
    }

    std::vector<Pair> GetHeld() const;

    size_t CountHeld() const
    {
        return m_store.size();
    }

  private:
    /// An event in the store.
    struct Held
    {
        CarriedEvent carried;
        Instant since{0};
        std::vector<NodeId> wanted; //!< by these subscribers, when it came
        uint32_t copies{0};         //!< heard from brokers
    };

    using Store = std::map<EventId, Held>;

    struct Neighbour
    {
        uint32_t life{0};
        Instant heardAt{0};
        SummaryPart has;
    };

    /// Settled events that came at an instant.
    struct Known
    {
        Instant at{0};
        NodeId publisher{NO_NODE};
        Run run;
    };

    /// A NACK to be answered.
    struct Question
    {
        NodeId subscriber{NO_NODE};
        Nack nack;
        Instant heardAt{0};
    };

    // Rule 1: heartbeats
    State MakeState(size_t budget);
    std::optional<State> StateToTakeAlong(Instant now, size_t bytesTaken);
    std::optional<Outgoing> BuildHeartbeat(Instant now);
    void StateSent(Instant now);
    void Changed(Instant now);
    void NoteMissing(Instant now, const SummaryPart& has);
    void CheckMissing(Instant now);

    // Rule 2: new events
    void HearEvents(Instant now,
                    const Header& from,
                    const std::vector<CarriedEvent>& events,
                    bool isRepair,
                    Output& output);
    Held* Keep(Instant now, const CarriedEvent& carried, Output& output);
    bool SomebodyLacks(Instant now, EventId id) const;
    std::optional<Outgoing> BuildForwards(Instant now);

    // Rule 3: repair
    void HearState(Instant now, const Header& from, const State& state);
    std::vector<Store::const_iterator> FindLacking(const SummaryPart& has) const;
    std::optional<Outgoing> BuildRepair(Instant now);

    // Rule 4: answers to NACKs
    std::optional<Outgoing> BuildAnswer();

    // Rule 7: what nobody wants
    void KeepSettled(Instant now, EventId id);
    void HearWord(Instant now, const Word& word, NodeId from);
    void Unsettle(Instant now, const WordTable::NewFilter& news);
    void HearSettled(Instant now, const State& state);
    void AcknowledgeSoon(Instant now, EventId id);

    // Rule 6: the queue policy
    void ApplyPolicy(Instant now, Output& output);

    const Context& m_context;
    QueueOptions m_queues;
    Store m_store;
    Summary m_has;
    WordTable m_words;
    std::map<NodeId, Neighbour> m_neighbours;
    std::map<EventId, Instant> m_forwards; //!< when they are due
    std::set<EventId> m_repairs;
    Instant m_repairAt{NEVER};
    std::deque<Question> m_questions;
    Instant m_heartbeatAt{NEVER};
    Instant m_interval{0};    //!< between heartbeats, at present
    Summary m_missing;        //!< what a neighbour had and it had not ...
    Instant m_checkAt{NEVER}; //!< ... and should have by now
    Instant m_stateSentAt{0};
    NodeId m_stateFrom{0}; //!< the publisher with whom the next STATE begins
    NodeId m_settledFrom{0};
    Summary m_settled;                    //!< of what it has: what no word wants
    std::deque<Known> m_known;            //!< settled events by when they came, the latest last
    std::optional<EventId> m_acknowledge; //!< its publisher waits for a STATE ...
    Instant m_acknowledgeAt{NEVER};       //!< ... which is due then
    std::vector<Pair> m_matches;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_BROKER_H */
