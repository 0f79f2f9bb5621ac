/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario/lab.h"

#include "overlay/parent-choice.h"
#include "pubsub/make-broker.h"
#include "pubsub/publisher.h"
#include "pubsub/subscriber.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace mftpubsub
{

namespace
{

using Edge = std::pair<NodeId, NodeId>; // (source, destination)

/// b2 before b10: digits compare as numbers.
bool
NaturallyLess(const std::string& a, const std::string& b)
{
    const auto split = [](const std::string& text) {
        auto digits = text.size();
        while (digits > 0 && std::isdigit(static_cast<unsigned char>(text[digits - 1])))
        {
            --digits;
        }
        const auto number = text.substr(digits);
        return std::tuple(text.substr(0, digits), number.size(), number);
    };
    return split(a) < split(b);
}

std::string
Quote(const std::string& text)
{
    std::string quoted = "\"";
    for (const auto c : text)
    {
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
        }
        quoted += c;
    }
    return quoted + "\"";
}

/// Joins the texts that @p describe makes of @p items into a JSON list.
template <typename List, typename Describe>
std::string
ToJson(const List& items, Describe describe)
{
    std::string text = "[";
    for (const auto& item : items)
    {
        text += (text.size() > 1 ? "," : "") + describe(item);
    }
    return text + "]";
}

Value
ToValue(const LabAttribute& attribute)
{
    switch (attribute.type)
    {
    case LabAttribute::INTEGER:
        return attribute.integer;
    case LabAttribute::REAL:
        return attribute.real;
    case LabAttribute::BOOLEAN:
        return attribute.boolean;
    default:
        return attribute.text;
    }
}

struct InFlight
{
    uint64_t order{0}; //!< in the global order of sending
    std::shared_ptr<const Message> message;
};

/// A broker, or a client, which may be subscriber and publisher both.
struct Process
{
    Process(std::string processName, bool isBroker, NodeId id)
        : name(std::move(processName)),
          broker(isBroker),
          subscriber(id)
    {
    }

    Process(const Process& other)
        : name(other.name),
          broker(other.broker),
          machine(other.machine ? other.machine->Clone() : nullptr),
          parent(other.parent),
          lastParent(other.lastParent),
          choice(other.choice),
          round(other.round),
          at(other.at),
          subscribes(other.subscribes),
          subscriber(other.subscriber),
          publisher(other.publisher),
          published(other.published),
          delivered(other.delivered)
    {
    }

    Process& operator=(const Process&) = delete;

    std::string name;
    bool broker;

    std::unique_ptr<Broker> machine; //!< of a broker that is up
    NodeId parent{NO_NODE};
    NodeId lastParent{NO_NODE};         //!< b_o of the next migration
    std::optional<ParentChoice> choice; //!< of a broker that has heard heartbeats
    uint32_t round{0};                  //!< of these, the last one

    NodeId at{NO_NODE};     //!< the broker of a client
    bool subscribes{false}; //!< has ever: a mere publisher attaches itself without a word
    Subscriber subscriber;
    Publisher publisher;
    uint32_t published{0};
    std::vector<EventId> delivered;
};

/// Who has to get an event.
struct Owed
{
    EventPtr event;
    std::set<NodeId> wanted;  //!< have wanted it ever since it was published
    std::set<NodeId> matched; //!< some broker found that it matches
};

struct Adoption
{
    uint64_t order{0};
    NodeId parent{NO_NODE};
};

struct Failure
{
    Edge link;
    std::shared_ptr<const Message> message;
};

} // namespace

/// All of a laboratory; copies share the processes that neither has touched since.
class Lab::State
{
  public:
    explicit State(const LabOptions& options)
        : m_options(options),
          m_random(options.seed)
    {
    }

    void Build();
    std::unique_ptr<Broker> MakeMachine(NodeId id) const;
    NodeView Describe(NodeId broker) const;
    uint8_t CountHops(NodeId broker) const;

    NodeId FindBroker(const std::string& name) const;
    NodeId FindClient(const std::string& name) const;
    void AddClient(const std::string& name);
    bool Knows(const std::string& name) const;

    void Attach(NodeId client, NodeId broker);
    void LeaveBroker(NodeId client);
    void Link(NodeId one, NodeId other);
    void Unlink(NodeId one, NodeId other);
    void Adopt(NodeId child, NodeId parent);
    void UpdateAdoptions();
    void RequireNoCycle(NodeId one, NodeId other) const;
    void Transmit(NodeId from, NodeId to, const Message& message);
    void SendAll(NodeId from, const std::vector<Send>& sends);
    void SettleFailures();
    void Deliver(const Edge& link);
    void Take(const Edge& choice);
    std::vector<std::pair<uint64_t, Edge>> GetChoices() const;

    const Process& Get(NodeId id) const
    {
        return *m_processes[id];
    }

    Process& Touch(NodeId id)
    {
        if (m_processes[id].use_count() > 1)
        {
            m_processes[id] = std::make_shared<Process>(*m_processes[id]);
        }
        return *m_processes[id];
    }

    const std::string& Name(NodeId id) const
    {
        static const std::string NONE;
        return id == NO_NODE ? NONE : m_processes[id]->name;
    }

    std::string NameEvent(const EventId& id) const
    {
        return Name(id.publisher) + "#" + std::to_string(id.sequence);
    }

    bool IsUp(NodeId broker) const
    {
        return Get(broker).machine != nullptr;
    }

    bool IsLinked(NodeId one, NodeId other) const;
    /// @return the brokers connected to @p broker, not counting its link to @p without
    std::set<NodeId> GetComponent(NodeId broker, NodeId without = NO_NODE) const;
    std::string DescribeFields(const Message& message) const;

    void CheckRoutes(std::vector<std::string>& violations) const;
    void CheckEvents(std::vector<std::string>& violations) const;
    void CheckRoute(NodeId broker,
                    NodeId nextHop,
                    NodeId subscriber,
                    std::vector<std::string>& violations) const;
    std::vector<NodeId> FindQueues(NodeId subscriber, const EventId& event) const;

    LabOptions m_options;
    std::mt19937_64 m_random;
    std::vector<std::shared_ptr<Process>> m_processes; //!< by NodeId; brokers first
    std::vector<NodeId> m_brokers;                     //!< best leader first
    std::map<NodeId, std::set<NodeId>> m_tree;         //!< links between brokers
    std::map<Edge, std::deque<InFlight>> m_channels;   //!< never empty
    std::map<NodeId, Adoption> m_adoptions;            //!< parent changes that can happen now
    std::deque<Failure> m_failures;                    //!< of which the senders are to be told
    std::map<EventId, Owed> m_owed;
    std::vector<LabRecord> m_log;
    bool m_logging{true};
    uint64_t m_order{0};
    uint64_t m_step{0};
    uint64_t m_sent{0};

  private:
    void HandleAt(NodeId to, NodeId from, const Message& message);
    void NoteBroker(NodeId broker, const BrokerOutput& output);
    void NoteDeliveries(NodeId client, const SubscriberOutput& output);
    void Fail(const Edge& link);
    void Record(const Edge& link, const Message& message, bool failed);
};

void
Lab::State::Build()
{
    const auto& protocols = GetBrokerProtocols();
    if (std::ranges::find(protocols, m_options.protocol) == protocols.end())
    {
        std::string known;
        for (const auto& name : protocols)
        {
            known += " " + name;
        }
        throw LabError("no protocol '" + m_options.protocol + "': known are" + known);
    }
    std::set<std::string, decltype(&NaturallyLess)> names(&NaturallyLess);
    names.insert(m_options.root);
    for (const auto& [one, other] : m_options.links)
    {
        names.insert({one, other});
    }
    if (names.contains(""))
    {
        throw LabError("a broker needs a name: links or root are missing one");
    }
    for (const auto& name : names)
    {
        const auto id = static_cast<NodeId>(m_processes.size());
        m_processes.push_back(std::make_shared<Process>(name, true, id));
        m_processes.back()->machine = MakeMachine(id);
        m_tree[id];
    }
    auto order = m_options.order;
    order.push_back(m_options.root);
    order.insert(order.end(), names.begin(), names.end());
    for (const auto& name : order)
    {
        const auto id = FindBroker(name);
        if (std::ranges::find(m_brokers, id) == m_brokers.end())
        {
            m_brokers.push_back(id);
        }
    }
    for (const auto& [one, other] : m_options.links)
    {
        RequireNoCycle(FindBroker(one), FindBroker(other));
        Link(FindBroker(one), FindBroker(other));
    }
    UpdateAdoptions();
}

std::unique_ptr<Broker>
Lab::State::MakeMachine(NodeId id) const
{
    const auto describe = [id] { // without time: nothing ages here
        NodeView me;
        me.id = id;
        return me;
    };
    return MakeBroker(
        m_options.protocol,
        id,
        {m_options.literalChildren, m_options.replay, {m_options.policies.queue, describe}});
}

uint8_t
Lab::State::CountHops(NodeId broker) const
{
    uint8_t hops = 0;
    for (auto at = Get(broker).parent; at != NO_NODE && hops < m_brokers.size(); ++hops)
    {
        at = Get(at).parent;
    }
    return hops;
}

NodeView
Lab::State::Describe(NodeId broker) const
{
    const auto& process = Get(broker);
    NodeView me;
    me.id = broker;
    me.roles = 1;
    me.round = process.round;
    me.parent = process.parent;
    me.hops = CountHops(broker);
    me.children =
        static_cast<uint32_t>(m_tree.at(broker).size() - m_tree.at(broker).count(process.parent));
    me.queuedEvents = process.machine->CountQueued();
    return me;
}

bool
Lab::State::Knows(const std::string& name) const
{
    return std::ranges::any_of(m_processes, [&](const auto& p) { return p->name == name; });
}

NodeId
Lab::State::FindBroker(const std::string& name) const
{
    for (NodeId id = 0; id < m_processes.size(); ++id)
    {
        if (Name(id) == name && Get(id).broker)
        {
            return id;
        }
    }
    throw LabError("no broker '" + name + "'");
}

NodeId
Lab::State::FindClient(const std::string& name) const
{
    for (NodeId id = 0; id < m_processes.size(); ++id)
    {
        if (Name(id) == name && !Get(id).broker)
        {
            return id;
        }
    }
    throw LabError(Knows(name) ? "'" + name + "' is a broker" : "no client '" + name + "'");
}

void
Lab::State::AddClient(const std::string& name)
{
    if (name.empty())
    {
        throw LabError("a client needs a name");
    }
    if (Knows(name))
    {
        throw LabError("'" + name + "' is a broker");
    }
    const auto id = static_cast<NodeId>(m_processes.size());
    m_processes.push_back(std::make_shared<Process>(name, false, id));
}

bool
Lab::State::IsLinked(NodeId one, NodeId other) const
{
    if (Get(one).broker && Get(other).broker)
    {
        return m_tree.at(one).contains(other);
    }
    return Get(one).broker ? Get(other).at == one && IsUp(one)
                           : Get(one).at == other && IsUp(other);
}

std::set<NodeId>
Lab::State::GetComponent(NodeId broker, NodeId without) const
{
    std::set<NodeId> component{broker};
    std::vector<NodeId> open{broker};
    while (!open.empty())
    {
        const auto at = open.back();
        open.pop_back();
        for (const auto next : m_tree.at(at))
        {
            const auto excluded = at == broker && next == without;
            if (!excluded && component.insert(next).second)
            {
                open.push_back(next);
            }
        }
    }
    return component;
}

void
Lab::State::RequireNoCycle(NodeId one, NodeId other) const
{
    if (m_tree.at(one).contains(other))
    {
        throw LabError(Name(one) + " and " + Name(other) + " are linked already");
    }
    if (GetComponent(one).contains(other))
    {
        throw LabError("a link between " + Name(one) + " and " + Name(other) +
                       " would close a cycle");
    }
}

void
Lab::State::Link(NodeId one, NodeId other)
{
    m_tree[one].insert(other);
    m_tree[other].insert(one);
    Touch(one).machine->LinkUp(other);
    Touch(other).machine->LinkUp(one);
}

void
Lab::State::Unlink(NodeId one, NodeId other)
{
    m_tree[one].erase(other);
    m_tree[other].erase(one);
    for (const auto& [node, gone] : {Edge{one, other}, Edge{other, one}})
    {
        auto& process = Touch(node);
        if (process.machine)
        {
            process.machine->LinkDown(gone);
        }
        if (process.parent == gone)
        {
            process.parent = NO_NODE;
        }
    }
    Fail({one, other});
    Fail({other, one});
    SettleFailures();
}

void
Lab::State::Fail(const Edge& link)
{
    if (auto channel = m_channels.extract(link))
    {
        for (const auto& inFlight : channel.mapped())
        {
            m_failures.push_back({link, inFlight.message});
        }
    }
}

void
Lab::State::SettleFailures()
{
    while (!m_failures.empty())
    {
        const auto [link, message] = m_failures.front();
        m_failures.pop_front();
        Record(link, *message, true);
        const auto [from, to] = link;
        auto& sender = Touch(from);
        if (!sender.broker)
        {
            sender.subscriber.DeliveryFailed(to);
            sender.publisher.DeliveryFailed(*message);
        }
        else if (sender.machine)
        {
            BrokerOutput output;
            sender.machine->DeliveryFailed(to, *message, output);
            NoteBroker(from, output);
        }
    }
}

void
Lab::State::Transmit(NodeId from, NodeId to, const Message& message)
{
    if (to == NO_NODE) // a broadcast
    {
        for (const auto neighbour : m_tree.at(from))
        {
            Transmit(from, neighbour, message);
        }
        return;
    }
    ++m_sent;
    auto shared = std::make_shared<const Message>(message);
    if (IsLinked(from, to))
    {
        m_channels[{from, to}].push_back({m_order++, std::move(shared)});
    }
    else
    {
        m_failures.push_back({{from, to}, std::move(shared)});
    }
}

void
Lab::State::SendAll(NodeId from, const std::vector<Send>& sends)
{
    for (const auto& [to, message] : sends)
    {
        Transmit(from, to, message);
    }
}

void
Lab::State::NoteBroker(NodeId broker, const BrokerOutput& output)
{
    for (const auto& match : output.matches)
    {
        m_owed[match.event].matched.insert(match.subscriber);
    }
    for (const auto& drop : output.drops)
    {
        m_owed[drop.event].wanted.erase(drop.subscriber);
    }
    SendAll(broker, output.sends);
}

void
Lab::State::NoteDeliveries(NodeId client, const SubscriberOutput& output)
{
    for (const auto& delivery : output.deliveries)
    {
        if (!delivery.duplicate)
        {
            Touch(client).delivered.push_back(delivery.event->id);
        }
    }
    SendAll(client, output.sends);
}

void
Lab::State::HandleAt(NodeId to, NodeId from, const Message& message)
{
    auto& receiver = Touch(to);
    if (receiver.broker)
    {
        BrokerOutput output;
        receiver.machine->Receive(from, message, output);
        NoteBroker(to, output);
        return;
    }
    SubscriberOutput output;
    receiver.subscriber.Receive(from, message, output);
    NoteDeliveries(to, output);
}

void
Lab::State::Deliver(const Edge& link)
{
    const auto channel = m_channels.find(link);
    const auto message = channel->second.front().message;
    channel->second.pop_front();
    if (channel->second.empty())
    {
        m_channels.erase(channel);
    }
    Record(link, *message, false);
    HandleAt(link.second, link.first, *message);
    SettleFailures();
}

void
Lab::State::Record(const Edge& link, const Message& message, bool failed)
{
    if (m_logging)
    {
        m_log.push_back({m_step,
                         Name(link.first),
                         Name(link.second),
                         std::string(GetName(message)),
                         DescribeFields(message),
                         failed});
    }
}

void
Lab::State::Attach(NodeId client, NodeId broker)
{
    auto& process = Touch(client);
    process.at = broker;
    SubscriberOutput output;
    if (process.subscribes)
    {
        process.subscriber.Attached(broker, output);
    }
    process.publisher.Attached(broker, output.sends);
    NoteDeliveries(client, output);
    SettleFailures();
}

void
Lab::State::LeaveBroker(NodeId client)
{
    auto& process = Touch(client);
    const auto old = process.at;
    process.at = NO_NODE;
    if (old != NO_NODE)
    {
        if (IsUp(old))
        {
            Touch(old).machine->LinkDown(client);
        }
        Fail({client, old});
        Fail({old, client});
        SettleFailures();
    }
    Touch(client).subscriber.Detached();
    Touch(client).publisher.Detached();
}

void
Lab::State::Adopt(NodeId child, NodeId parent)
{
    auto& process = Touch(child);
    const auto previous = process.parent != NO_NODE ? process.parent : process.lastParent;
    process.parent = parent;
    process.lastParent = parent;
    BrokerOutput output;
    process.machine->ParentChanged(previous, parent, output);
    NoteBroker(child, output);
    SettleFailures();
}

void
Lab::State::UpdateAdoptions()
{
    std::map<NodeId, Adoption> enabled;
    std::set<NodeId> visited;
    for (const auto leader : m_brokers) // best first: the first parentless one leads its component
    {
        if (IsUp(leader) && Get(leader).parent == NO_NODE && !visited.contains(leader))
        {
            const auto component = GetComponent(leader);
            visited.insert(component.begin(), component.end());
            std::vector<NodeId> settled{leader};
            for (size_t i = 0; i < settled.size(); ++i)
            {
                const auto node = settled[i];
                for (const auto next : m_tree.at(node))
                {
                    if (Get(next).parent == node)
                    {
                        settled.push_back(next);
                    }
                    else if (Get(node).parent != next)
                    {
                        enabled[next].parent = node;
                    }
                }
            }
        }
    }
    for (auto& [child, adoption] : enabled)
    {
        const auto before = m_adoptions.find(child);
        const auto same = before != m_adoptions.end() && before->second.parent == adoption.parent;
        adoption.order = same ? before->second.order : m_order++;
    }
    m_adoptions = std::move(enabled);
}

std::vector<std::pair<uint64_t, Edge>>
Lab::State::GetChoices() const
{
    std::vector<std::pair<uint64_t, Edge>> choices;
    for (const auto& [link, channel] : m_channels)
    {
        choices.emplace_back(channel.front().order, link);
    }
    for (const auto& [child, adoption] : m_adoptions)
    {
        choices.emplace_back(adoption.order, Edge{child, child});
    }
    std::ranges::sort(choices);
    return choices;
}

void
Lab::State::Take(const Edge& choice)
{
    ++m_step;
    if (choice.first == choice.second)
    {
        Adopt(choice.first, m_adoptions.at(choice.first).parent);
        UpdateAdoptions();
        return;
    }
    Deliver(choice);
}

std::string
Lab::State::DescribeFields(const Message& message) const
{
    std::string text = "{";
    const auto put = [&text](const char* key, const std::string& value) {
        text += (text.size() > 1 ? "," : "") + Quote(key) + ":" + value;
    };
    const auto name = [this](NodeId id) { return Quote(Name(id)); };
    const auto named = [&put, &name](const char* key, NodeId id) { put(key, name(id)); };
    const auto number = [&put](const char* key, uint32_t value) {
        put(key, std::to_string(value));
    };
    const auto filter = [](const Filter& f) { return Quote(f.GetText()); };
    const auto event = [this](const EventPtr& e) { return Quote(NameEvent(e->id)); };
    const auto identified =
        m_options.protocol != "simple-routing" && m_options.protocol != "flooding";
    const auto timed = m_options.protocol.starts_with("mft-pubsub");
    const auto repaired = m_options.protocol == "mft-pubsub-r";
    const auto word = [&](const SubscriberFreshness& w) {
        return "[" + name(w.subscriber) + "," + std::to_string(w.freshness.timestamp) + "," +
               std::to_string(w.freshness.hops) + "]";
    };
    const auto words = [&](std::vector<SubscriberFreshness> list) {
        std::ranges::sort(list, NaturallyLess, [this](const auto& w) {
            return Name(w.subscriber);
        });
        return ToJson(list, word);
    };
    const auto freshness = [&](const Freshness& f) {
        if (timed)
        {
            number("t", f.timestamp);
            number("h", f.hops);
        }
    };
    const auto describe = [&](const auto& m) {
        using M = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<M, Sub> || std::is_same_v<M, Uns>)
        {
            put("f", filter(m.filter));
            if (identified)
            {
                named("s", m.subscriber);
            }
            freshness(m.freshness);
        }
        else if constexpr (std::is_same_v<M, Pub>)
        {
            put("e", event(m.event));
            if (m.addressed)
            {
                put("for", ToJson(m.subscribers, name));
            }
            if (m.timestamp > 0)
            {
                number("ts", m.timestamp);
            }
        }
        else if constexpr (std::is_same_v<M, Mig>)
        {
            named("s", m.subscriber);
            named("b", m.previous);
            freshness(m.freshness);
            if (m_options.protocol == "phoenix")
            {
                number("ts", m.lastReceived);
            }
        }
        else if constexpr (std::is_same_v<M, Rep>)
        {
            named("s", m.subscriber);
            put("e", ToJson(m.events, event));
            if (m.timestamp > 0)
            {
                number("ts", m.timestamp);
            }
        }
        else if constexpr (std::is_same_v<M, Filters>)
        {
            put("f", ToJson(m.filters, filter));
        }
        else if constexpr (std::is_same_v<M, Bmig>)
        {
            put("C", words(m.children));
            put("O", words(m.others));
            number("h", m.hops);
        }
        else if constexpr (std::is_same_v<M, Bquery>)
        {
            named("s", m.subscriber);
            freshness(m.freshness);
        }
        else if constexpr (std::is_same_v<M, Bsub>)
        {
            named("s", m.subscriber);
            put("S", ToJson(m.filters, filter));
            put("T",
                "[" + std::to_string(m.freshness.timestamp) + "," +
                    std::to_string(m.freshness.hops) + "]");
            number("h", m.hops);
            if (repaired)
            {
                number("home", m.home);
            }
        }
        else if constexpr (std::is_same_v<M, CascadingBmig>)
        {
            put("C", ToJson(m.subscribers, name));
            named("b", m.origin);
        }
        else if constexpr (std::is_same_v<M, Btab>)
        {
            put("R", ToJson(m.entries, [&](const TableEntry& entry) {
                    return "[" + name(entry.subscriber) + "," + ToJson(entry.filters, filter) + "]";
                }));
        }
    };
    std::visit(describe, message);
    return text + "}";
}

void
Lab::State::CheckRoute(NodeId broker,
                       NodeId nextHop,
                       NodeId subscriber,
                       std::vector<std::string>& violations) const
{
    const auto home = Get(subscriber).at;
    auto correct = nextHop == subscriber && broker == home;
    if (broker != home && nextHop != NO_NODE && nextHop < m_processes.size() &&
        Get(nextHop).broker && m_tree.at(broker).contains(nextHop))
    {
        // The right neighbour is the one from which the home is reached without this broker.
        std::set<NodeId> visited{broker, nextHop};
        std::vector<NodeId> open{nextHop};
        while (!open.empty())
        {
            const auto at = open.back();
            open.pop_back();
            for (const auto next : m_tree.at(at))
            {
                if (visited.insert(next).second)
                {
                    open.push_back(next);
                }
            }
        }
        correct = visited.contains(home);
    }
    if (!correct)
    {
        violations.push_back("route: " + Name(broker) + " has " + Name(subscriber) + " via '" +
                             Name(nextHop) + "', who is at " + Name(home));
    }
}

void
Lab::State::CheckRoutes(std::vector<std::string>& violations) const
{
    for (NodeId s = 0; s < m_processes.size(); ++s)
    {
        if (Get(s).broker || Get(s).at == NO_NODE || !IsUp(Get(s).at))
        {
            continue;
        }
        const auto& truth = Get(s).subscriber.GetFilters();
        for (const auto broker : GetComponent(Get(s).at))
        {
            const auto table = Get(broker).machine->GetTable();
            const auto row = std::ranges::find(table, s, &RouteView::subscriber);
            const auto held = row == table.end()
                                  ? std::set<Filter>{}
                                  : std::set<Filter>(row->filters.begin(), row->filters.end());
            if (!std::ranges::includes(held, truth))
            {
                violations.push_back("filters: " + Name(broker) + " lacks a filter of " + Name(s));
            }
            if (!std::ranges::includes(truth, held))
            {
                violations.push_back("phantom: " + Name(broker) + " holds a filter that " +
                                     Name(s) + " has not");
            }
            if (row != table.end())
            {
                CheckRoute(broker, row->nextHop, s, violations);
            }
        }
    }
}

std::vector<NodeId>
Lab::State::FindQueues(NodeId subscriber, const EventId& event) const
{
    std::vector<NodeId> holders;
    for (const auto broker : m_brokers)
    {
        if (!IsUp(broker))
        {
            continue;
        }
        for (const auto& queue : Get(broker).machine->GetQueues())
        {
            if (queue.subscriber == subscriber &&
                std::ranges::find(queue.events, event) != queue.events.end())
            {
                holders.push_back(broker);
            }
        }
    }
    return holders;
}

void
Lab::State::CheckEvents(std::vector<std::string>& violations) const
{
    for (const auto& [id, owed] : m_owed)
    {
        for (const auto s : owed.wanted)
        {
            if (!owed.matched.contains(s) ||
                std::ranges::find(Get(s).delivered, id) != Get(s).delivered.end())
            {
                continue;
            }
            const auto holders = FindQueues(s, id);
            const auto what = NameEvent(id) + " for " + Name(s);
            if (holders.empty())
            {
                violations.push_back("lost: " + what);
            }
            else if (Get(s).at != NO_NODE && IsUp(Get(s).at))
            {
                const auto reachable = GetComponent(Get(s).at);
                for (const auto holder : holders)
                {
                    if (reachable.contains(holder))
                    {
                        violations.push_back("stuck: " + what + " at " + Name(holder));
                    }
                }
            }
        }
    }
}

Lab::Lab(const LabOptions& options)
    : m_state(std::make_unique<State>(options))
{
    m_state->Build();
    Settle(1000 * (options.links.size() + 1));
    m_state->m_log.clear();
    m_state->m_step = 0;
    m_state->m_sent = 0;
}

Lab::Lab(const Lab& other)
    : m_state(std::make_unique<State>(*other.m_state))
{
}

Lab&
Lab::operator=(const Lab& other)
{
    m_state = std::make_unique<State>(*other.m_state);
    return *this;
}

Lab::~Lab() = default;

namespace
{

Filter
ParseFilter(const std::string& where)
{
    try
    {
        return Filter::Parse(where);
    }
    catch (const FilterError& error)
    {
        throw LabError("bad filter \"" + where + "\": " + error.what());
    }
}

} // namespace

void
Lab::Subscribe(const std::string& subscriber, const std::string& at, const std::string& where)
{
    auto& state = *m_state;
    const auto filter = ParseFilter(where);
    const auto broker = at.empty() ? NO_NODE : state.FindBroker(at);
    if (!state.Knows(subscriber))
    {
        if (broker == NO_NODE)
        {
            throw LabError("say at which broker the new subscriber '" + subscriber + "' is");
        }
        if (!state.IsUp(broker))
        {
            throw LabError(at + " has crashed");
        }
        state.AddClient(subscriber);
        state.Touch(state.FindClient(subscriber)).at = broker;
    }
    const auto id = state.FindClient(subscriber);
    if (broker != NO_NODE && state.Get(id).at != broker)
    {
        throw LabError(subscriber + " is at '" + state.Name(state.Get(id).at) + "': move it");
    }
    auto& process = state.Touch(id);
    SubscriberOutput output;
    process.subscriber.Subscribe(filter, output);
    if (!process.subscribes)
    {
        process.subscribes = true;
        process.subscriber.Attached(process.at, output);
    }
    state.SendAll(id, output.sends);
    state.SettleFailures();
}

void
Lab::Unsubscribe(const std::string& subscriber, const std::string& where)
{
    auto& state = *m_state;
    const auto id = state.FindClient(subscriber);
    const auto filter = ParseFilter(where);
    if (!state.Get(id).subscriber.GetFilters().contains(filter))
    {
        throw LabError(subscriber + " has no filter \"" + where + "\"");
    }
    SubscriberOutput output;
    state.Touch(id).subscriber.Unsubscribe(filter, output);
    state.SendAll(id, output.sends);
    state.SettleFailures();
    for (auto& [event, owed] : state.m_owed)
    {
        if (owed.wanted.contains(id) && !state.Get(id).subscriber.Wants(*owed.event))
        {
            owed.wanted.erase(id);
        }
    }
}

std::string
Lab::Publish(const std::string& publisher, const std::string& at, const LabEvent& contents)
{
    auto& state = *m_state;
    const auto broker = at.empty() ? NO_NODE : state.FindBroker(at);
    if (broker != NO_NODE && !state.IsUp(broker))
    {
        throw LabError(at + " has crashed");
    }
    if (!state.Knows(publisher))
    {
        if (broker == NO_NODE)
        {
            throw LabError("say at which broker the new publisher '" + publisher + "' is");
        }
        state.AddClient(publisher);
    }
    const auto id = state.FindClient(publisher);
    if (broker != NO_NODE && state.Get(id).at != broker)
    {
        state.LeaveBroker(id);
        state.Attach(id, broker);
    }
    auto event = std::make_shared<Event>();
    event->id = {id, ++state.Touch(id).published};
    for (const auto& attribute : contents.attributes)
    {
        event->attributes.emplace_back(attribute.name, ToValue(attribute));
    }
    auto& owed = state.m_owed[event->id];
    owed.event = event;
    for (NodeId s = 0; s < state.m_processes.size(); ++s)
    {
        if (!state.Get(s).broker && state.Get(s).subscriber.Wants(*event))
        {
            owed.wanted.insert(s);
        }
    }
    std::vector<Send> sends;
    state.Touch(id).publisher.Publish(event, sends);
    state.SendAll(id, sends);
    state.SettleFailures();
    return state.NameEvent(event->id);
}

namespace
{

template <typename S>
NodeId
FindLiveBroker(const S& state, const std::string& name)
{
    const auto id = state.FindBroker(name);
    if (!state.IsUp(id))
    {
        throw LabError(name + " has crashed");
    }
    return id;
}

} // namespace

void
Lab::Connect(const std::string& one, const std::string& other)
{
    auto& state = *m_state;
    const auto a = FindLiveBroker(state, one);
    const auto b = FindLiveBroker(state, other);
    state.RequireNoCycle(a, b);
    state.Link(a, b);
    state.UpdateAdoptions();
    for (const auto& [child, parent] : {Edge{a, b}, Edge{b, a}})
    {
        const auto adoption = state.m_adoptions.find(child);
        if (adoption != state.m_adoptions.end() && adoption->second.parent == parent)
        {
            state.Adopt(child, parent);
            state.UpdateAdoptions();
            return;
        }
    }
}

void
Lab::Disconnect(const std::string& one, const std::string& other)
{
    auto& state = *m_state;
    const auto a = state.FindBroker(one);
    const auto b = state.FindBroker(other);
    if (!state.m_tree.at(a).contains(b))
    {
        throw LabError(one + " and " + other + " are not linked");
    }
    state.Unlink(a, b);
    state.UpdateAdoptions();
}

void
Lab::Migrate(const std::string& broker, const std::string& to)
{
    auto& state = *m_state;
    const auto child = FindLiveBroker(state, broker);
    const auto parent = FindLiveBroker(state, to);
    const auto old = state.Get(child).parent;
    if (old == parent)
    {
        throw LabError(to + " is the parent of " + broker + " already");
    }
    if (state.GetComponent(child, old).contains(parent))
    {
        throw LabError(broker + " cannot migrate to " + to + " below it: that would close a cycle");
    }
    if (old != NO_NODE)
    {
        state.Unlink(child, old);
        state.Touch(child).parent = old;
    }
    state.Link(child, parent);
    state.Adopt(child, parent);
    state.UpdateAdoptions();
}

void
Lab::Hear(const std::string& broker, const std::vector<LabHeartbeat>& heartbeats)
{
    auto& state = *m_state;
    const auto id = FindLiveBroker(state, broker);
    for (const auto& heartbeat : heartbeats)
    {
        if (FindLiveBroker(state, heartbeat.sender) == id)
        {
            throw LabError(broker + " does not hear itself");
        }
    }
    const Leadership leadership{};
    auto& process = state.Touch(id);
    if (!process.choice)
    {
        const auto& policies = state.m_options.policies.overlay;
        process.choice.emplace(id, policies.parent, policies.migration, Instant::max());
    }
    if (process.choice->GetParent() != process.parent)
    {
        process.choice->Forget();
    }
    process.choice->BeginRound(leadership, ++process.round);
    for (const auto& [sender, rssiDbm, advertised] : heartbeats)
    {
        const auto from = state.FindBroker(sender);
        const auto isBelow = state.GetComponent(id, state.Get(id).parent).contains(from);
        Heartbeat word{leadership,
                       process.round,
                       state.CountHops(from),
                       isBelow ? id : state.Get(from).parent,
                       1, // a broker
                       std::nullopt};
        if (advertised >= 0)
        {
            word.advertised = static_cast<uint8_t>(advertised);
        }
        auto& choice = *state.Touch(id).choice;
        if (choice.Hear(Instant(0), from, word, rssiDbm) && choice.Decide(state.Describe(id)) &&
            choice.GetParent() != NO_NODE && choice.GetParent() != state.Get(id).parent)
        {
            Migrate(broker, state.Name(choice.GetParent()));
        }
    }
}

void
Lab::Move(const std::string& client, const std::string& to)
{
    auto& state = *m_state;
    const auto id = state.FindClient(client);
    const auto broker = FindLiveBroker(state, to);
    state.LeaveBroker(id);
    state.Attach(id, broker);
}

void
Lab::Crash(const std::string& broker)
{
    auto& state = *m_state;
    const auto id = FindLiveBroker(state, broker);
    const auto forget = [&state](NodeId subscriber, const EventId& event) {
        state.m_owed[event].wanted.erase(subscriber); // only this broker may have held it
    };
    for (const auto& queue : state.Get(id).machine->GetQueues())
    {
        for (const auto& event : queue.events)
        {
            forget(queue.subscriber, event);
        }
    }
    for (const auto& [link, channel] : state.m_channels)
    {
        for (const auto& inFlight : channel)
        {
            if (link.first != id)
            {
                continue;
            }
            if (const auto* pub = std::get_if<Pub>(inFlight.message.get()))
            {
                for (const auto s : pub->subscribers)
                {
                    forget(s, pub->event->id);
                }
            }
            else if (const auto* rep = std::get_if<Rep>(inFlight.message.get()))
            {
                for (const auto& event : rep->events)
                {
                    forget(rep->subscriber, event->id);
                }
            }
        }
    }
    state.Touch(id).machine = nullptr;
    const auto neighbours = state.m_tree.at(id);
    for (const auto neighbour : neighbours)
    {
        state.Unlink(neighbour, id);
    }
    for (NodeId client = 0; client < state.m_processes.size(); ++client)
    {
        if (!state.Get(client).broker && state.Get(client).at == id)
        {
            state.LeaveBroker(client);
            state.Touch(client).at = id; // comes back with the broker
        }
    }
    state.Touch(id).parent = NO_NODE;
    state.Touch(id).lastParent = NO_NODE;
    state.UpdateAdoptions();
}

void
Lab::Restart(const std::string& broker)
{
    auto& state = *m_state;
    const auto id = state.FindBroker(broker);
    if (state.IsUp(id))
    {
        throw LabError(broker + " has not crashed");
    }
    state.Touch(id).machine = state.MakeMachine(id);
    for (NodeId client = 0; client < state.m_processes.size(); ++client)
    {
        if (!state.Get(client).broker && state.Get(client).at == id)
        {
            state.Attach(client, id);
        }
    }
    state.UpdateAdoptions();
}

std::vector<LabLink>
Lab::GetPending() const
{
    std::vector<LabLink> pending;
    for (const auto& [order, link] : m_state->GetChoices())
    {
        pending.emplace_back(m_state->Name(link.first), m_state->Name(link.second));
    }
    return pending;
}

bool
Lab::Step()
{
    const auto choices = m_state->GetChoices();
    if (choices.empty())
    {
        return false;
    }
    const auto index = m_state->m_options.shuffled ? m_state->m_random() % choices.size() : 0;
    m_state->Take(choices[index].second);
    return true;
}

void
Lab::StepLink(const std::string& source, const std::string& destination)
{
    for (const auto& [order, link] : m_state->GetChoices())
    {
        if (m_state->Name(link.first) == source && m_state->Name(link.second) == destination)
        {
            m_state->Take(link);
            return;
        }
    }
    throw LabError("nothing is pending on " + source + " -> " + destination);
}

bool
Lab::StepChoice(uint64_t choice)
{
    const auto choices = m_state->GetChoices();
    if (choices.empty())
    {
        return false;
    }
    m_state->Take(choices[choice % choices.size()].second);
    return true;
}

uint64_t
Lab::Settle(uint64_t limit)
{
    for (uint64_t steps = 0; steps < limit; ++steps)
    {
        if (!Step())
        {
            return steps;
        }
    }
    if (m_state->GetChoices().empty())
    {
        return limit;
    }
    throw std::runtime_error("not quiet after " + std::to_string(limit) + " steps");
}

const std::vector<LabRecord>&
Lab::GetLog() const
{
    return m_state->m_log;
}

void
Lab::ClearLog()
{
    m_state->m_log.clear();
}

void
Lab::SetLogging(bool logging)
{
    m_state->m_logging = logging;
}

std::vector<LabRoute>
Lab::GetTable(const std::string& broker) const
{
    std::vector<LabRoute> table;
    for (const auto& view : m_state->Get(FindLiveBroker(*m_state, broker)).machine->GetTable())
    {
        auto& row = table.emplace_back(LabRoute{m_state->Name(view.subscriber),
                                                m_state->Name(view.nextHop),
                                                view.freshness.timestamp,
                                                view.freshness.hops,
                                                {}});
        for (const auto& filter : view.filters)
        {
            row.filters.push_back(filter.GetText());
        }
    }
    return table;
}

std::vector<LabQueue>
Lab::GetQueues(const std::string& broker) const
{
    std::vector<LabQueue> queues;
    for (const auto& view : m_state->Get(FindLiveBroker(*m_state, broker)).machine->GetQueues())
    {
        auto& row = queues.emplace_back(LabQueue{m_state->Name(view.subscriber), {}});
        for (const auto& event : view.events)
        {
            row.events.push_back(m_state->NameEvent(event));
        }
    }
    return queues;
}

std::vector<std::string>
Lab::GetDelivered(const std::string& subscriber) const
{
    std::vector<std::string> events;
    for (const auto& event : m_state->Get(m_state->FindClient(subscriber)).delivered)
    {
        events.push_back(m_state->NameEvent(event));
    }
    return events;
}

std::string
Lab::GetParent(const std::string& broker) const
{
    return m_state->Name(m_state->Get(m_state->FindBroker(broker)).parent);
}

std::vector<std::string>
Lab::GetBrokers() const
{
    std::vector<std::string> names;
    for (const auto& process : m_state->m_processes)
    {
        if (process->broker)
        {
            names.push_back(process->name);
        }
    }
    return names;
}

std::string
Lab::GetProcessName(uint16_t id) const
{
    return m_state->Name(id);
}

uint64_t
Lab::CountSent() const
{
    return m_state->m_sent;
}

std::vector<std::string>
Lab::FindViolations() const
{
    std::vector<std::string> violations;
    m_state->CheckRoutes(violations);
    m_state->CheckEvents(violations);
    return violations;
}

std::string
Lab::GetDigest() const
{
    std::ostringstream text;
    for (const auto& process : m_state->m_processes)
    {
        text << process->parent << ',' << process->lastParent << ',' << process->at << ':';
        if (process->machine)
        {
            text << process->machine->GetDigest();
        }
        else if (!process->broker)
        {
            text << process->subscriber.GetDigest() << '+' << process->publisher.CountHeld();
        }
        text << '\n';
    }
    for (const auto& [link, channel] : m_state->m_channels)
    {
        text << link.first << '>' << link.second << ':';
        for (const auto& inFlight : channel)
        {
            text << GetName(*inFlight.message) << m_state->DescribeFields(*inFlight.message);
            if (const auto* pub = std::get_if<Pub>(inFlight.message.get()))
            {
                text << ToJson(pub->subscribers, [](NodeId s) { return std::to_string(s); });
            }
        }
        text << '\n';
    }
    for (const auto& [child, adoption] : m_state->m_adoptions)
    {
        text << child << '^' << adoption.parent << ' ';
    }
    for (const auto& [event, owed] : m_state->m_owed)
    {
        text << event.publisher << '.' << event.sequence;
        for (const auto* set : {&owed.wanted, &owed.matched})
        {
            text << ToJson(*set, [](NodeId s) { return std::to_string(s); });
        }
    }
    return text.str();
}

} // namespace mftpubsub
