/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * libFuzzer target: clients send to the brokers of every hand-off scheme what they like, and links
 * break at any time; brokers stay up, and serve a client that does as it should.
 *
 * Input: scheme, size of the buffers; then operations, a byte and its arguments each.
 */
#include "fuzz.h"
#include "lab/handoff/handoff-links.h"
#include "protocols/handoff/client.h"
#include "protocols/handoff/make-broker.h"
#include "protocols/handoff/publisher.h"
#include "protocols/handoff/radio-codec.h"
#include "protocols/handoff/tree.h"

#include <map>

using namespace mftpubsub;
using namespace mftpubsub::handoff;

namespace
{

constexpr NodeId BROKERS = 3; //!< 1 - 2 - 3
constexpr NodeId CLIENTS = 4; //!< from FIRST_CLIENT on, who send what they like
constexpr NodeId FIRST_CLIENT = 1000;
constexpr NodeId HONEST_PUBLISHER = 500; //!< at broker 1
constexpr size_t MAX_STEPS = 100000;

/// The radio's messages, back and forth once more.
void
CheckCodec(uint8_t kind, const RadioMessage& message)
{
    Require(message.index() == kind);
    const auto encoded = Encode(message);
    Require(Encode(DecodeRadio(kind, encoded)) == encoded);
}

/// Brokers of one scheme with what surrounds them, as hosts::HandoffBrokerHost has it.
class World
{
  public:
    World(const Scheme& scheme, uint64_t queueBytes, NodeId honest)
        : m_scheme(scheme),
          m_honest(honest),
          m_tree(
              std::make_shared<const Tree>(std::vector<std::pair<NodeId, NodeId>>{{1, 2}, {2, 3}},
                                           NodeId{2})),
          m_links(scheme.routes ? m_tree : nullptr, true)
    {
        Options options;
        options.queueBytes = queueBytes;
        options.tree = m_tree;
        options.sessionExpiry = std::chrono::seconds(10);
        options.contextTimeout = std::chrono::seconds(10);
        options.eventExpiry = std::chrono::seconds(10);
        for (NodeId broker = 1; broker <= BROKERS; ++broker)
        {
            options.neighbours = m_tree->GetNeighbours(broker);
            m_brokers.push_back(scheme.make(broker, options));
        }
        for (NodeId client = 0; client < CLIENTS; ++client)
        {
            m_clients.emplace_back(FIRST_CLIENT + client, scheme.client);
        }
        Tell(1, HONEST_PUBLISHER, Adv{HONEST_PUBLISHER});
    }

    /// A client says something over the radio.
    void Hear(NodeId broker, NodeId from, const RadioMessage& message)
    {
        if (const auto* reconnect = std::get_if<Reconnect>(&message))
        {
            Attach(broker, from, *reconnect);
        }
        else if (const auto* pub = std::get_if<Pub>(&message))
        {
            if (pub->event->id.publisher != HONEST_PUBLISHER)
            {
                Publish(broker, from, pub->event);
            }
        }
        else if (const auto* evack = std::get_if<Evack>(&message); evack && IsAt(from, broker))
        {
            Tell(broker, from, Evack{from, evack->id});
        }
    }

    void LinkDown(NodeId broker, NodeId client)
    {
        if (IsAt(client, broker))
        {
            m_at[client].isConnected = false;
            Tell(broker, input::LinkDown{client});
        }
    }

    void MoveOut(NodeId broker, NodeId client, bool keep)
    {
        if (m_scheme.client.announces && IsAt(client, broker))
        {
            Tell(broker, client, handoff::MoveOut{client, keep});
            LinkDown(broker, client);
        }
    }

    void Unsubscribe(NodeId broker, NodeId client)
    {
        if (IsAt(client, broker))
        {
            Tell(broker, client, Uns{client});
            m_at.erase(client);
        }
    }

    void Publish(NodeId broker, NodeId publisher, const EventPtr& event)
    {
        for (NodeId each = 1; each <= BROKERS; ++each)
        {
            if (!m_scheme.routes || each == broker)
            {
                Tell(each, publisher, Pub{event});
            }
        }
    }

    bool Step(std::optional<uint64_t> choice)
    {
        const auto taken = m_links.Take(choice);
        if (!taken)
        {
            return false;
        }
        if (taken->link.second == taken->target)
        {
            Tell(taken->target, taken->origin, taken->message);
        }
        else
        {
            m_links.Send(taken->link.second, taken->origin, taken->target, taken->message);
        }
        return true;
    }

    void Expire(NodeId broker)
    {
        if (const auto next = m_brokers[broker - 1]->NextTimer())
        {
            m_now = std::max(m_now, *next);
            Tell(broker, input::Expired());
        }
    }

    void Settle()
    {
        for (size_t steps = 0; Step({}); ++steps)
        {
            Require(steps < MAX_STEPS);
        }
    }

    /// A client that does as it should gets what is published while it is there, at every broker.
    void CheckService()
    {
        Settle();
        Client client(m_honest, m_scheme.client);
        m_honestClient = &client;
        m_at[m_honest] = {1, client.GetSession(), true};
        Tell(1, m_honest, client.Subscribe(1, Filter::Parse("1 = 1")));
        Settle();
        RequireDelivery();
        for (const NodeId broker : {2, 3, 1})
        {
            const auto old = client.GetBroker();
            MoveOut(old, m_honest, true);
            LinkDown(old, m_honest);
            client.Disconnect();
            Settle();
            Attach(broker, m_honest, client.Connect(broker));
            Settle();
            RequireDelivery();
        }
        for (const auto& broker : m_brokers)
        {
            broker->GetCopies();
            Require(broker->GetHeld().empty() || broker->CountHeld() > 0);
        }
        m_honestClient = nullptr;
    }

  private:
    struct Attachment
    {
        NodeId broker{NO_NODE};
        Session session{0};
        bool isConnected{false};
    };

    bool IsAt(NodeId client, NodeId broker) const
    {
        const auto found = m_at.find(client);
        return found != m_at.end() && found->second.isConnected && found->second.broker == broker;
    }

    void Attach(NodeId broker, NodeId from, const Reconnect& reconnect)
    {
        auto located = reconnect;
        located.subscriber = from;
        located.old = NO_NODE;
        if (const auto found = m_at.find(from); found != m_at.end())
        {
            located.old = found->second.broker;
            LinkDown(located.old, from);
        }
        m_at[from] = {broker, reconnect.session, true};
        if (located.old == NO_NODE)
        {
            for (const auto& filter : reconnect.filters)
            {
                Tell(broker, from, Sub{from, filter, NO_NODE});
            }
            return;
        }
        if (!m_scheme.client.carriesFilters)
        {
            located.filters.clear();
        }
        Tell(broker, from, located);
    }

    void RequireDelivery()
    {
        auto event = std::make_shared<Event>();
        event->id = {HONEST_PUBLISHER, ++m_published};
        Publish(1, HONEST_PUBLISHER, event);
        Settle();
        Require(m_honestClient->Has(event->id));
    }

    void Tell(NodeId broker, NodeId from, const Message& message)
    {
        Tell(broker, input::Received<Message>{from, message});
    }

    void Tell(NodeId broker, const Broker::Input& input)
    {
        Output output;
        m_brokers[broker - 1]->Step(m_now, input, output);
        CarryOut(broker, output);
    }

    void CarryOut(NodeId broker, const Output& output)
    {
        for (const auto& [to, message] : output.sends)
        {
            Require(to >= 1 && to <= BROKERS && to != broker);
            m_links.Send(broker, broker, to, message);
        }
        for (const auto& [subscriber, session] : output.accepted)
        {
            if (auto* client = Find(subscriber))
            {
                client->Accept(session);
            }
        }
        for (const auto& [subscriber, held] : output.deliveries)
        {
            auto* client = Find(subscriber);
            if (!client || !IsAt(subscriber, broker))
            {
                continue;
            }
            if (const auto reception = client->Receive(held); reception.acknowledgement)
            {
                Tell(broker, subscriber, *reception.acknowledgement);
            }
        }
    }

    /// @return the machine of @p client, nullptr if it is unknown
    Client* Find(NodeId client)
    {
        if (client == m_honest)
        {
            return m_honestClient;
        }
        const auto index = static_cast<NodeId>(client - FIRST_CLIENT);
        return index < CLIENTS ? &m_clients[index] : nullptr;
    }

    const Scheme& m_scheme;
    NodeId m_honest;
    std::shared_ptr<const Tree> m_tree;
    HandoffLinks m_links;
    std::vector<std::unique_ptr<Broker>> m_brokers;
    std::vector<Client> m_clients;
    Client* m_honestClient{nullptr};
    std::map<NodeId, Attachment> m_at; //!< by client
    Instant m_now{0};
    uint32_t m_published{0};
};

void
Operate(World& world, ByteReader& in)
{
    const auto operation = in.Get<uint8_t>() % 7;
    const auto broker = static_cast<NodeId>(in.Get<uint8_t>() % BROKERS + 1);
    const auto argument = in.Get<uint8_t>();
    const auto client = static_cast<NodeId>(FIRST_CLIENT + argument % CLIENTS);
    switch (operation)
    {
    case 0: {
        const auto kind = in.Get<uint8_t>();
        const auto text = in.GetText();
        const Bytes body(text.begin(), text.end());
        try
        {
            const auto message = DecodeRadio(kind, body);
            CheckCodec(kind, message);
            world.Hear(broker, client, message);
        }
        catch (const DecodeError&)
        {
        }
        break;
    }
    case 1:
        world.LinkDown(broker, client);
        break;
    case 2:
        world.MoveOut(broker, client, argument & 0x80);
        break;
    case 3:
        world.Unsubscribe(broker, client);
        break;
    case 4:
        world.Expire(broker);
        break;
    default:
        world.Step(argument);
    }
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    ByteReader in({data, size});
    try
    {
        const auto& schemes = GetSchemes();
        const auto& scheme = schemes[in.Get<uint8_t>() % schemes.size()];
        const uint64_t queueBytes = 16 << in.Get<uint8_t>() % 8;
        World world(scheme, queueBytes, FindUnused({data, size}, 2000));
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
    }
    catch (const DecodeError&)
    {
    }
    return 0;
}
