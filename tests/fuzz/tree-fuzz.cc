/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * libFuzzer target: brokers of every protocol on a tree (the thesis's family, and C's
 * reconfiguration on its overlay) hear any messages from anybody, and links come and go at any
 * time; brokers stay up, and serve a client that does as it should.
 *
 * Input: protocol; then operations, a byte and its arguments each.
 */
#include "fuzz.h"
#include "protocols/tree/make-broker.h"
#include "protocols/tree/message-codec.h"
#include "protocols/tree/publisher.h"
#include "protocols/tree/subscriber.h"

#include <algorithm>
#include <deque>
#include <set>

using namespace mftpubsub;

namespace
{

constexpr NodeId BROKERS = 3; //!< 1 - 2 - 3, of which 2 is the root
constexpr size_t MAX_STEPS = 10000;

/// Brokers of one protocol on a tree that breaks and mends, as hosts::BrokerHost has them.
class World
{
  public:
    World(const std::string& protocol, NodeId honest)
        : m_honest(honest)
    {
        for (NodeId broker = 1; broker <= BROKERS; ++broker)
        {
            m_brokers.push_back(MakeBroker(protocol, broker, {}));
        }
        LinkUp(1);
        LinkUp(3);
    }

    /// The link of broker 1 or 3 to the root is there again, opened by that child.
    void LinkUp(NodeId child)
    {
        if (m_neighbours.contains({child, ROOT}))
        {
            return;
        }
        AddNeighbour(child, ROOT);
        AddNeighbour(ROOT, child);
        Ask(child, input::ParentChanged{ROOT, ROOT});
    }

    void LinkDown(NodeId child)
    {
        RemoveNeighbour(child, ROOT);
        RemoveNeighbour(ROOT, child);
        for (const auto& sent : TakeBetween(child, ROOT))
        {
            Fail(sent);
        }
    }

    void LinkReset(NodeId child)
    {
        if (!m_neighbours.contains({child, ROOT}))
        {
            return;
        }
        const auto failed = TakeBetween(child, ROOT);
        for (const auto& [one, other] : {std::pair(child, ROOT), std::pair(ROOT, child)})
        {
            Ask(one, input::LinkReset{other});
        }
        for (const auto& sent : failed)
        {
            Fail(sent);
        }
    }

    /// A client, or a stranger, is seen to have gone.
    void Gone(NodeId broker, NodeId node)
    {
        if (node > BROKERS)
        {
            RemoveNeighbour(broker, node);
        }
    }

    void Hear(NodeId broker, NodeId from, const Message& message)
    {
        if (from == broker)
        {
            return;
        }
        if (ComesFromChild(from, message))
        {
            AddNeighbour(broker, from);
        }
        if (!m_neighbours.contains({broker, from}) && IsAmongNeighbours(from, message))
        {
            return;
        }
        Ask(broker, input::Received<Message>{from, message});
    }

    void Alive(NodeId broker, NodeId from)
    {
        if (m_neighbours.contains({broker, from}))
        {
            Ask(broker, input::NeighbourAlive{from});
        }
    }

    bool Step(size_t choice)
    {
        if (m_pending.empty())
        {
            return false;
        }
        // The oldest of a link that has one, so that links keep their order.
        const auto [from, to] = Link(m_pending[choice % m_pending.size()]);
        const auto oldest =
            std::ranges::find_if(m_pending, [&, link = std::pair(from, to)](const Sent& sent) {
                return Link(sent) == link;
            });
        const auto sent = *oldest;
        m_pending.erase(oldest);
        Hear(sent.to, sent.from, sent.message);
        return true;
    }

    void Expire(NodeId broker)
    {
        if (const auto next = m_brokers[broker - 1]->NextTimer())
        {
            m_now = std::max(m_now, *next);
            Ask(broker, input::Expired());
        }
    }

    /// A client that does as it should is served by every broker, whatever others have said: what
    /// is published at its own broker reaches it.
    void CheckService()
    {
        for (size_t steps = 0; steps < MAX_STEPS && Step(0); ++steps)
        {
        }
        for (NodeId broker = 1; broker <= BROKERS; ++broker)
        {
            const auto& machine = *m_brokers[broker - 1];
            Require(machine.Clone()->GetDigest() == machine.GetDigest());
            machine.GetTable();
            machine.GetQueues();
        }
        const auto broker = BROKERS;
        Subscriber subscriber(m_honest);
        Publisher publisher;
        SubscriberOutput said;
        subscriber.Attached(broker, said);
        subscriber.Subscribe(Filter::Parse("1 = 1"), said);
        for (const auto& send : said.sends)
        {
            Hear(broker, m_honest, send.message);
        }
        auto event = std::make_shared<Event>();
        event->id = {m_honest, 1};
        std::vector<Send> published;
        publisher.Attached(broker, published);
        publisher.Publish(event, published);
        m_isServed = false;
        for (const auto& send : published)
        {
            Hear(broker, m_honest, send.message);
        }
        Require(m_isServed);
    }

  private:
    static constexpr NodeId ROOT = 2;

    /// Under way.
    struct Sent
    {
        NodeId from;
        NodeId to;
        Message message;
    };

    static std::pair<NodeId, NodeId> Link(const Sent& sent)
    {
        return {sent.from, sent.to};
    }

    void AddNeighbour(NodeId broker, NodeId neighbour)
    {
        if (m_neighbours.insert({broker, neighbour}).second)
        {
            Ask(broker, input::LinkUp{neighbour});
        }
    }

    void RemoveNeighbour(NodeId broker, NodeId neighbour)
    {
        m_neighbours.erase({broker, neighbour});
        Ask(broker, input::LinkDown{neighbour});
    }

    std::vector<Sent> TakeBetween(NodeId one, NodeId other)
    {
        std::vector<Sent> taken;
        std::erase_if(m_pending, [&](const Sent& sent) {
            const auto isBetween = std::minmax(sent.from, sent.to) == std::minmax(one, other);
            if (isBetween)
            {
                taken.push_back(sent);
            }
            return isBetween;
        });
        return taken;
    }

    void Fail(const Sent& sent)
    {
        Ask(sent.from, input::DeliveryFailed{sent.to, sent.message});
    }

    void Ask(NodeId broker, const Broker::Input& input)
    {
        BrokerOutput output;
        m_brokers[broker - 1]->Step(m_now, input, output);
        for (const auto& [to, message] : output.sends)
        {
            const auto isEvent = GetName(message) == Pub::NAME;
            m_isServed |= isEvent && (to == m_honest || to == NO_NODE);
            Require(Encode(Decode(GetKind(message), Encode(message))) == Encode(message));
            if (to >= 1 && to <= BROKERS && m_pending.size() < MAX_STEPS)
            {
                m_pending.push_back({broker, to, message});
            }
        }
    }

    NodeId m_honest;
    std::vector<std::unique_ptr<Broker>> m_brokers;
    std::set<std::pair<NodeId, NodeId>> m_neighbours; //!< broker and who is one of its
    std::deque<Sent> m_pending;
    Instant m_now{0};
    bool m_isServed{false};
};

void
Operate(World& world, ByteReader& in)
{
    const auto operation = in.Get<uint8_t>() % 10;
    const auto broker = static_cast<NodeId>(in.Get<uint8_t>() % BROKERS + 1);
    const auto argument = in.Get<uint8_t>();
    const NodeId child = argument % 2 == 0 ? 1 : 3;
    switch (operation)
    {
    case 0:
        world.LinkUp(child);
        break;
    case 1:
        world.LinkDown(child);
        break;
    case 2:
        world.LinkReset(child);
        break;
    case 3:
        world.Gone(broker, argument);
        break;
    case 4:
        world.Expire(broker);
        break;
    case 5:
        world.Alive(broker, argument);
        break;
    case 6:
    case 7: {
        const auto kind = in.Get<MessageKind>();
        const auto text = in.GetText();
        const Bytes body(text.begin(), text.end());
        try
        {
            world.Hear(broker, argument, Decode(kind, body));
        }
        catch (const DecodeError&)
        {
        }
        break;
    }
    default:
        world.Step(argument);
    }
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    ByteReader in({data, size});
    if (in.IsAtEnd())
    {
        return 0;
    }
    const auto& protocols = GetBrokerProtocols();
    World world(protocols[in.Get<uint8_t>() % protocols.size()], FindUnused({data, size}, 2000));
    try
    {
        while (!in.IsAtEnd())
        {
            Operate(world, in);
        }
    }
    catch (const DecodeError&)
    {
        // cut off: what it asked for until there has been done
    }
    world.CheckService();
    return 0;
}
