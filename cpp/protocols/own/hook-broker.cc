/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/own/hook-broker.h"

#include "content/content-codec.h"
#include "protocols/own/hook-bytes.h"

#include <span>

namespace mftpubsub
{

namespace
{

/// What a hook answers that has failed.
constexpr int64_t FAILED = 0;

/// @return the bytes that a hook answers
std::span<const uint8_t>
Ask(const BrokerHooks& hooks, BrokerInput what, uint64_t state, Instant now, const Bytes& input)
{
    if (input.size() > hooks.capacity)
    {
        throw BrokerFailure();
    }
    std::ranges::copy(input, hooks.input);
    const auto answer = hooks.call(static_cast<uint32_t>(what), state, now.count(), input.size());
    if (answer == FAILED)
    {
        throw BrokerFailure();
    }
    return {hooks.effects, static_cast<size_t>(answer - 1)};
}

template <typename... Numbers>
Bytes
Write(Numbers... numbers)
{
    ByteWriter out;
    (out.Put(numbers), ...);
    return out.Take();
}

Bytes
With(Bytes head, std::span<const uint8_t> rest)
{
    head.insert(head.end(), rest.begin(), rest.end());
    return head;
}

Bytes
With(Bytes head, const Filter& filter)
{
    const auto& text = filter.GetText();
    head.insert(head.end(), text.begin(), text.end());
    return head;
}

Bytes
With(Bytes head, const Event& event)
{
    ByteWriter out;
    WriteEvent(out, event);
    return With(std::move(head), out.Take());
}

std::shared_ptr<const OwnFormat>
MakeFormat(const BrokerHooks& hooks)
{
    const auto describe = [&hooks](const Own& message, bool isJson) {
        const auto head = Write(static_cast<uint8_t>(isJson), message.kind);
        const auto words = Ask(hooks, BrokerInput::WORDS, 0, Instant(0), With(head, message.body));
        return std::string(words.begin(), words.end());
    };
    return std::make_shared<const OwnFormat>(OwnFormat{SplitKinds(hooks.kinds), describe});
}

} // namespace

BrokerFailure::BrokerFailure()
    : std::runtime_error("a protocol has failed")
{
}

std::vector<EventId>
AskCarried(const BrokerHooks& hooks, const Own& message)
{
    const auto input = With(Write(message.kind), message.body);
    ByteReader in(Ask(hooks, BrokerInput::CARRIED, 0, Instant(0), input));
    return ReadIds(in);
}

HookBroker::HookBroker(NodeId self, const BrokerHooks& hooks, Instant now, uint64_t memory)
    : Broker(self),
      m_hooks(&hooks),
      m_format(MakeFormat(hooks))
{
    BrokerOutput nothing; // nobody is near
    Tell(BrokerInput::START, now, Write(self, memory), nothing);
}

std::unique_ptr<Broker>
HookBroker::Clone() const
{
    return std::make_unique<HookBroker>(*this);
}

void
HookBroker::Tell(BrokerInput what, Instant now, const Bytes& input, BrokerOutput& output)
{
    m_now = now;
    const auto answer = Ask(*m_hooks, what, m_state, now, input);
    const Bytes effects(answer.begin(), answer.end()); // a copy: what follows may ask again
    ByteReader in(effects);
    m_state = in.Get<uint64_t>();
    m_due = in.Get<int64_t>();
    m_memory = in.Get<uint64_t>();
    while (!in.IsAtEnd())
    {
        Execute(static_cast<BrokerEffect>(in.Get<uint8_t>()), in, output);
    }
}

void
HookBroker::Execute(BrokerEffect effect, ByteReader& in, BrokerOutput& output)
{
    switch (effect)
    {
    case BrokerEffect::SEND: {
        const auto kind = in.Get<uint8_t>();
        const auto to = in.Get<NodeId>();
        auto events = ReadIds(in);
        auto body = ReadBytes(in, in.Get<uint16_t>());
        const auto isForParent = to == m_parent;
        output.sends.push_back(
            {to, Own{kind, isForParent, std::move(body), std::move(events), m_format}});
        break;
    }
    case BrokerEffect::DELIVER:
        Deliver(in, output);
        break;
    case BrokerEffect::FILTERS: {
        const auto client = in.Get<NodeId>();
        Filters filters;
        for (auto left = in.Get<uint8_t>(); left > 0; --left)
        {
            filters.filters.push_back(ReadFilter(in));
        }
        output.sends.push_back({client, std::move(filters)});
        break;
    }
    case BrokerEffect::MATCH: {
        const auto id = ReadId(in);
        output.matches.push_back({id, in.Get<NodeId>()});
        break;
    }
    case BrokerEffect::HOLD: {
        const auto id = ReadId(in);
        m_held.emplace(id, in.Get<NodeId>());
        break;
    }
    case BrokerEffect::GIVE_UP: {
        const auto id = ReadId(in);
        const auto subscriber = in.Get<NodeId>();
        m_held.erase({id, subscriber});
        output.drops.push_back({id, subscriber});
        break;
    }
    case BrokerEffect::NOTE:
        output.notes.push_back(in.GetText());
        break;
    }
}

/// Whoever gets an event here is known to want it, and it is not held for them any more.
void
HookBroker::Deliver(ByteReader& in, BrokerOutput& output)
{
    const auto client = in.Get<NodeId>();
    const auto hops = in.Get<uint8_t>();
    const auto wire = ReadBytes(in, in.Get<uint16_t>());
    ByteReader event(wire);
    const auto carried = ReadEvent(event);
    output.matches.push_back({carried->id, client});
    m_held.erase({carried->id, client});
    output.sends.push_back({client, Pub{carried, hops, {client}}});
}

std::optional<Instant>
HookBroker::NextTimer() const
{
    return m_due < 0 ? std::nullopt : std::optional(Instant(m_due));
}

void
HookBroker::LinkUp(Instant now, NodeId neighbour, BrokerOutput& output)
{
    Broker::LinkUp(now, neighbour, output);
    Tell(BrokerInput::LINK_UP, now, Write(neighbour), output);
}

void
HookBroker::LinkDown(Instant now, NodeId neighbour, BrokerOutput& output)
{
    Broker::LinkDown(now, neighbour, output);
    m_parent = m_parent == neighbour ? NO_NODE : m_parent;
    Tell(BrokerInput::LINK_DOWN, now, Write(neighbour), output);
}

void
HookBroker::LinkReset(Instant now, NodeId neighbour, BrokerOutput& output)
{
    Tell(BrokerInput::LINK_RESET, now, Write(neighbour), output);
}

void
HookBroker::ParentChanged(Instant now, NodeId previous, NodeId current, BrokerOutput& output)
{
    m_parent = current;
    Tell(BrokerInput::PARENT_CHANGED, now, Write(previous, current), output);
}

void
HookBroker::NeighbourAlive(Instant now, NodeId neighbour, BrokerOutput& output)
{
    if (m_hooks->wishes & WANTS_ALIVE)
    {
        Tell(BrokerInput::ALIVE, now, Write(neighbour), output);
    }
}

void
HookBroker::Expire(Instant now, BrokerOutput& output)
{
    Tell(BrokerInput::EXPIRED, now, {}, output);
}

void
HookBroker::ExpireTimer(Instant now, const std::string& timer, BrokerOutput& output)
{
    Tell(BrokerInput::EXPIRED, now, Bytes(timer.begin(), timer.end()), output);
}

void
HookBroker::Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output)
{
    const auto tell = [&](BrokerInput what, const Bytes& input) { Tell(what, now, input, output); };
    std::visit(
        Overloaded{
            [&](const Own& m) { tell(BrokerInput::RECEIVE, With(Write(from, m.kind), m.body)); },
            [&](const Attach&) { tell(BrokerInput::ATTACHED, Write(from)); },
            [&](const Mig& m) { tell(BrokerInput::MIGRATED, Write(from, m.previous)); },
            [&](const Sub& m) { tell(BrokerInput::SUBSCRIBED, With(Write(from), m.filter)); },
            [&](const Uns& m) { tell(BrokerInput::UNSUBSCRIBED, With(Write(from), m.filter)); },
            [&](const Pub& m) { tell(BrokerInput::PUBLISHED, With(Write(from), *m.event)); },
            [](const auto&) {},
        },
        message);
}

void
HookBroker::DeliveryFailed(Instant now, NodeId to, const Message& message, BrokerOutput& output)
{
    if (const auto* own = std::get_if<Own>(&message))
    {
        Tell(BrokerInput::FAILED, now, With(Write(to, own->kind), own->body), output);
    }
    else if (const auto* pub = std::get_if<Pub>(&message))
    {
        Tell(BrokerInput::UNDELIVERED, now, With(Write(to), *pub->event), output);
    }
}

std::vector<RouteView>
HookBroker::GetTable() const
{
    if (!HasTable())
    {
        return {};
    }
    const auto answer = Ask(*m_hooks, BrokerInput::TABLE, m_state, m_now, {});
    ByteReader in(answer);
    std::vector<RouteView> table;
    while (!in.IsAtEnd())
    {
        auto& row = table.emplace_back();
        row.subscriber = in.Get<NodeId>();
        row.nextHop = in.Get<NodeId>();
        for (auto left = in.Get<uint8_t>(); left > 0; --left)
        {
            row.filters.push_back(ReadFilter(in));
        }
    }
    return table;
}

bool
HookBroker::HasTable() const
{
    return m_hooks->wishes & HAS_TABLE;
}

std::vector<QueueView>
HookBroker::GetQueues() const
{
    std::map<NodeId, std::vector<EventId>> queues;
    if (m_hooks->wishes & HAS_QUEUES)
    {
        const auto answer = Ask(*m_hooks, BrokerInput::QUEUES, m_state, m_now, {});
        ByteReader in(answer);
        while (!in.IsAtEnd())
        {
            const auto subscriber = in.Get<NodeId>();
            queues[subscriber] = ReadIds(in);
        }
    }
    for (const auto& [event, subscriber] : m_held)
    {
        auto& events = queues[subscriber];
        if (std::ranges::find(events, event) == events.end())
        {
            events.push_back(event);
        }
    }
    std::vector<QueueView> view;
    for (auto& [subscriber, events] : queues)
    {
        if (!events.empty())
        {
            view.push_back({subscriber, std::move(events)});
        }
    }
    return view;
}

size_t
HookBroker::CountHeld() const
{
    return m_hooks->wishes & HAS_QUEUES ? Broker::CountHeld() : m_held.size();
}

uint64_t
HookBroker::GetMemory() const
{
    return m_memory;
}

uint64_t
HookBroker::GetState() const
{
    return m_state;
}

std::string
HookBroker::GetDigest() const
{
    auto text = "own" + std::to_string(m_state) + "^" + std::to_string(m_parent);
    for (const auto& [event, subscriber] : m_held)
    {
        text += " " + std::to_string(event.publisher) + "." + std::to_string(event.sequence) + ">" +
                std::to_string(subscriber);
    }
    return text;
}

} // namespace mftpubsub
