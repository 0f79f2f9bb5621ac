/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/handoff-world.h"

#include "hosts/machine-timer.h"
#include "protocols/handoff/make-broker.h"
#include "protocols/handoff/tree.h"
#include "scenario/simulator-lease.h"
#include "worlds/broker-links.h"
#include "worlds/handoff-draw.h"
#include "worlds/handoff-log.h"
#include "worlds/handoff-meter.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <deque>

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
constexpr double SHORTEST_INTERVAL = 0.001; //!< s, between publications in closed loop
constexpr double HELD_SAMPLING = 10;        //!< s, between looks into the buffers

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
        HandoffMovement movement;
        HandoffInterest interest;
        std::vector<uint32_t> wanted{}; //!< sequence numbers, published in the window
        Time acceptedAt{0};             //!< its last connection
        Session known{0};               //!< to brokers: its last one until they see its end
        Time connectedSince{0};
        std::optional<Time> reconnect{}; //!< sent to another broker; nothing has come since
        Time airBusyUntil{0};            //!< its wireless hop
        ns3::EventId notice{};           //!< its last broker sees that it has gone
    };

    /// Deliveries on their way from one broker, with the session that each was sent in.
    struct Flight
    {
        Delivery delivery;
        Session session{0};
    };

    /// On its way to a broker, with the session that it was sent in.
    struct Acknowledgement
    {
        Evack evack;
        Session session{0};
    };

    Options MakeBrokerOptions() const;
    void MakeSubscribers();
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
    void Receive(NodeId broker, NodeId from, const Message& message);
    void Tell(NodeId broker, const Broker::Input& input);
    void CarryOut(NodeId broker);
    void SendToSubscribers(NodeId broker, std::vector<Flight> flights);
    void ReceiveAtSubscribers(NodeId broker, const std::vector<Flight>& flights);
    void ReceiveAcknowledgements(NodeId broker,
                                 const std::vector<Acknowledgement>& acknowledgements);
    void SampleHeld();

    HandoffScenario m_scenario;
    Time m_clientDelay;
    const Scheme& m_scheme;
    std::shared_ptr<const Tree> m_tree;
    SimulatorLease m_lease;
    std::vector<std::unique_ptr<Broker>> m_brokers; //!< by broker - 1
    std::deque<MachineTimer> m_timers;              //!< likewise
    std::vector<Subscriber> m_subscribers;
    BrokerLinks m_links;
    HandoffMeter m_meter;
    uint32_t m_published{0};
    Output m_output;
    HandoffLog m_log;
};

World::World(const HandoffScenario& scenario)
    : m_scenario((Check(scenario), scenario)),
      m_clientDelay(Seconds(HandoffTimes::CLIENT)),
      m_scheme(FindScheme(scenario.scheme)),
      m_tree(std::make_shared<const Tree>(scenario.links, scenario.root)),
      m_lease(scenario.seed),
      m_links(m_scenario,
              m_tree,
              m_scheme.routes,
              [this](NodeId to, NodeId origin, const Message& message) {
                  Receive(to, origin, message);
              }),
      m_meter(m_scenario),
      m_log(m_scenario.isLogged, m_scenario.eventBytes)
{
    const auto options = MakeBrokerOptions();
    for (NodeId broker = 1; broker <= m_scenario.brokers; ++broker)
    {
        m_brokers.push_back(m_scheme.make(broker, options));
        m_timers.emplace_back([this, broker] { Tell(broker, input::Expired()); });
    }
    MakeSubscribers();
}

Options
World::MakeBrokerOptions() const
{
    Options options;
    options.queueBytes = m_scenario.queueBytes;
    options.home = m_scenario.home;
    options.tree = m_tree;
    options.implicitMoveOut = m_scenario.implicitMoveOut;
    if (m_scenario.sessionExpiry > 0)
    {
        options.sessionExpiry = Instant(Seconds(m_scenario.sessionExpiry).GetNanoSeconds());
    }
    options.eventExpiry = Instant(Seconds(m_scenario.eventExpiry).GetNanoSeconds());
    options.audience = [](const Event& event) -> const std::vector<NodeId>& {
        return static_cast<const TargetedEvent&>(event).audience;
    };
    return options;
}

void
World::MakeSubscribers()
{
    const auto options =
        MakeClientOptions(m_scheme, MakeBrokerOptions(), m_scenario.filtersInReconnect);
    m_subscribers.reserve(m_scenario.subscribers);
    for (uint32_t index = 0; index < m_scenario.subscribers; ++index)
    {
        m_subscribers.push_back({.client = Client(IdOf(index), options),
                                 .movement = HandoffMovement(m_scenario, index),
                                 .interest = HandoffInterest(m_scenario.interest, index)});
    }
}

HandoffResult
World::Run()
{
    Receive(PUBLISHERS_BROKER, PUBLISHER, Adv{PUBLISHER});
    for (size_t index = 0; index < m_subscribers.size(); ++index)
    {
        Start(index);
    }
    Publish();
    Simulator::Schedule(Seconds(m_scenario.warmUp), &World::SampleHeld, this);
    Simulator::Stop(Seconds(m_scenario.warmUp + m_scenario.window + m_scenario.drain));
    Simulator::Run();
    std::ranges::for_each(m_subscribers, [this](const auto& each) { CountConnected(each); });
    auto result = m_meter.Finish();
    m_log.MoveTo(result);
    for (const auto& subscriber : m_subscribers)
    {
        result.wanted += subscriber.wanted.size();
        const auto isLost = [&](uint32_t sequence) {
            return !subscriber.client.Has({PUBLISHER, sequence});
        };
        result.lost += static_cast<uint64_t>(std::ranges::count_if(subscriber.wanted, isLost));
    }
    return result;
}

World::Subscriber&
World::Get(NodeId subscriber)
{
    return m_subscribers[subscriber - FIRST_HANDOFF_SUBSCRIBER];
}

NodeId
World::IdOf(size_t index) const
{
    return static_cast<NodeId>(FIRST_HANDOFF_SUBSCRIBER + index);
}

void
World::Start(size_t index)
{
    static const auto EVERYTHING = Filter::Parse("1 = 1");
    auto& subscriber = m_subscribers[index];
    const auto broker = subscriber.movement.First();
    Receive(broker, IdOf(index), subscriber.client.Subscribe(broker, EVERYTHING));
    m_log.Moved(IdOf(index), m_subscribers[index].client.GetBroker());
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
            Receive(broker, IdOf(index), MoveOut{IdOf(index)});
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
    m_log.Moved(IdOf(index), m_subscribers[index].client.GetBroker());
    subscriber.reconnect.reset();
    const Broker::Input gone = input::LinkDown{IdOf(index)};
    const auto wait =
        std::max(Seconds(m_scenario.detectionDelay), subscriber.acceptedAt - Simulator::Now());
    subscriber.notice = Simulator::Schedule(wait, &World::Tell, this, broker, gone);
    if (subscriber.movement.TossCoin())
    {
        Travel(index);
        return;
    }
    Simulator::Schedule(subscriber.movement.Stay(HandoffTimes::MEAN_DISCONNECTED), [this, index] {
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
    const auto stay = subscriber.movement.Stay(HandoffTimes::MEAN_HANDOFF);
    const auto broker = subscriber.movement.Next(subscriber.client.GetLastBroker());
    Simulator::Schedule(stay, &World::Arrive, this, index, broker);
}

void
World::Arrive(size_t index, NodeId broker)
{
    auto& subscriber = m_subscribers[index];
    const auto left = subscriber.client.GetLastBroker();
    if (broker != left)
    {
        subscriber.reconnect = Simulator::Now();
        m_meter.Moved();
    }
    const auto reconnect = subscriber.client.Connect(broker);
    m_log.Moved(IdOf(index), m_subscribers[index].client.GetBroker());
    m_log.Sent(IdOf(index), broker, reconnect);
    subscriber.known = subscriber.notice.IsPending() ? subscriber.known : reconnect.session;
    subscriber.airBusyUntil = Simulator::Now();
    const auto delay = Seconds(HandoffTimes::CLIENT + HandoffTimes::ACCEPT);
    subscriber.acceptedAt = Simulator::Now() + delay;
    Simulator::Schedule(delay, [this, index, broker, reconnect, left, notice = subscriber.notice] {
        if (notice.IsPending()) // a client that turns up has left where it was
        {
            Simulator::Cancel(notice);
            Tell(left, input::LinkDown{IdOf(index)});
        }
        m_subscribers[index].known = reconnect.session;
        Receive(broker, IdOf(index), reconnect);
    });
    BeginStay(index);
}

void
World::CountConnected(const Subscriber& subscriber)
{
    if (const auto broker = subscriber.client.GetBroker(); broker != NO_NODE)
    {
        m_meter.WasConnected(broker, subscriber.connectedSince);
    }
}

void
World::Publish()
{
    auto event = std::make_shared<TargetedEvent>();
    const auto sequence = ++m_published;
    event->id = {PUBLISHER, sequence};
    event->payloadBytes = static_cast<uint16_t>(m_scenario.eventBytes - 6); // its id is 6 bytes
    m_meter.Published();
    for (size_t index = 0; index < m_subscribers.size(); ++index)
    {
        auto& subscriber = m_subscribers[index];
        if (subscriber.interest.Wants(sequence))
        {
            event->audience.push_back(IdOf(index));
            if (m_meter.IsInWindow())
            {
                subscriber.wanted.push_back(sequence);
            }
        }
    }
    Simulator::Schedule(Seconds(HandoffTimes::PUBLICATION), [this, event] { Flood(event); });
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
            m_log.Sent(PUBLISHER, broker, Pub{event});
            Receive(broker, PUBLISHER, Pub{event});
        }
    }
    if (!m_scheme.routes)
    {
        m_meter.Flooded();
    }
    if (m_scenario.closedLoop)
    {
        const auto routed = Seconds(m_scenario.sleep) + m_meter.TakeWork();
        const auto wait = routed - Seconds(HandoffTimes::PUBLICATION);
        Simulator::Schedule(std::max(wait, Seconds(SHORTEST_INTERVAL)), &World::Publish, this);
    }
}

void
World::Receive(NodeId broker, NodeId from, const Message& message)
{
    Tell(broker, input::Received<Message>{from, message});
}

void
World::Tell(NodeId broker, const Broker::Input& input)
{
    m_brokers[broker - 1]->Step(Now(), input, m_output);
    CarryOut(broker);
}

void
World::CarryOut(NodeId broker)
{
    m_log.Holds(broker, *m_brokers[broker - 1]);
    auto output = std::exchange(m_output, {});
    for (const auto& send : output.sends)
    {
        m_meter.Sent(send.message, m_links.CountHops(broker, send.to));
        m_log.Sent(broker, send.to, send.message);
        m_links.Send(broker, send);
    }
    for (const auto& [subscriber, session] : output.accepted)
    {
        Simulator::Schedule(m_clientDelay,
                            [this, id = subscriber, of = session] { Get(id).client.Accept(of); });
    }
    m_meter.Answered(broker, output);
    if (!output.deliveries.empty())
    {
        std::vector<Flight> flights;
        flights.reserve(output.deliveries.size());
        for (auto& delivery : output.deliveries)
        {
            const auto session = Get(delivery.subscriber).known;
            m_log.Sent(broker, delivery.subscriber, Pub{delivery.held.event});
            flights.push_back({std::move(delivery), session});
        }
        SendToSubscribers(broker, std::move(flights));
    }
    m_timers[broker - 1].Set(m_brokers[broker - 1]->NextTimer());
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
World::ReceiveAtSubscribers(NodeId broker, const std::vector<Flight>& flights)
{
    std::vector<Acknowledgement> acknowledgements;
    for (const auto& [delivery, session] : flights)
    {
        auto& subscriber = Get(delivery.subscriber);
        if (subscriber.client.GetBroker() != broker || subscriber.client.GetSession() != session)
        {
            continue; // on the air when the link broke
        }
        const auto reception = subscriber.client.Receive(delivery.held);
        m_meter.Received(broker, delivery.held, reception.isDuplicate);
        if (const auto reconnected = std::exchange(subscriber.reconnect, std::nullopt))
        {
            m_meter.ReceivedFirst(*reconnected);
        }
        if (reception.acknowledgement)
        {
            m_log.Sent(delivery.subscriber, broker, *reception.acknowledgement);
            acknowledgements.push_back({*reception.acknowledgement, session});
        }
    }
    if (!acknowledgements.empty())
    {
        Simulator::Schedule(m_clientDelay, [this, broker, moved = std::move(acknowledgements)] {
            ReceiveAcknowledgements(broker, moved);
        });
    }
}

void
World::ReceiveAcknowledgements(NodeId broker, const std::vector<Acknowledgement>& acknowledgements)
{
    for (const auto& [evack, session] : acknowledgements)
    {
        const auto& client = Get(evack.subscriber).client;
        if (client.GetBroker() == broker && client.GetSession() == session)
        {
            Receive(broker, evack.subscriber, evack);
        }
    }
}

void
World::SampleHeld()
{
    if (!m_meter.IsInWindow())
    {
        return;
    }
    size_t held = 0;
    for (const auto& broker : m_brokers)
    {
        held += broker->CountHeld();
    }
    m_meter.SampleHeld(held);
    Simulator::Schedule(Seconds(HELD_SAMPLING), &World::SampleHeld, this);
}

} // namespace

HandoffResult
RunHandoff(const HandoffScenario& scenario)
{
    return World(scenario).Run();
}

} // namespace mftpubsub
