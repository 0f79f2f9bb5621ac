/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Devices on the elected tree where all frames are broadcasts, in a line, with losses and restarts.
 */
#include "function-case.h"
#include "overlay/heartbeat.h"
#include "protocols/tree/make-broker.h"
#include "session/frame.h"
#include "stations/broadcast-tree.h"

#include "ns3/test.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::broadcast_tree_test
{

using namespace std::chrono_literals;

namespace
{

constexpr NodeId PUBLISHER_NODE = 0;
constexpr NodeId SUBSCRIBER_NODE = 3;
constexpr Instant AIR_TIME = 1ms;
const Filter ALL = Filter::Parse("n >= 0");

/// Publisher, two brokers, subscriber: each hears those beside it.
class Line
{
  public:
    Line(std::string protocol, uint32_t seed, double loss)
        : m_protocol(std::move(protocol)),
          m_random(seed),
          m_loss(loss)
    {
        for (NodeId id = 0; id <= SUBSCRIBER_NODE; ++id)
        {
            m_stations.push_back(Make(id, {}));
            Tell(id, input::Started());
        }
    }

    void Tell(NodeId id, const mesh::Station::Input& input)
    {
        mesh::Output output;
        m_stations[id]->Step(m_now, input, output);
        for (const auto& delivery : output.deliveries)
        {
            delivered[delivery.event.sequence] += delivery.isNew;
        }
        if (output.frame)
        {
            isOneAtATime = isOneAtATime && !m_isSending[id];
            isAnyTooLarge = isAnyTooLarge || output.frame->bytes.size() > 200;
            m_isSending[id] = true;
            m_air.push_back({id, std::move(output.frame->bytes)});
        }
    }

    void Publish(uint32_t sequence)
    {
        const auto event = std::make_shared<const Event>(
            Event{{PUBLISHER_NODE, sequence}, {{"n", int64_t{1}}}, 0});
        Tell(PUBLISHER_NODE, input::Published{event});
    }

    /// Lets time go on.
    void Run(Instant duration)
    {
        const auto end = m_now + duration;
        while (true)
        {
            while (!m_air.empty())
            {
                Fly();
            }
            const auto next = NextTimer();
            if (next > end)
            {
                break;
            }
            m_now = std::max(m_now, next);
            for (NodeId id = 0; id < m_stations.size(); ++id)
            {
                if (const auto timer = m_stations[id]->NextTimer(); timer && *timer <= m_now)
                {
                    Tell(id, input::Expired());
                }
            }
        }
        m_now = end;
    }

    /// The device of the subscriber restarts with what is on its stable storage.
    void RestartSubscriber()
    {
        auto memory = *m_stations[SUBSCRIBER_NODE]->GetMemory();
        m_isSending[SUBSCRIBER_NODE] = false;
        m_stations[SUBSCRIBER_NODE] = Make(SUBSCRIBER_NODE, std::move(memory));
        Tell(SUBSCRIBER_NODE, input::Started());
    }

    std::map<uint32_t, int> delivered; //!< how often each is new to the subscriber
    bool isOneAtATime{true};
    bool isAnyTooLarge{false};

  private:
    struct Flight
    {
        NodeId from;
        Bytes bytes;
    };

    std::unique_ptr<BroadcastTree> Make(NodeId id, mesh::SubscriberMemory memory)
    {
        TreeOptions options;
        options.id = id;
        options.roles = id == PUBLISHER_NODE    ? ROLE_PUBLISHER
                        : id == SUBSCRIBER_NODE ? ROLE_SUBSCRIBER
                                                : ROLE_BROKER;
        options.transport.maxFrameBytes = 200;
        options.makeBroker = [this](NodeId self, const auto&, NodeDescriber describe) {
            BrokerOptions broker;
            broker.queues = {nullptr, std::move(describe)};
            return MakeBroker(m_protocol, self, broker);
        };
        const auto uniform = [this] { return std::generate_canonical<double, 53>(m_random); };
        return std::make_unique<BroadcastTree>(std::move(options), uniform, std::move(memory));
    }

    void Fly()
    {
        const auto flight = std::move(m_air.front());
        m_air.pop_front();
        m_isSending[flight.from] = false;
        Tell(flight.from, input::Transmitted{AIR_TIME});
        for (const int step : {-1, 1})
        {
            const auto to = static_cast<NodeId>(flight.from + step);
            if (to < m_stations.size() && std::generate_canonical<double, 53>(m_random) >= m_loss)
            {
                Tell(to, input::Heard{flight.bytes, -60});
            }
        }
    }

    Instant NextTimer() const
    {
        auto next = mesh::NEVER;
        for (const auto& station : m_stations)
        {
            next = std::min(next, station->NextTimer().value_or(mesh::NEVER));
        }
        return next;
    }

    std::string m_protocol;
    std::mt19937 m_random;
    double m_loss;
    Instant m_now{0};
    std::vector<std::unique_ptr<BroadcastTree>> m_stations;
    std::map<NodeId, bool> m_isSending;
    std::deque<Flight> m_air;
};

bool
HasEachOnce(const Line& line, uint32_t count)
{
    return line.delivered.size() == count &&
           std::ranges::all_of(line.delivered, [](const auto& one) { return one.second == 1; });
}

void
EveryEventComesOnce(FunctionCase& test, const std::string& protocol, double loss)
{
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        Line line(protocol, seed, loss);
        line.Run(5s);
        line.Tell(SUBSCRIBER_NODE, input::Subscribed{ALL});
        line.Run(20s);
        for (uint32_t sequence = 0; sequence < 50; ++sequence)
        {
            line.Publish(sequence);
            line.Run(20ms);
        }
        line.Run(60s);
        const auto text = protocol + ", seed " + std::to_string(seed);
        test.Expect(HasEachOnce(line, 50), text + ": 50 events, each once");
        test.Expect(line.isOneAtATime, text + ": a frame follows when the one before has gone");
        test.Expect(!line.isAnyTooLarge, text + ": frames have their bound");
    }
}

void
ASubscriberThatRestartsKeepsItsFiltersAndWhatItHasSeen(FunctionCase& test)
{
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        Line line("mft-pubsub-r", seed, 0.1);
        line.Run(5s);
        line.Tell(SUBSCRIBER_NODE, input::Subscribed{ALL});
        line.Run(10s);
        for (uint32_t sequence = 0; sequence < 20; ++sequence)
        {
            line.Publish(sequence);
            line.Run(20ms);
            if (sequence == 9)
            {
                line.RestartSubscriber();
            }
        }
        line.Run(60s);
        test.Expect(HasEachOnce(line, 20), "seed " + std::to_string(seed) + ": each once");
    }
}

void
StrangersBytesAreNothing(FunctionCase& test)
{
    Line line("mft-pubsub", 1, 0);
    std::mt19937 random(7);
    for (int n = 0; n < 2000; ++n)
    {
        Bytes bytes(random() % 40);
        std::ranges::generate(bytes, [&random] { return static_cast<uint8_t>(random()); });
        line.Tell(static_cast<NodeId>(n % 4), input::Heard{bytes, -60});
    }
    line.Run(10s);
    test.Expect(line.delivered.empty(), "nothing is made of them");
}

std::unique_ptr<BroadcastTree>
MakeLoneBroker(const std::string& protocol)
{
    TreeOptions options;
    options.id = 1;
    options.roles = ROLE_BROKER;
    options.makeBroker = [protocol](NodeId self, const auto&...) {
        return MakeBroker(protocol, self, {});
    };
    return std::make_unique<BroadcastTree>(
        std::move(options),
        [] { return 0.5; },
        mesh::SubscriberMemory());
}

void
HeartbeatsOfNobodyOrOfItselfAreNothing(FunctionCase& test)
{
    Bytes body{0}; // no notices
    const auto heartbeat = Encode(Heartbeat{{0, 0}, 1, 0, NO_NODE, ROLE_BROKER});
    body.insert(body.end(), heartbeat.begin(), heartbeat.end());
    for (const std::string protocol : {"mft-pubsub", "mft-pubsub-r", "mft-pubsub-2"})
    {
        for (const NodeId source : {5, 1, +NO_NODE})
        {
            const auto broker = MakeLoneBroker(protocol);
            mesh::Output output;
            broker->Step(0ms, input::Started(), output);
            const auto timer = broker->NextTimer();
            const FrameHeader header{source, NO_NODE, KIND_HEARTBEAT, 7, NO_SESSION, 0, false};
            broker->Step(10ms, input::Heard{EncodeFrame(header, body), -60}, output);
            const auto isTaken = broker->NextTimer() != timer || output.frame.has_value();
            test.Expect(isTaken == (source == 5), protocol + ": " + std::to_string(source));
        }
    }
}

void
OthersFollowAFrameThatTheSystemDoesNotTakeButNotAtOnce(FunctionCase& test)
{
    const auto lone = MakeLoneBroker("mft-pubsub");
    auto& broker = *lone;
    Instant now{0};
    mesh::Output output;
    broker.Step(now, input::Started(), output);
    for (int heartbeats = 0; heartbeats < 3; ++heartbeats)
    {
        while (!output.frame)
        {
            now = *broker.NextTimer();
            broker.Step(now, input::Expired(), output);
        }
        output = {};
        broker.Step(now, input::Dropped(), output);
        test.Expect(!output.frame, "nothing follows at once");
        test.Expect(*broker.NextTimer() > now, "it waits");
    }
    test.Expect(now > 1s && now < 4s, "three heartbeats");
}

class BroadcastTreeSuite : public ns3::TestSuite
{
  public:
    BroadcastTreeSuite()
        : TestSuite("mftpubsub-broadcast-tree", Type::UNIT)
    {
        Add("Every event comes once despite losses", [](auto& test) {
            EveryEventComesOnce(test, "mft-pubsub-r", 0.1); // as published, it may lose some
        });
        for (const std::string protocol :
             {"mft-pubsub", "phoenix", "cascading", "simple-routing", "flooding"})
        {
            Add(protocol + " brings every event once",
                [protocol](auto& test) { EveryEventComesOnce(test, protocol, 0); });
        }
        Add("A subscriber that restarts keeps its filters and what it has seen",
            ASubscriberThatRestartsKeepsItsFiltersAndWhatItHasSeen);
        Add("Strangers' bytes are nothing", StrangersBytesAreNothing);
        Add("Heartbeats of nobody, or of itself, are nothing",
            HeartbeatsOfNobodyOrOfItselfAreNothing);
        Add("Others follow a frame that the system does not take, but not at once",
            OthersFollowAFrameThatTheSystemDoesNotTakeButNotAtOnce);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

BroadcastTreeSuite g_broadcastTree;

} // namespace

} // namespace mftpubsub::broadcast_tree_test
