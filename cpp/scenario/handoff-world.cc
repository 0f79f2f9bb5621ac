/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario/handoff-world.h"

#include "protocols/handoff/make-broker.h"
#include "protocols/handoff/tree.h"
#include "scenario/simulator-lease.h"
#include "scenario/streams.h"

#include "ns3/double.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

namespace mftpubsub
{

namespace
{

using namespace handoff;
using ns3::Seconds;
using ns3::Simulator;
using ns3::Time;

constexpr NodeId PUBLISHER = 0;
constexpr NodeId PUBLISHERS_BROKER = 1;
constexpr NodeId FIRST_SUBSCRIBER = 1000;
constexpr int64_t STREAMS_A_SUBSCRIBER = 4;
constexpr double SHORTEST_INTERVAL = 0.001; //!< s, between publications in closed loop
constexpr double HELD_SAMPLING = 10;        //!< s, between looks into the buffers

Instant
Now()
{
    return Instant(Simulator::Now().GetNanoSeconds());
}

/// Where and when one subscriber moves (handoff.md 10.1): its own random streams, so that it moves
/// alike under every scheme.
class Movement
{
  public:
    Movement(const HandoffScenario& scenario, uint32_t index)
        : m_scenario(scenario),
          m_stay(ns3::CreateObject<ns3::ExponentialRandomVariable>()),
          m_choice(ns3::CreateObject<ns3::UniformRandomVariable>())
    {
        m_stay->SetStream(STREAM_MOBILITY + STREAMS_A_SUBSCRIBER * index);
        m_choice->SetStream(STREAM_MOBILITY + STREAMS_A_SUBSCRIBER * index + 1);
    }

    Time Stay(double mean)
    {
        return Seconds(m_stay->GetValue(mean, 0));
    }

    bool TossCoin()
    {
        return m_choice->GetValue() < 0.5;
    }

    NodeId First()
    {
        return static_cast<NodeId>(m_choice->GetInteger(1, m_scenario.brokers));
    }

    NodeId Next(NodeId from)
    {
        std::vector<NodeId> targets;
        for (const auto& [one, other] : m_scenario.moves)
        {
            if (one == from)
            {
                targets.push_back(other);
            }
        }
        return targets[m_choice->GetInteger(0, static_cast<uint32_t>(targets.size() - 1))];
    }

  private:
    const HandoffScenario& m_scenario;
    ns3::Ptr<ns3::ExponentialRandomVariable> m_stay;
    ns3::Ptr<ns3::UniformRandomVariable> m_choice;
};

/// Which events one subscriber wants: each with the same probability, by itself.
class Interest
{
  public:
    Interest(double probability, uint32_t index)
        : m_probability(probability),
          m_random(ns3::CreateObject<ns3::UniformRandomVariable>())
    {
        m_random->SetStream(STREAM_TRAFFIC + index);
        Skip();
    }

    /// Asked once for every event, in order.
    bool Wants(uint32_t sequence)
    {
        if (sequence != m_next)
        {
            return false;
        }
        Skip();
        return true;
    }

  private:
    /// Geometric distance to the next event that is wanted.
    void Skip()
    {
        const auto gap =
            m_probability >= 1
                ? 0
                : std::floor(std::log(1 - m_random->GetValue()) / std::log(1 - m_probability));
        m_next += 1 + static_cast<uint32_t>(gap);
    }

    double m_probability;
    ns3::Ptr<ns3::UniformRandomVariable> m_random;
    uint32_t m_next{0}; //!< sequence numbers begin at 1
};

/// An event, and who wants it: drawn, and not written as filters.
struct TargetedEvent : Event
{
    std::vector<NodeId> audience; //!< ascending
};

/// @return whether @p message brings events, or their acknowledgement, to or from subscribers as
/// they come, and is none of a hand-off
bool
IsTraffic(const Message& message)
{
    const auto* notify = std::get_if<Notify>(&message);
    return std::holds_alternative<Pub>(message) || std::holds_alternative<Evack>(message) ||
           (notify && !notify->events.front().transferred);
}

/// One network of brokers, their subscribers and one publisher.
class World
{
  public:
    explicit World(const HandoffScenario& scenario);

    HandoffResult Run();

  private:
    struct Subscriber
    {
        Client client;
        Movement movement;
        Interest interest;
        std::vector<uint32_t> wanted; //!< sequence numbers, published in the window
        Time acceptedAt{0};           //!< its last connection
        Time connectedSince{0};
        std::optional<Time> reconnect; //!< sent to another broker; nothing has come since
        Time airBusyUntil{0};          //!< its wireless hop
    };

    /// Deliveries on their way from one broker, with the session that each was sent in.
    struct Flight
    {
        Delivery delivery;
        Session session{0};
    };

    bool IsInWindow(Time time) const;
    Subscriber& Get(NodeId subscriber);
    NodeId IdOf(size_t index) const;

    void Start(size_t index);
    void BeginStay(size_t index);
    void Break(size_t index);
    void Travel(size_t index);
    void Arrive(size_t index, NodeId broker);
    void CountConnected(const Subscriber& subscriber);

    void Publish();
    void Flood(const EventPtr& event);
    void CarryOut(NodeId broker);
    void SendToSubscribers(NodeId broker, std::vector<Flight> flights);
    void SendBetween(NodeId from, Send& send);
    void Relay(NodeId from, NodeId origin, const Send& send, Time leaves);
    uint64_t CountHops(NodeId from, NodeId to) const;
    void ReceiveAtSubscribers(NodeId broker, const std::vector<Flight>& flights);
    void CountCopy(Subscriber& subscriber, NodeId broker, const Held& held, bool isDuplicate);
    void SetTimer(NodeId broker);
    void SampleHeld();

    HandoffScenario m_scenario;
    Time m_windowStart;
    Time m_windowEnd;
    Time m_clientDelay;
    const Scheme& m_scheme;
    std::shared_ptr<const Tree> m_tree;
    SimulatorLease m_lease;
    std::vector<std::unique_ptr<Broker>> m_brokers; //!< by broker - 1
    std::vector<ns3::EventId> m_timers;
    std::vector<Subscriber> m_subscribers;
    std::vector<Time> m_busyUntil; //!< a broker's way out for events
    //! FIFO between two brokers, by whether events are in it: what has none does not wait for those
    std::map<std::tuple<NodeId, NodeId, bool>, Time> m_lastArrival;
    std::vector<Time> m_publishedAt; //!< by sequence number
    Output m_output;
    HandoffResult m_result;
    uint64_t m_heldSamples{0};

    // Work since the last publication (closed loop)
    uint64_t m_delivered{0};
    uint64_t m_stored{0};
    uint64_t m_control{0};
    uint64_t m_transferred{0};
};

void
Check(const HandoffScenario& scenario)
{
    const auto require = [](bool isRight, const std::string& what) {
        if (!isRight)
        {
            throw std::invalid_argument(what);
        }
    };
    require(scenario.brokers >= 1 && scenario.brokers < FIRST_SUBSCRIBER,
            "brokers: at least 1, fewer than " + std::to_string(FIRST_SUBSCRIBER));
    require(scenario.subscribers >= 1 && scenario.subscribers <= 50000, "subscribers: 1 to 50000");
    require(scenario.closedLoop || scenario.rate > 0, "rate: more than 0 events/s");
    require(scenario.interest > 0 && scenario.interest <= 1, "interest: more than 0, at most 1");
    require(scenario.eventBytes >= 6 && scenario.eventBytes <= UINT16_MAX,
            "event bytes: 6 to 65535");
    require(scenario.queueBytes >= scenario.eventBytes, "queue bytes: at least one event");
    require(scenario.window > 0 && scenario.warmUp >= 0 && scenario.drain >= 0,
            "window: more than 0 s; warm-up and drain: at least 0 s");
    require(scenario.meanConnected > 0 && scenario.meanDisconnected > 0 && scenario.meanHandoff > 0,
            "mean stays: more than 0 s");
    std::vector<bool> canLeave(scenario.brokers + 1);
    for (const auto& [from, to] : scenario.moves)
    {
        require(from >= 1 && from <= scenario.brokers && to >= 1 && to <= scenario.brokers,
                "moves: between brokers 1 to " + std::to_string(scenario.brokers));
        canLeave[from] = true;
    }
    require(scenario.links.size() + 1 == scenario.brokers, "links: one tree of all brokers");
    require(scenario.bandwidth >= 0, "bandwidth: more than 0 bit/s, or 0 for no bound");
    require(std::all_of(canLeave.begin() + 1, canLeave.end(), [](bool can) { return can; }),
            "moves: at least one from every broker");
}

World::World(const HandoffScenario& scenario)
    : m_scenario((Check(scenario), scenario)),
      m_windowStart(Seconds(scenario.warmUp)),
      m_windowEnd(Seconds(scenario.warmUp + scenario.window)),
      m_clientDelay(Seconds(scenario.clientDelay)),
      m_scheme(FindScheme(scenario.scheme)),
      m_tree(std::make_shared<const Tree>(scenario.links, scenario.root)),
      m_lease(scenario.seed),
      m_timers(scenario.brokers),
      m_busyUntil(scenario.brokers),
      m_publishedAt(1)
{
    Options options;
    options.queueBytes = m_scenario.queueBytes;
    options.completionMark = m_scenario.completionMark;
    options.literalEdgeRefresh = m_scenario.literalEdgeRefresh;
    options.mergeDuplicates = m_scenario.mergeDuplicates;
    const auto unlessZero = [](double seconds) {
        return seconds > 0 ? std::optional(Instant(Seconds(seconds).GetNanoSeconds()))
                           : std::nullopt;
    };
    options.edgeAge = unlessZero(m_scenario.edgeAge);
    options.contextTimeout = unlessZero(m_scenario.contextTimeout);
    options.tree = m_tree;
    options.implicitMoveOut = m_scenario.implicitMoveOut;
    options.sessionExpiry = unlessZero(m_scenario.sessionExpiry);
    options.eventExpiry = Instant(Seconds(m_scenario.eventExpiry).GetNanoSeconds());
    options.audience = [](const Event& event) -> const std::vector<NodeId>& {
        return static_cast<const TargetedEvent&>(event).audience;
    };
    for (NodeId broker = 1; broker <= m_scenario.brokers; ++broker)
    {
        m_brokers.push_back(m_scheme.make(broker, options));
    }
    auto client = m_scheme.client;
    if (m_scenario.ackBatch > 0)
    {
        client.ackBatch = m_scenario.ackBatch;
    }
    m_subscribers.reserve(m_scenario.subscribers);
    for (uint32_t index = 0; index < m_scenario.subscribers; ++index)
    {
        m_subscribers.push_back({Client(IdOf(index), client),
                                 Movement(m_scenario, index),
                                 Interest(m_scenario.interest, index),
                                 {},
                                 {},
                                 {},
                                 {},
                                 {}});
    }
    m_result.copiesByBroker.resize(m_scenario.brokers);
    m_result.storedByBroker.resize(m_scenario.brokers);
    m_result.connectedByBroker.resize(m_scenario.brokers);
}

HandoffResult
World::Run()
{
    m_brokers[PUBLISHERS_BROKER - 1]->Receive(Now(), PUBLISHER, Adv{PUBLISHER}, m_output);
    CarryOut(PUBLISHERS_BROKER);
    for (size_t index = 0; index < m_subscribers.size(); ++index)
    {
        Start(index);
    }
    Publish();
    Simulator::Schedule(Seconds(m_scenario.warmUp), &World::SampleHeld, this);
    Simulator::Stop(Seconds(m_scenario.warmUp + m_scenario.window + m_scenario.drain));
    Simulator::Run();
    for (const auto& subscriber : m_subscribers)
    {
        CountConnected(subscriber);
        m_result.wanted += subscriber.wanted.size();
        m_result.lost += static_cast<uint64_t>(std::count_if(
            subscriber.wanted.begin(),
            subscriber.wanted.end(),
            [&](uint32_t sequence) { return !subscriber.client.Has({PUBLISHER, sequence}); }));
    }
    for (auto& connected : m_result.connectedByBroker)
    {
        connected /= m_scenario.window;
    }
    m_result.heldMean /= static_cast<double>(std::max<uint64_t>(m_heldSamples, 1));
    return std::move(m_result);
}

bool
World::IsInWindow(Time time) const
{
    return time >= m_windowStart && time < m_windowEnd;
}

World::Subscriber&
World::Get(NodeId subscriber)
{
    return m_subscribers[subscriber - FIRST_SUBSCRIBER];
}

NodeId
World::IdOf(size_t index) const
{
    return static_cast<NodeId>(FIRST_SUBSCRIBER + index);
}

void
World::Start(size_t index)
{
    static const auto EVERYTHING = Filter::Parse("1 = 1");
    auto& subscriber = m_subscribers[index];
    const auto broker = subscriber.movement.First();
    m_brokers[broker - 1]->Receive(Now(),
                                   IdOf(index),
                                   subscriber.client.Subscribe(broker, EVERYTHING),
                                   m_output);
    CarryOut(broker);
    BeginStay(index);
}

void
World::BeginStay(size_t index)
{
    auto& subscriber = m_subscribers[index];
    subscriber.connectedSince = Simulator::Now();
    const auto stay = subscriber.movement.Stay(m_scenario.meanConnected);
    if (m_scenario.announced && m_scheme.client.announces)
    {
        // Early enough that what is sent before it comes is received
        const auto heard = std::max(Simulator::Now() + stay - 2 * m_clientDelay,
                                    subscriber.acceptedAt + m_clientDelay);
        const auto broker = subscriber.client.GetBroker();
        Simulator::Schedule(heard - Simulator::Now(), [this, index, broker] {
            m_brokers[broker - 1]->Receive(Now(), IdOf(index), MoveOut{IdOf(index)}, m_output);
            CarryOut(broker);
        });
    }
    Simulator::Schedule(stay, &World::Break, this, index);
}

void
World::Break(size_t index)
{
    auto& subscriber = m_subscribers[index];
    const auto broker = subscriber.client.GetBroker();
    CountConnected(subscriber);
    subscriber.client.Disconnect();
    subscriber.reconnect.reset();
    const auto noticed =
        std::max(Simulator::Now() + Seconds(m_scenario.detectionDelay), subscriber.acceptedAt);
    Simulator::Schedule(noticed - Simulator::Now(), [this, index, broker] {
        m_brokers[broker - 1]->LinkDown(Now(), IdOf(index), m_output);
        CarryOut(broker);
    });
    if (subscriber.movement.TossCoin())
    {
        Travel(index);
        return;
    }
    Simulator::Schedule(subscriber.movement.Stay(m_scenario.meanDisconnected), [this, index] {
        auto& waiting = m_subscribers[index];
        if (waiting.movement.TossCoin())
        {
            Travel(index);
        }
        else
        {
            Arrive(index, waiting.client.GetLastBroker());
        }
    });
}

void
World::Travel(size_t index)
{
    auto& subscriber = m_subscribers[index];
    const auto stay = subscriber.movement.Stay(m_scenario.meanHandoff);
    const auto broker = subscriber.movement.Next(subscriber.client.GetLastBroker());
    Simulator::Schedule(stay, &World::Arrive, this, index, broker);
}

void
World::Arrive(size_t index, NodeId broker)
{
    auto& subscriber = m_subscribers[index];
    const auto isMove = broker != subscriber.client.GetLastBroker();
    if (isMove)
    {
        subscriber.reconnect = Simulator::Now();
        m_result.moves += IsInWindow(Simulator::Now());
    }
    const auto reconnect = subscriber.client.Connect(broker);
    subscriber.airBusyUntil = Simulator::Now();
    const auto delay = Seconds(m_scenario.clientDelay + m_scenario.acceptDelay);
    subscriber.acceptedAt = Simulator::Now() + delay;
    Simulator::Schedule(delay, [this, index, broker, reconnect] {
        m_brokers[broker - 1]->Receive(Now(), IdOf(index), reconnect, m_output);
        CarryOut(broker);
    });
    BeginStay(index);
}

void
World::CountConnected(const Subscriber& subscriber)
{
    const auto broker = subscriber.client.GetBroker();
    if (broker == NO_NODE)
    {
        return;
    }
    const auto from = std::max(subscriber.connectedSince.GetSeconds(), m_scenario.warmUp);
    const auto to = std::min(Simulator::Now().GetSeconds(), m_scenario.warmUp + m_scenario.window);
    m_result.connectedByBroker[broker - 1] += std::max(0.0, to - from);
}

void
World::Publish()
{
    auto event = std::make_shared<TargetedEvent>();
    const auto sequence = static_cast<uint32_t>(m_publishedAt.size());
    event->id = {PUBLISHER, sequence};
    event->payloadBytes = static_cast<uint16_t>(m_scenario.eventBytes - 6); // its id is 6 bytes
    const auto isInWindow = IsInWindow(Simulator::Now());
    m_publishedAt.push_back(Simulator::Now());
    m_result.published += isInWindow;
    for (size_t index = 0; index < m_subscribers.size(); ++index)
    {
        auto& subscriber = m_subscribers[index];
        if (subscriber.interest.Wants(sequence))
        {
            event->audience.push_back(IdOf(index));
            if (isInWindow)
            {
                subscriber.wanted.push_back(sequence);
            }
        }
    }
    Simulator::Schedule(Seconds(m_scenario.publicationDelay), [this, event] { Flood(event); });
    if (!m_scenario.closedLoop)
    {
        // event n at n / rate, without the sum of n rounded intervals
        Simulator::Schedule(Seconds(sequence / m_scenario.rate) - Simulator::Now(),
                            &World::Publish,
                            this);
    }
}

void
World::Flood(const EventPtr& event)
{
    for (NodeId broker = 1; broker <= m_scenario.brokers; ++broker)
    {
        if (!m_scheme.routes || broker == PUBLISHERS_BROKER)
        {
            m_brokers[broker - 1]->Receive(Now(), PUBLISHER, Pub{event}, m_output);
            CarryOut(broker);
        }
    }
    if (!m_scheme.routes && IsInWindow(Simulator::Now()))
    {
        m_result.trafficHops += m_scenario.brokers - 1;
    }
    if (m_scenario.closedLoop)
    {
        const auto& costs = m_scenario.costs;
        const auto milliseconds = costs.eventMs +
                                  costs.deliveredMs * static_cast<double>(m_delivered) +
                                  costs.storedMs * static_cast<double>(m_stored) +
                                  costs.controlMs * static_cast<double>(m_control) +
                                  costs.transferredMs * static_cast<double>(m_transferred);
        m_delivered = m_stored = m_control = m_transferred = 0;
        const auto routed = Seconds(m_scenario.sleep + milliseconds / 1000);
        Simulator::Schedule(
            std::max(routed - Seconds(m_scenario.publicationDelay), Seconds(SHORTEST_INTERVAL)),
            &World::Publish,
            this);
    }
}

void
World::CarryOut(NodeId broker)
{
    auto output = std::exchange(m_output, {});
    const auto isInWindow = IsInWindow(Simulator::Now());
    for (auto& send : output.sends)
    {
        SendBetween(broker, send);
    }
    for (const auto& [subscriber, session] : output.accepted)
    {
        Simulator::Schedule(m_clientDelay,
                            [this, id = subscriber, of = session] { Get(id).client.Accept(of); });
    }
    m_stored += output.stored;
    m_delivered += output.deliveries.size();
    if (isInWindow)
    {
        m_result.storedByBroker[broker - 1] += output.stored;
        m_result.delivered += output.deliveries.size();
    }
    if (!output.deliveries.empty())
    {
        std::vector<Flight> flights;
        flights.reserve(output.deliveries.size());
        for (auto& delivery : output.deliveries)
        {
            const auto session = Get(delivery.subscriber).client.GetSession();
            flights.push_back({std::move(delivery), session});
        }
        SendToSubscribers(broker, std::move(flights));
    }
    SetTimer(broker);
}

void
World::SendToSubscribers(NodeId broker, std::vector<Flight> flights)
{
    if (m_scenario.bandwidth == 0)
    {
        Simulator::Schedule(m_clientDelay, [this, broker, moved = std::move(flights)] {
            ReceiveAtSubscribers(broker, moved);
        });
        return;
    }
    for (const auto& flight : flights)
    {
        auto& busy = Get(flight.delivery.subscriber).airBusyUntil;
        const auto bits = 8.0 * static_cast<double>(GetSize(*flight.delivery.held.event));
        busy = std::max(busy, Simulator::Now()) + Seconds(bits / m_scenario.bandwidth);
        Simulator::Schedule(busy + m_clientDelay - Simulator::Now(),
                            [this, broker, flight] { ReceiveAtSubscribers(broker, {flight}); });
    }
}

void
World::SendBetween(NodeId from, Send& send)
{
    const auto now = Simulator::Now();
    const auto hops = CountHops(from, send.to);
    if (IsTraffic(send.message))
    {
        m_result.trafficHops += IsInWindow(now) ? hops : 0;
        Relay(from, from, send, now);
        return;
    }
    const auto events = CountEvents(send.message);
    ++m_control;
    m_transferred += events;
    if (IsInWindow(now))
    {
        ++m_result.control[std::string(GetName(send.message))];
        m_result.controlHops += hops;
        m_result.transferredEvents += events;
        m_result.messageBytes += GetSize(send.message);
    }
    auto leaves = now;
    if (events > 0)
    {
        auto& busy = m_busyUntil[from - 1];
        leaves =
            std::max(now, busy) + Seconds(m_scenario.transferTime * static_cast<double>(events));
        busy = leaves;
    }
    Relay(from, from, send, leaves);
}

void
World::Relay(NodeId from, NodeId origin, const Send& send, Time leaves)
{
    const auto next = m_scheme.routes ? m_tree->GetNextHop(from, send.to) : send.to;
    const auto isSlow = m_scheme.routes ? IsBulk(send.message) : CountEvents(send.message) > 0;
    auto& last = m_lastArrival[{from, next, isSlow}];
    last = std::max(last, leaves + Seconds(m_scenario.brokerDelay));
    Simulator::Schedule(last - Simulator::Now(), [this, next, origin, send] {
        if (next != send.to)
        {
            Relay(next, origin, send, Simulator::Now());
            return;
        }
        m_brokers[next - 1]->Receive(Now(), origin, send.message, m_output);
        CarryOut(next);
    });
}

uint64_t
World::CountHops(NodeId from, NodeId to) const
{
    uint64_t hops = 0;
    for (auto at = from; at != to; at = m_tree->GetNextHop(at, to))
    {
        ++hops;
    }
    return hops;
}

void
World::ReceiveAtSubscribers(NodeId broker, const std::vector<Flight>& flights)
{
    std::vector<Evack> acknowledgements;
    for (const auto& [delivery, session] : flights)
    {
        auto& subscriber = Get(delivery.subscriber);
        if (subscriber.client.GetBroker() != broker || subscriber.client.GetSession() != session)
        {
            continue; // on the air when the link broke
        }
        const auto reception = subscriber.client.Receive(delivery.held);
        CountCopy(subscriber, broker, delivery.held, reception.isDuplicate);
        if (reception.acknowledgement)
        {
            acknowledgements.push_back(*reception.acknowledgement);
        }
    }
    if (acknowledgements.empty())
    {
        return;
    }
    Simulator::Schedule(m_clientDelay, [this, broker, moved = std::move(acknowledgements)] {
        for (const auto& evack : moved)
        {
            if (Get(evack.subscriber).client.GetBroker() == broker)
            {
                m_brokers[broker - 1]->Receive(Now(), evack.subscriber, evack, m_output);
                CarryOut(broker);
            }
        }
    });
}

void
World::CountCopy(Subscriber& subscriber, NodeId broker, const Held& held, bool isDuplicate)
{
    const auto now = Simulator::Now();
    const auto published = m_publishedAt[held.event->id.sequence];
    if (IsInWindow(now))
    {
        ++m_result.copiesInWindow;
        ++m_result.copiesByBroker[broker - 1];
        m_result.transferred += held.transferred;
    }
    if (IsInWindow(published))
    {
        const auto delay = (now - published).GetSeconds();
        ++m_result.copies;
        m_result.delaySum += delay;
        m_result.duplicates += isDuplicate;
        m_result.delayFirstSum += isDuplicate ? 0 : delay;
    }
    if (subscriber.reconnect)
    {
        if (IsInWindow(*subscriber.reconnect))
        {
            m_result.latencies.push_back((now - *subscriber.reconnect).GetSeconds());
        }
        subscriber.reconnect.reset();
    }
}

void
World::SetTimer(NodeId broker)
{
    const auto next = m_brokers[broker - 1]->NextTimer();
    auto& timer = m_timers[broker - 1];
    if (!next || timer.IsPending())
    {
        return;
    }
    const auto wait = std::max(Time(next->count()) - Simulator::Now(), Time(0));
    timer = Simulator::Schedule(wait, [this, broker] {
        m_brokers[broker - 1]->Expire(Now(), m_output);
        CarryOut(broker);
    });
}

void
World::SampleHeld()
{
    if (!IsInWindow(Simulator::Now()))
    {
        return;
    }
    ++m_heldSamples;
    for (const auto& broker : m_brokers)
    {
        m_result.heldMean += static_cast<double>(broker->CountHeld());
    }
    Simulator::Schedule(Seconds(HELD_SAMPLING), &World::SampleHeld, this);
}

} // namespace

HandoffResult
RunHandoff(const HandoffScenario& scenario)
{
    return World(scenario).Run();
}

} // namespace mftpubsub
