/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/handoff-lab.h"

#include "lab/lab.h"
#include "lab/natural-order.h"
#include "protocols/handoff/make-broker.h"
#include "protocols/handoff/pro-active-broker.h"
#include "protocols/handoff/tree.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace mftpubsub
{

namespace
{

using namespace handoff;

constexpr NodeId PUBLISHER = 0; //!< where events are flooded; else one a broker:
constexpr NodeId FIRST_PUBLISHER = 500;
constexpr NodeId FIRST_SUBSCRIBER = 1000;
constexpr Instant NOW{0}; //!< the laboratory has no time

using Link = std::pair<NodeId, NodeId>;

} // namespace

class HandoffLab::State
{
  public:
    explicit State(const HandoffLabOptions& options);

    NodeId FindBroker(const std::string& name) const;
    NodeId FindSubscriber(const std::string& name) const;
    Client& GetClient(NodeId subscriber);

    void Subscribe(const std::string& name, NodeId broker, const Filter& filter, NodeId user);
    void Unsubscribe(NodeId subscriber);
    void Publish(const std::string& name, NodeId broker);
    void Connect(NodeId subscriber, NodeId broker);
    void Disconnect(NodeId subscriber);
    void MoveOut(NodeId subscriber, bool keep);
    void TimeOut(NodeId subscriber, NodeId broker);
    void AddEdge(NodeId one, NodeId other);
    bool Deliver(std::optional<uint64_t> choice);
    std::vector<std::string> GetStates(NodeId subscriber) const;
    std::vector<std::string> FindViolations() const;

    std::set<Link> heldLinks;
    std::vector<std::string> log;
    uint64_t duplicates{0};
    uint64_t disorder{0};
    uint64_t messages{0};

  private:
    struct Subscriber
    {
        Client client;
        Filter filter;
        bool isSubscribed{true};
        std::vector<EventId> wanted; //!< what matched since it subscribed
        Consumed received;           //!< the highest of each publisher
    };

    struct Pending
    {
        Link link;
        NodeId origin;
        NodeId target; //!< the link's end, or a broker behind it
        Message message;
    };

    std::shared_ptr<const Tree> MakeTree(const HandoffLabOptions& options) const;
    void Enqueue(NodeId from, NodeId origin, NodeId target, const Message& message);

    void CarryOut(NodeId broker, const Output& output);
    void Log(NodeId from, NodeId to, const std::string& text);
    std::string Name(NodeId node) const;
    std::string Name(const std::vector<NodeId>& nodes) const;
    std::string Name(const std::vector<EventId>& events) const;
    std::string Name(const Consumed& consumed) const;
    std::string Describe(const Message& message) const;
    template <Related Kind>
    std::string DescribeRelated(const Kind& message) const;

    std::vector<std::string> m_brokerNames; //!< of id 1, 2, ...
    std::vector<std::string> m_subscriberNames;
    std::vector<std::unique_ptr<Broker>> m_brokers; //!< as m_brokerNames
    std::map<NodeId, Subscriber> m_subscribers;
    std::map<EventId, std::string> m_events;
    std::deque<Pending> m_pending; //!< in the order of sending
    const Scheme& m_scheme;
    ClientOptions m_clientOptions;
    bool m_hasLanes;
    std::shared_ptr<const Tree> m_tree;     //!< of those schemes that route
    std::map<NodeId, uint32_t> m_published; //!< by publisher
    std::set<NodeId> m_advertised;
};

HandoffLab::State::State(const HandoffLabOptions& options)
    : m_scheme(FindScheme(options.scheme)),
      m_clientOptions(m_scheme.client),
      m_hasLanes(options.hasLanes)
{
    m_clientOptions.ackBatch = options.ackBatch;
    for (const auto& [one, other] : options.links)
    {
        for (const auto& name : {one, other})
        {
            if (std::find(m_brokerNames.begin(), m_brokerNames.end(), name) == m_brokerNames.end())
            {
                m_brokerNames.push_back(name);
            }
        }
    }
    std::sort(m_brokerNames.begin(), m_brokerNames.end(), NaturallyLess);
    if (m_scheme.routes)
    {
        m_tree = MakeTree(options);
    }
    for (NodeId id = 1; id <= m_brokerNames.size(); ++id)
    {
        Options own;
        own.tree = m_tree;
        own.implicitMoveOut = options.implicitMoveOut;
        own.sessionExpiry = std::chrono::hours(1); // when the laboratory says so
        own.queueBytes = options.queueBytes;
        own.completionMark = options.completionMark;
        own.literalEdgeRefresh = options.literalEdgeRefresh;
        own.mergeDuplicates = options.mergeDuplicates;
        for (const auto& [one, other] : options.neighbours)
        {
            if (FindBroker(one) == id)
            {
                own.neighbours.push_back(FindBroker(other));
            }
            if (FindBroker(other) == id)
            {
                own.neighbours.push_back(FindBroker(one));
            }
        }
        m_brokers.push_back(m_scheme.make(id, own));
    }
    if (m_scheme.advertises)
    {
        const auto& names = options.publishers;
        for (const auto& name : names.empty() ? std::vector{m_brokerNames.front()} : names)
        {
            const auto broker = FindBroker(name);
            const auto publisher = static_cast<NodeId>(FIRST_PUBLISHER + broker);
            m_advertised.insert(publisher);
            Output output;
            m_brokers[broker - 1]->Receive(NOW, publisher, Adv{publisher}, output);
            CarryOut(broker, output);
        }
    }
}

std::shared_ptr<const Tree>
HandoffLab::State::MakeTree(const HandoffLabOptions& options) const
{
    std::vector<Link> links;
    for (const auto& [one, other] : options.links)
    {
        links.emplace_back(FindBroker(one), FindBroker(other));
    }
    const auto root = options.root.empty() ? NodeId{1} : FindBroker(options.root);
    return std::make_shared<const Tree>(links, root);
}

NodeId
HandoffLab::State::FindBroker(const std::string& name) const
{
    const auto found = std::find(m_brokerNames.begin(), m_brokerNames.end(), name);
    if (found == m_brokerNames.end())
    {
        throw LabError("no broker '" + name + "'");
    }
    return static_cast<NodeId>(found - m_brokerNames.begin() + 1);
}

NodeId
HandoffLab::State::FindSubscriber(const std::string& name) const
{
    const auto found = std::find(m_subscriberNames.begin(), m_subscriberNames.end(), name);
    if (found == m_subscriberNames.end())
    {
        throw LabError("no subscriber '" + name + "'");
    }
    return static_cast<NodeId>(found - m_subscriberNames.begin() + FIRST_SUBSCRIBER);
}

Client&
HandoffLab::State::GetClient(NodeId subscriber)
{
    return m_subscribers.at(subscriber).client;
}

void
HandoffLab::State::Subscribe(const std::string& name,
                             NodeId broker,
                             const Filter& filter,
                             NodeId user)
{
    if (std::find(m_subscriberNames.begin(), m_subscriberNames.end(), name) !=
        m_subscriberNames.end())
    {
        throw LabError(name + " has subscribed");
    }
    m_subscriberNames.push_back(name);
    const auto id = FindSubscriber(name);
    auto& subscriber =
        m_subscribers.emplace(id, Subscriber{Client(id, m_clientOptions), filter, true, {}, {}})
            .first->second;
    auto sub = subscriber.client.Subscribe(broker, filter);
    sub.user = user;
    Output output;
    m_brokers[broker - 1]->Receive(NOW, id, sub, output);
    CarryOut(broker, output);
}

void
HandoffLab::State::Unsubscribe(NodeId subscriber)
{
    auto& state = m_subscribers.at(subscriber);
    const auto broker = state.client.GetBroker();
    if (broker == NO_NODE)
    {
        throw LabError(Name(subscriber) + " is not connected");
    }
    state.isSubscribed = false;
    Output output;
    m_brokers[broker - 1]->Receive(NOW, subscriber, state.client.Unsubscribe(), output);
    CarryOut(broker, output);
}

void
HandoffLab::State::Publish(const std::string& name, NodeId at)
{
    auto event = std::make_shared<Event>();
    const auto publisher = m_scheme.routes ? static_cast<NodeId>(FIRST_PUBLISHER + at) : PUBLISHER;
    if (m_scheme.advertises && !m_advertised.contains(publisher))
    {
        throw LabError(Name(at) + " has not advertised: lab ... publishers=" + Name(at));
    }
    event->id = {publisher, ++m_published[publisher]};
    m_events.emplace(event->id, name);
    for (auto& [id, subscriber] : m_subscribers)
    {
        if (subscriber.isSubscribed && subscriber.filter.Matches(*event))
        {
            subscriber.wanted.push_back(event->id);
        }
    }
    for (NodeId broker = 1; broker <= m_brokers.size(); ++broker)
    {
        if (!m_scheme.routes || broker == at)
        {
            Output output;
            m_brokers[broker - 1]->Receive(NOW, publisher, Pub{event}, output);
            CarryOut(broker, output);
        }
    }
}

void
HandoffLab::State::Connect(NodeId subscriber, NodeId broker)
{
    auto& client = GetClient(subscriber);
    if (client.GetBroker() != NO_NODE)
    {
        throw LabError(Name(subscriber) + " is connected: disconnect it first");
    }
    const auto reconnect = client.Connect(broker);
    Log(subscriber, broker, Describe(reconnect));
    Output output;
    m_brokers[broker - 1]->Receive(NOW, subscriber, reconnect, output);
    CarryOut(broker, output);
}

void
HandoffLab::State::Disconnect(NodeId subscriber)
{
    auto& client = GetClient(subscriber);
    const auto broker = client.GetBroker();
    if (broker == NO_NODE)
    {
        throw LabError(Name(subscriber) + " is not connected");
    }
    client.Disconnect();
    Output output;
    m_brokers[broker - 1]->LinkDown(NOW, subscriber, output);
    CarryOut(broker, output);
}

void
HandoffLab::State::MoveOut(NodeId subscriber, bool keep)
{
    const auto broker = GetClient(subscriber).GetBroker();
    if (!m_clientOptions.announces)
    {
        throw LabError("clients of " + m_scheme.name + " do not say that they leave");
    }
    if (broker == NO_NODE)
    {
        throw LabError(Name(subscriber) + " is not connected");
    }
    const handoff::MoveOut moveOut{subscriber, keep};
    Log(subscriber, broker, Describe(moveOut));
    Output output;
    m_brokers[broker - 1]->Receive(NOW, subscriber, moveOut, output);
    CarryOut(broker, output);
    Disconnect(subscriber);
}

void
HandoffLab::State::TimeOut(NodeId subscriber, NodeId broker)
{
    auto& machine = *m_brokers[broker - 1];
    Output output;
    if (auto* proActive = dynamic_cast<ProActiveBroker*>(&machine))
    {
        proActive->TimeOut(subscriber, output);
    }
    else if (machine.NextTimer())
    {
        machine.Expire(Instant::max(), output);
    }
    else
    {
        throw LabError("nothing at " + Name(broker) + " can time out");
    }
    CarryOut(broker, output);
}

void
HandoffLab::State::AddEdge(NodeId one, NodeId other)
{
    for (const auto& [broker, neighbour] : {Link{one, other}, Link{other, one}})
    {
        auto* machine = dynamic_cast<ProActiveBroker*>(m_brokers[broker - 1].get());
        if (!machine)
        {
            throw LabError("only pro-active brokers have neighbours");
        }
        Output output;
        machine->AddNeighbour(NOW, neighbour, output);
        CarryOut(broker, output);
    }
}

bool
HandoffLab::State::Deliver(std::optional<uint64_t> choice)
{
    std::vector<std::deque<Pending>::iterator> heads;
    std::set<Link> blocked = heldLinks;
    std::set<Link> slow; // links where stored events wait: what is sent after them may go first
    for (auto pending = m_pending.begin(); pending != m_pending.end(); ++pending)
    {
        const auto isSlow = m_hasLanes && IsBulk(pending->message);
        if (!blocked.contains(pending->link) &&
            (isSlow ? slow : blocked).insert(pending->link).second)
        {
            heads.push_back(pending);
            if (!choice)
            {
                break;
            }
        }
    }
    if (heads.empty())
    {
        return false;
    }
    const auto head = heads[choice.value_or(0) % heads.size()];
    const auto [link, origin, target, message] = std::move(*head);
    m_pending.erase(head);
    if (link.second != target)
    {
        Log(link.first, link.second, Describe(message) + " to=" + Name(target));
        Enqueue(link.second, origin, target, message);
        return true;
    }
    Log(link.first, link.second, Describe(message));
    Output output;
    m_brokers[target - 1]->Receive(NOW, origin, message, output);
    CarryOut(target, output);
    return true;
}

void
HandoffLab::State::Enqueue(NodeId from, NodeId origin, NodeId target, const Message& message)
{
    const auto next = m_tree ? m_tree->GetNextHop(from, target) : target;
    m_pending.push_back({{from, next}, origin, target, message});
    ++messages;
}

void
HandoffLab::State::CarryOut(NodeId broker, const Output& output)
{
    for (const auto& [to, message] : output.sends)
    {
        Enqueue(broker, broker, to, message);
    }
    for (const auto& [subscriber, session] : output.accepted)
    {
        GetClient(subscriber).Accept(session);
    }
    for (const auto& [subscriber, held] : output.deliveries)
    {
        auto& client = GetClient(subscriber);
        if (client.GetBroker() != broker)
        {
            continue; // on the air when the link broke
        }
        const auto reception = client.Receive(held);
        duplicates += reception.isDuplicate;
        auto& received = m_subscribers.at(subscriber).received;
        disorder += !reception.isDuplicate && received.Covers(held.event->id);
        received.Add(held.event->id);
        Log(broker,
            subscriber,
            "PUB " + Name(std::vector{held.event->id}) +
                (reception.isDuplicate ? " duplicate" : ""));
        if (reception.acknowledgement)
        {
            Output onward;
            m_brokers[broker - 1]->Receive(NOW, subscriber, *reception.acknowledgement, onward);
            CarryOut(broker, onward);
        }
    }
}

void
HandoffLab::State::Log(NodeId from, NodeId to, const std::string& text)
{
    log.push_back(Name(from) + " -> " + Name(to) + " " + text);
}

std::string
HandoffLab::State::Name(NodeId node) const
{
    return node >= FIRST_SUBSCRIBER ? m_subscriberNames.at(node - FIRST_SUBSCRIBER)
                                    : m_brokerNames.at(node - 1);
}

std::string
HandoffLab::State::Name(const std::vector<NodeId>& nodes) const
{
    std::string text;
    for (const auto node : nodes)
    {
        text += (text.empty() ? "" : ",") + Name(node);
    }
    return text;
}

std::string
HandoffLab::State::Name(const std::vector<EventId>& events) const
{
    std::string text;
    for (const auto& event : events)
    {
        text += (text.empty() ? "" : ",") + m_events.at(event);
    }
    return text;
}

std::string
HandoffLab::State::Name(const Consumed& consumed) const
{
    return consumed.GetIds().empty() ? "none" : Name(consumed.GetIds());
}

template <Related Kind>
std::string
HandoffLab::State::DescribeRelated(const Kind& m) const
{
    std::string text;
    if constexpr (requires { m.session; })
    {
        text += " k=" + std::to_string(m.session);
    }
    if constexpr (requires { m.broker; })
    {
        text += m.broker == NO_NODE ? "" : " for=" + Name(m.broker);
    }
    if constexpr (requires { m.old; })
    {
        text += " old=" + Name(m.old);
    }
    if constexpr (requires { m.keep; })
    {
        text += m.keep ? "" : " keep=no";
    }
    if constexpr (requires { m.last; })
    {
        text += " last=" + Name(m.last);
    }
    if constexpr (requires { m.events; })
    {
        std::vector<EventId> ids;
        for (const auto& held : m.events)
        {
            ids.push_back(held.event->id);
        }
        text += " events=[" + Name(ids) + "]";
    }
    return text;
}

std::string
HandoffLab::State::Describe(const Message& message) const
{
    static constexpr const char* MODES[] = {"", "passive", "active"};
    static constexpr const char* REASONS[] = {"moved", "unsubscribe", "timeout", "edge"};
    const auto idsOf = [](const std::vector<Held>& events) {
        std::vector<EventId> ids;
        for (const auto& held : events)
        {
            ids.push_back(held.event->id);
        }
        return ids;
    };
    std::string text{GetName(message)};
    std::visit(
        [&](const auto& m) {
            using Kind = std::decay_t<decltype(m)>;
            if constexpr (std::is_same_v<Kind, Reconnect>)
            {
                text += " old=" + Name(m.old) + " last=" + Name(m.last) +
                        " k=" + std::to_string(m.session);
                return;
            }
            if constexpr (std::is_same_v<Kind, Nbr>)
            {
                text += " N=[" + Name(m.neighbours) + "]";
                return;
            }
            if constexpr (std::is_same_v<Kind, Adv>)
            {
                text += " at=" + Name(static_cast<NodeId>(m.publisher - FIRST_PUBLISHER));
            }
            if constexpr (std::is_same_v<Kind, Pub>)
            {
                text += " " + Name(std::vector{m.event->id});
            }
            if constexpr (requires { m.subscriber; })
            {
                text += " " + Name(m.subscriber);
            }
            if constexpr (Related<Kind>)
            {
                text += DescribeRelated(m);
            }
            if constexpr (requires { m.session.has_value(); })
            {
                text += m.session ? " k=" + std::to_string(*m.session) : "";
            }
            if constexpr (std::is_same_v<Kind, Subs>)
            {
                text += m.mode == Subs::Mode::PLAIN
                            ? ""
                            : std::string(" mode=") + MODES[static_cast<size_t>(m.mode)];
            }
            if constexpr (std::is_same_v<Kind, Delete>)
            {
                text += std::string(" why=") + REASONS[static_cast<size_t>(m.why)];
            }
            if constexpr (std::is_same_v<Kind, Remove>)
            {
                text += m.neighbours ? " N=[" + Name(*m.neighbours) + "] last=" + Name(m.last) : "";
            }
            if constexpr (std::is_same_v<Kind, Transfer>)
            {
                text += " events=[" + Name(idsOf(m.events)) + "]" +
                        (m.neighbours ? " N=[" + Name(*m.neighbours) + "]" : "");
            }
            if constexpr (std::is_same_v<Kind, Activate>)
            {
                text += " last=" + Name(m.last);
            }
            if constexpr (std::is_same_v<Kind, Forward>)
            {
                text += " events=[" + Name(idsOf(m.events)) + "]";
            }
            if constexpr (std::is_same_v<Kind, Context>)
            {
                text += " last=" + Name(m.last) + " events=[" + Name(idsOf(m.events)) + "]";
            }
            if constexpr (std::is_same_v<Kind, Moved>)
            {
                text += " N=[" + Name(m.neighbours) + "] need=" + (m.need ? "yes" : "no") +
                        " last=" + Name(m.last);
            }
            if constexpr (std::is_same_v<Kind, MovedAck>)
            {
                text += " N=[" + Name(m.neighbours) + "] events=[" + Name(idsOf(m.events)) + "]";
            }
            if constexpr (requires { m.isObsolete; })
            {
                text += m.isObsolete ? " obsolete" : "";
            }
        },
        message);
    return text;
}

std::vector<std::string>
HandoffLab::State::GetStates(NodeId subscriber) const
{
    std::vector<std::string> lines;
    for (NodeId broker = 1; broker <= m_brokers.size(); ++broker)
    {
        for (const auto& view : m_brokers[broker - 1]->GetCopies())
        {
            if (view.subscriber != subscriber)
            {
                continue;
            }
            auto line = Name(broker) + " " + view.state;
            line += view.control == NO_NODE ? "" : " ctrl=" + Name(view.control);
            line += view.hops.empty() ? "" : " to=[" + Name(view.hops) + "]";
            line += view.hold ? " hold" : "";
            line += view.awaits.empty() ? "" : " awaits=[" + Name(view.awaits) + "]";
            line += view.buffer.empty() ? "" : " buf=[" + Name(view.buffer) + "]";
            line += view.temp.empty() ? "" : " temp=[" + Name(view.temp) + "]";
            lines.push_back(line);
        }
    }
    return lines;
}

std::vector<std::string>
HandoffLab::State::FindViolations() const
{
    std::vector<std::string> violations;
    for (const auto& [id, subscriber] : m_subscribers)
    {
        for (const auto& event : subscriber.wanted)
        {
            if (!subscriber.client.Has(event))
            {
                violations.push_back("lost: " + Name(id) + " never got " + m_events.at(event));
            }
        }
        for (NodeId broker = 1; broker <= m_brokers.size(); ++broker)
        {
            for (const auto& view : m_brokers[broker - 1]->GetCopies())
            {
                if (view.subscriber != id)
                {
                    continue;
                }
                const auto where = Name(broker) + " is " + view.state + " for " + Name(id);
                if (!subscriber.isSubscribed)
                {
                    violations.push_back("unclaimed: " + where + ", who has unsubscribed");
                }
                else if (view.state == "ACTIVE" || view.state == "AWAY")
                {
                    violations.push_back("stale: " + where + ", who is connected");
                }
                else if ((view.state == "SERVING") != (broker == subscriber.client.GetBroker()))
                {
                    violations.push_back("place: " + where + ", who is elsewhere");
                }
            }
        }
    }
    return violations;
}

HandoffLab::HandoffLab(const HandoffLabOptions& options)
{
    try
    {
        m_state = std::make_unique<State>(options);
    }
    catch (const LabError&)
    {
        throw;
    }
    catch (const std::invalid_argument& error)
    {
        throw LabError(error.what());
    }
}

HandoffLab::~HandoffLab() = default;

void
HandoffLab::Subscribe(const std::string& subscriber,
                      const std::string& at,
                      const std::string& where,
                      const std::string& user)
{
    try
    {
        const auto filter = Filter::Parse(where.empty() ? "1 = 1" : where);
        const auto other = user.empty() ? NO_NODE : m_state->FindSubscriber(user);
        m_state->Subscribe(subscriber, m_state->FindBroker(at), filter, other);
    }
    catch (const FilterError& error)
    {
        throw LabError(std::string("bad filter: ") + error.what());
    }
}

void
HandoffLab::Unsubscribe(const std::string& subscriber)
{
    m_state->Unsubscribe(m_state->FindSubscriber(subscriber));
}

void
HandoffLab::Publish(const std::string& event, const std::string& at)
{
    m_state->Publish(event, at.empty() ? NodeId{1} : m_state->FindBroker(at));
}

void
HandoffLab::Connect(const std::string& subscriber, const std::string& broker)
{
    m_state->Connect(m_state->FindSubscriber(subscriber), m_state->FindBroker(broker));
}

void
HandoffLab::Disconnect(const std::string& subscriber)
{
    m_state->Disconnect(m_state->FindSubscriber(subscriber));
}

void
HandoffLab::MoveOut(const std::string& subscriber, bool keep)
{
    m_state->MoveOut(m_state->FindSubscriber(subscriber), keep);
}

void
HandoffLab::Hold(const std::string& from, const std::string& to)
{
    m_state->heldLinks.emplace(m_state->FindBroker(from), m_state->FindBroker(to));
}

void
HandoffLab::Release(const std::string& from, const std::string& to)
{
    if (m_state->heldLinks.erase({m_state->FindBroker(from), m_state->FindBroker(to)}) == 0)
    {
        throw LabError(from + "->" + to + " is not held");
    }
}

void
HandoffLab::TimeOut(const std::string& subscriber, const std::string& broker)
{
    m_state->TimeOut(m_state->FindSubscriber(subscriber), m_state->FindBroker(broker));
}

void
HandoffLab::AddEdge(const std::string& one, const std::string& other)
{
    m_state->AddEdge(m_state->FindBroker(one), m_state->FindBroker(other));
}

bool
HandoffLab::Step()
{
    return m_state->Deliver({});
}

bool
HandoffLab::StepChoice(uint64_t choice)
{
    return m_state->Deliver(choice);
}

void
HandoffLab::Settle(uint64_t limit)
{
    for (uint64_t steps = 0; m_state->Deliver({}); ++steps)
    {
        if (steps == limit)
        {
            throw std::runtime_error(std::to_string(limit) + " steps did not end it");
        }
    }
}

std::vector<std::string>
HandoffLab::TakeLog()
{
    return std::exchange(m_state->log, {});
}

std::vector<std::string>
HandoffLab::GetStates(const std::string& subscriber) const
{
    return m_state->GetStates(m_state->FindSubscriber(subscriber));
}

std::vector<std::string>
HandoffLab::FindViolations() const
{
    return m_state->FindViolations();
}

uint64_t
HandoffLab::CountDuplicates() const
{
    return m_state->duplicates;
}

uint64_t
HandoffLab::CountDisorder() const
{
    return m_state->disorder;
}

uint64_t
HandoffLab::CountMessages() const
{
    return m_state->messages;
}

std::vector<std::string>
GetHandoffSchemes()
{
    std::vector<std::string> names;
    for (const auto& scheme : GetSchemes())
    {
        names.push_back(scheme.name);
    }
    return names;
}

} // namespace mftpubsub
