/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A broker of the mesh among others, to which an event for a few comes.
 */
#ifndef MFTPUBSUB_TESTS_MESH_SCENE_H
#define MFTPUBSUB_TESTS_MESH_SCENE_H

#include "mesh-machines.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace mftpubsub::mesh
{

inline constexpr NodeId SUBSCRIBER_ID = 9;
inline constexpr NodeId SECOND_ID = 8; //!< wants the event too, if there are two
inline constexpr NodeId RELAY = 20;    //!< brought the event
inline constexpr EventId EVENT{5, 0};

/// Hops to who is searched for.
inline constexpr double NOWHERE = 100;

inline Claim
MakeClaim(NodeId subscriber, double hops, uint8_t round = 0)
{
    return {hops < NOWHERE ? MakeHint(subscriber, hops) : Hint{subscriber}, round};
}

/// @return claims of those who go together so far, branch by branch
inline std::vector<Claim>
MakeBranches(const std::vector<std::vector<NodeId>>& branches, double hops)
{
    std::vector<Claim> claims;
    for (const auto& branch : branches)
    {
        const auto companions = std::make_shared<const std::vector<NodeId>>(branch);
        for (const auto subscriber : branch)
        {
            claims.push_back({MakeHint(subscriber, hops), 0, companions});
        }
    }
    return claims;
}

/// A broker with four others around, and subscribers that are so many hops away.
class Scene
{
  public:
    explicit Scene(double hops,
                   const std::vector<NodeId>& subscribers = {SUBSCRIBER_ID},
                   const Options& options = {},
                   const BrokerPolicies& policies = {})
        : m_subscribers(subscribers),
          m_context(MakeContext(1, BROKER, options)),
          m_broker(m_context, policies)
    {
        m_broker.Start(Seconds(0));
        std::vector<Hint> hints;
        for (const auto subscriber : subscribers)
        {
            const Word word{subscriber, 1, {{Filter::Parse("topic = 'a'"), 0}}};
            Hear(Seconds(0.1), {{RELAY, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}});
            hints.push_back(MakeHint(subscriber, hops - 1));
        }
        for (NodeId neighbour = RELAY; neighbour < RELAY + 4; ++neighbour)
        {
            Hear(Seconds(0.2), MakeHeartbeat(neighbour, 0, {}));
        }
        auto state = MakeHeartbeat(RELAY, 0, {});
        std::get<Heartbeat>(state.body).state.distances = hints;
        Hear(Seconds(1), state);
    }

    void Hear(Instant now, const Frame& frame)
    {
        m_broker.Receive(now, frame, 1, m_output);
    }

    /// @p from sends the event, so many hops from the subscribers.
    void HearEvent(Instant now, NodeId from, double hops)
    {
        std::vector<Claim> claims;
        for (const auto subscriber : m_subscribers)
        {
            claims.push_back(MakeClaim(subscriber, hops));
        }
        HearShare(now, from, claims, {});
    }

    /// @p from brings the event to some, and others are nearer to the rest.
    void HearShare(Instant now,
                   NodeId from,
                   const std::vector<Claim>& claims,
                   const std::vector<Claim>& elsewhere,
                   EventId id = EVENT)
    {
        HearPath(now, from, {m_broker.GetWords().GetHash(), claims, elsewhere}, id);
    }

    /// @p from sends the event to all who lack it.
    void HearRepair(Instant now, NodeId from)
    {
        Hear(now,
             {{from, NO_NODE, Rep::KIND, 1, 0}, Rep{{}, {}, {{MakeEvent(EVENT, "a"), 1, {}}}}});
    }

    /// As HearShare, but @p from has heard of other subscribers.
    void HearUnlike(Instant now,
                    NodeId from,
                    const std::vector<Claim>& claims,
                    const std::vector<Claim>& elsewhere)
    {
        HearPath(now, from, {m_broker.GetWords().GetHash() + 1, claims, elsewhere}, EVENT);
    }

    /// The event's publisher sends it, and says distances.
    void HearPublisher(Instant now, const std::vector<Hint>& distances = {})
    {
        Hear(now,
             {{EVENT.publisher, NO_NODE, Pub::KIND, 1, 0},
              Pub{{}, distances, {{MakeEvent(EVENT, "a"), 1, {}}}}});
    }

    /// @p from says that the event has arrived.
    void HearArrival(Instant now, NodeId from)
    {
        const auto has = MakeSummary(EVENT.publisher, {0, 1});
        Hear(now, MakeHeartbeat(from, m_broker.GetWords().GetHash(), has, MakePart(has)));
    }

    /// @p from says that only @p subscriber lacks the event.
    void HearArrivalBut(Instant now, NodeId from, NodeId subscriber, EventId id = EVENT)
    {
        const auto has = MakeSummary(EVENT.publisher, {0, 1});
        auto state = MakeHeartbeat(from, m_broker.GetWords().GetHash(), has);
        std::get<Heartbeat>(state.body).state.open = {{id, {subscriber}}};
        Hear(now, state);
    }

    /// @return its frames with the event until @p until
    std::vector<CarriedEvent> ListenToEvents(Instant until)
    {
        std::vector<CarriedEvent> events;
        for (const auto& outgoing : Listen(m_broker, Turn::FORWARDS, until))
        {
            events.push_back(std::get<Pub>(outgoing.body).events.at(0));
        }
        return events;
    }

    /// @p from says that others bring the event to these.
    void HearTaken(Instant now, NodeId from, const std::vector<Claim>& elsewhere)
    {
        const Path path{m_broker.GetWords().GetHash(), {}, elsewhere};
        Hear(now, {{from, NO_NODE, Taken::KIND, 1, 0}, Taken{{{EVENT, path}}}});
    }

    /// @return what it says until @p until of events that are in better hands
    std::vector<TakenEvent> ListenToTaken(Instant until)
    {
        std::vector<TakenEvent> events;
        for (const auto& outgoing : Listen(m_broker, Turn::ANSWERS, until))
        {
            const auto& taken = std::get<Taken>(outgoing.body).events;
            events.insert(events.end(), taken.begin(), taken.end());
            m_largest = std::max(m_largest, Encode({{}, outgoing.body}).size());
        }
        return events;
    }

    /// @return bytes of the largest frame of these
    size_t GetLargest() const
    {
        return m_largest;
    }

    /// @return its STATEs until @p until
    std::vector<State> ListenToStates(Instant until)
    {
        std::vector<State> states;
        for (const auto& outgoing : Listen(m_broker, Turn::HEARTBEATS, until))
        {
            states.push_back(std::get<Heartbeat>(outgoing.body).state);
            m_largest = std::max(m_largest, Encode({{}, outgoing.body}).size());
        }
        return states;
    }

    size_t CountStates(Instant until)
    {
        return ListenToStates(until).size();
    }

    Instant DueState() const
    {
        return m_broker.Due(Turn::HEARTBEATS);
    }

    uint32_t GetWordsHash() const
    {
        return m_broker.GetWords().GetHash();
    }

    /// @return the first event of its repairs until @p until
    CarriedEvent ListenToRepair(Instant until)
    {
        return std::get<Rep>(Listen(m_broker, Turn::REPAIRS, until).at(0).body).events.at(0);
    }

    /// @return when it repairs what a neighbour lacks
    Instant DueRepair() const
    {
        return m_broker.Due(Turn::REPAIRS);
    }

    Instant DueEvent() const
    {
        return m_broker.Due(Turn::FORWARDS);
    }

  private:
    void HearPath(Instant now, NodeId from, const Path& path, EventId id)
    {
        Hear(now, {{from, NO_NODE, Pub::KIND, 1, 0}, Pub{{}, {}, {{MakeEvent(id, "a"), 1, path}}}});
    }

    std::vector<NodeId> m_subscribers;
    Context m_context;
    Broker m_broker;
    Output m_output;
    size_t m_largest{0};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_TESTS_MESH_SCENE_H */
