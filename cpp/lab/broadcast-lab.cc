/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/broadcast-lab.h"

#include "lab/frame-text.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace mftpubsub
{

using mesh::Seconds;
using mesh::Times;

namespace
{

/// Between a frame's being handed to the MAC and its going on the air.
constexpr auto MAX_MAC_WAIT = Seconds(0.02);
/// Until a second copy of a frame is heard.
constexpr auto MAX_ECHO = Seconds(0.05);
constexpr double BIT_RATE = 250000;
constexpr size_t OVERHEAD_BYTES = 15;
constexpr uint16_t PAYLOAD_BYTES = 100;
constexpr double RSSI_DBM = -80;
/// Clocks that drift keep an event for less.
constexpr double KEEP_ROUNDING = 0.99;

std::vector<Filter>
GetFilters(const std::map<Filter, mesh::Instant>& filters)
{
    std::vector<Filter> all;
    for (const auto& [filter, since] : filters)
    {
        all.push_back(filter);
    }
    return all;
}

} // namespace

/// A device of the lab.
struct BroadcastLab::Device
{
    std::unique_ptr<mesh::MeshStation> station; //!< none while it is down
    std::optional<mesh::SubscriberMemory> memory;
    uint32_t life{0}; //!< counts its starts
    uint32_t nextSequence{0};
    double clock{1};
    Instant timerAt{mesh::NEVER}; //!< of the latest timer; earlier ones are void
    uint64_t timer{0};
};

BroadcastLab::BroadcastLab(BroadcastLabOptions options)
    : m_options(std::move(options)),
      m_random(m_options.seed)
{
    for (size_t i = 0; i < m_options.roles.size(); ++i)
    {
        m_devices.push_back(std::make_unique<Device>());
        m_devices.back()->clock = 1 + m_options.clockDrift * (2 * Draw() - 1);
        Restart(static_cast<NodeId>(i));
    }
}

BroadcastLab::~BroadcastLab() = default;

double
BroadcastLab::Draw()
{
    return std::uniform_real_distribution<double>(0, 1)(m_random);
}

BroadcastLab::Instant
BroadcastLab::Local(const Device& device) const
{
    return Times(m_now, device.clock);
}

void
BroadcastLab::SetLink(NodeId one, NodeId other, bool isUp)
{
    const auto link = std::minmax(one, other);
    if (isUp)
    {
        m_cut.erase(link);
    }
    else
    {
        m_cut.insert(link);
    }
}

void
BroadcastLab::SetHears(Hears hears)
{
    m_hears = std::move(hears);
}

void
BroadcastLab::SetLoss(double loss)
{
    m_options.loss = loss;
}

void
BroadcastLab::Schedule(Instant at, std::function<void()> what)
{
    m_agenda.emplace(std::pair(at, m_order++), std::move(what));
}

void
BroadcastLab::Run(double seconds)
{
    const auto end = m_now + Seconds(seconds);
    while (!m_agenda.empty() && m_agenda.begin()->first.first <= end)
    {
        const auto next = m_agenda.extract(m_agenda.begin());
        m_now = next.key().first;
        next.mapped()();
    }
    m_now = end;
}

bool
BroadcastLab::IsUp(NodeId node) const
{
    return m_devices[node]->station != nullptr;
}

bool
BroadcastLab::HasDelivered(NodeId subscriber, EventId event) const
{
    const auto found = m_delivered.find(subscriber);
    return found != m_delivered.end() && found->second.contains(event);
}

const mesh::MeshStation&
BroadcastLab::GetStation(NodeId node) const
{
    return *m_devices[node]->station;
}

EventPtr
BroadcastLab::Publish(NodeId publisher, const std::string& topic)
{
    Event event{{publisher, m_devices[publisher]->nextSequence++},
                {{"topic", topic}},
                PAYLOAD_BYTES};
    const auto published = std::make_shared<const Event>(std::move(event));
    m_events[published->id] = published;
    m_publishedAt[published->id] = m_now;
    Note(std::to_string(publisher) + " publishes " + Name(published->id) + " " + topic);
    Step(publisher, [&](auto& station, Instant now, auto& output) {
        station.Publish(now, published, output);
    });
    return published;
}

void
BroadcastLab::Subscribe(NodeId subscriber, const std::string& text)
{
    const auto filter = Filter::Parse(text);
    m_subscribed[subscriber].emplace(filter, m_now);
    Note(std::to_string(subscriber) + " subscribes to " + text);
    Step(subscriber,
         [&](auto& station, Instant now, auto& output) { station.Subscribe(now, filter, output); });
}

void
BroadcastLab::Unsubscribe(NodeId subscriber, const std::string& text)
{
    const auto filter = Filter::Parse(text);
    m_subscribed[subscriber].erase(filter);
    Note(std::to_string(subscriber) + " unsubscribes from " + text);
    Step(subscriber, [&](auto& station, Instant now, auto& output) {
        station.Unsubscribe(now, filter, output);
    });
}

void
BroadcastLab::Crash(NodeId node)
{
    NoteLosses(node);
    auto& device = *m_devices[node];
    device.memory = device.station->GetMemory();
    device.station.reset();
    ++device.timer;
    Note(std::to_string(node) + " crashes");
}

void
BroadcastLab::NoteLosses(NodeId crashed)
{
    const auto has = [&](NodeId node, EventId id) {
        const auto& station = m_devices[node]->station;
        if (!station)
        {
            return false;
        }
        const auto* publisher = station->GetPublisher();
        const auto* broker = station->GetBroker();
        return (publisher && publisher->Holds(id)) || (broker && broker->Holds(id));
    };
    for (const auto& [id, event] : m_events)
    {
        auto isElsewhere = false;
        for (NodeId other = 0; other < m_devices.size(); ++other)
        {
            isElsewhere |= other != crashed && has(other, id);
        }
        if (has(crashed, id) && !isElsewhere)
        {
            m_lost.insert(id);
        }
    }
}

void
BroadcastLab::Restart(NodeId node)
{
    auto& device = *m_devices[node];
    QueueOptions queues;
    if (m_options.keepSeconds > 0)
    {
        queues.policy = std::make_shared<ExpiringQueue>(m_options.keepSeconds);
        queues.describe = [] { return NodeView(); };
    }
    device.station = std::make_unique<mesh::MeshStation>(
        node,
        m_options.roles[node],
        m_options.mesh,
        [this] { return Draw(); },
        queues,
        device.memory.value_or(mesh::SubscriberMemory()));
    if (device.life++ > 0)
    {
        Note(std::to_string(node) + " restarts");
    }
    Step(node, [](auto& station, Instant now, auto& output) { station.Start(now, output); });
}

void
BroadcastLab::Step(NodeId node,
                   const std::function<void(mesh::Station&, Instant, mesh::Output&)>& input)
{
    auto& device = *m_devices[node];
    mesh::Output output;
    input(*device.station, Local(device), output);
    Carry(node, output);
    Check(node);
    SetTimer(node);
}

void
BroadcastLab::Carry(NodeId from, const mesh::Output& output)
{
    m_taken.insert(output.taken.begin(), output.taken.end());
    for (const auto& [event, by, hops, isNew] : output.deliveries)
    {
        if (!isNew)
        {
            continue;
        }
        if (!m_delivered[from].insert(event).second)
        {
            Violation("5: the application at " + std::to_string(from) + " sees " + Name(event) +
                      " twice");
        }
        Note("        " + std::to_string(from) + " delivers " + Name(event));
    }
    if (const auto* subscriber = m_devices[from]->station->GetSubscriber())
    {
        const auto& memory = subscriber->GetMemory();
        m_words[{from, memory.timestamp}] = GetFilters(memory.filters);
    }
    if (output.frame)
    {
        const auto wait = Times(MAX_MAC_WAIT, Draw());
        Schedule(m_now + wait,
                 [this, from, life = m_devices[from]->life, frame = output.frame->bytes] {
                     OnAir(from, life, frame);
                 });
    }
}

void
BroadcastLab::SetTimer(NodeId node)
{
    auto& device = *m_devices[node];
    const auto at = device.station->NextTimer();
    ++device.timer;
    if (at == mesh::NEVER)
    {
        return;
    }
    const auto real = std::max(m_now, Times(at, 1 / device.clock) + Instant(1));
    Schedule(real, [this, node, timer = device.timer] {
        if (m_devices[node]->timer == timer)
        {
            Step(node,
                 [](auto& station, Instant now, auto& output) { station.Expire(now, output); });
        }
    });
}

void
BroadcastLab::OnAir(NodeId from, uint32_t life, const Bytes& frame)
{
    if (!IsUp(from) || m_devices[from]->life != life)
    {
        return;
    }
    ++m_frames;
    std::string heardBy;
    const auto airTime = Seconds(static_cast<double>(frame.size() + OVERHEAD_BYTES) * 8 / BIT_RATE);
    for (NodeId to = 0; to < m_devices.size(); ++to)
    {
        if (to == from || m_cut.contains(std::minmax(from, to)) ||
            !(m_hears ? m_hears(from, to) : Draw() >= m_options.loss))
        {
            continue;
        }
        heardBy += " " + std::to_string(to);
        Schedule(m_now + airTime, [=, this] { Deliver(from, life, to, frame); });
        if (m_options.duplicates > 0 && Draw() < m_options.duplicates)
        {
            Schedule(m_now + airTime + Times(MAX_ECHO, Draw()),
                     [=, this] { Deliver(from, life, to, frame); });
        }
    }
    if (m_options.isLogging)
    {
        Note("    " + std::to_string(from) + " -> " + Describe(mesh::Decode(frame)) +
             "   heard by" + (heardBy.empty() ? " nobody" : heardBy));
    }
    Step(from, [airTime](auto& station, Instant now, auto& output) {
        station.Transmitted(now, airTime, output);
    });
}

void
BroadcastLab::Deliver(NodeId from, uint32_t life, NodeId to, const Bytes& frame)
{
    const auto isWhole = IsUp(from) && m_devices[from]->life == life;
    if (isWhole && IsUp(to))
    {
        Step(to, [&frame](auto& station, Instant now, auto& output) {
            station.Receive(now, frame, RSSI_DBM, output);
        });
    }
}

bool
BroadcastLab::IsOwed(NodeId subscriber, const Event& event) const
{
    const auto found = m_subscribed.find(subscriber);
    return found != m_subscribed.end() &&
           std::ranges::any_of(found->second, [&](const auto& entry) {
               return entry.second <= m_publishedAt.at(event.id) && entry.first.Matches(event);
           });
}

void
BroadcastLab::Check(NodeId node)
{
    CheckBroker(node);
    CheckSubscriber(node);
    CheckPublisher(node);
}

void
BroadcastLab::CheckBroker(NodeId node)
{
    const auto* broker = m_devices[node]->station->GetBroker();
    if (!broker)
    {
        return;
    }
    for (const auto& [id, event] : m_events)
    {
        if (broker->IsSettled(id))
        {
            CheckSettled(node, *event);
        }
        if (!broker->GetHas().Has(id) || broker->Holds(id))
        {
            continue;
        }
        if (m_options.keepSeconds > 0 &&
            m_now - m_publishedAt.at(id) >= Times(Seconds(m_options.keepSeconds), KEEP_ROUNDING))
        {
            m_dropped.insert(id);
        }
        else if (!m_dropped.contains(id) && !broker->IsSettled(id))
        {
            Violation("1: " + std::to_string(node) + " has " + Name(id) + " and does not hold it");
        }
    }
    for (const auto& [key, filters] : m_words)
    {
        const auto* word = broker->GetWords().Find(key.first);
        if (word && word->timestamp == key.second && GetFilters(word->filters) != filters)
        {
            Violation("4: " + std::to_string(node) + " has other filters of " +
                      std::to_string(key.first));
        }
    }
}

void
BroadcastLab::CheckSettled(NodeId broker, const Event& event)
{
    for (const auto& [subscriber, filters] : m_subscribed)
    {
        const auto* word = GetStation(broker).GetBroker()->GetWords().Find(subscriber);
        const auto memory = m_devices[subscriber]->station
                                ? m_devices[subscriber]->station->GetMemory()
                                : m_devices[subscriber]->memory;
        if (word && memory && word->timestamp == memory->timestamp && IsOwed(subscriber, event) &&
            !HasDelivered(subscriber, event.id) && !m_dropped.contains(event.id))
        {
            Violation("1: " + std::to_string(broker) + " has settled " + Name(event.id) +
                      ", which " + std::to_string(subscriber) + " wants and has not got");
        }
    }
}

void
BroadcastLab::CheckSubscriber(NodeId node)
{
    const auto* subscriber = m_devices[node]->station->GetSubscriber();
    if (!subscriber)
    {
        return;
    }
    for (const auto& [id, event] : m_events)
    {
        if (subscriber->GetMemory().done.Has(id) && !HasDelivered(node, id) &&
            IsOwed(node, *event) && !m_dropped.contains(id))
        {
            Violation("2: " + std::to_string(node) + " is done with " + Name(id) +
                      ", which it wants and has not got");
        }
    }
}

void
BroadcastLab::CheckPublisher(NodeId node)
{
    const auto* publisher = m_devices[node]->station->GetPublisher();
    if (!publisher)
    {
        return;
    }
    for (const auto& [id, event] : m_events)
    {
        if (id.publisher == node && !publisher->Holds(id) && !m_taken.contains(id) &&
            !m_lost.contains(id) && m_publishedAt.at(id) < m_now)
        {
            Violation("3: " + std::to_string(node) + " has let go of " + Name(id) +
                      ", which no broker has");
        }
    }
}

std::vector<std::string>
BroadcastLab::CheckConverged() const
{
    std::vector<std::string> wrong;
    std::vector<NodeId> brokers;
    for (NodeId node = 0; node < m_devices.size(); ++node)
    {
        if (GetStation(node).GetBroker())
        {
            brokers.push_back(node);
        }
    }
    for (const auto& [id, event] : m_events)
    {
        const auto holds = [&, id = id](NodeId b) { return GetStation(b).GetBroker()->Holds(id); };
        const auto isHeld = std::ranges::any_of(brokers, holds);
        for (const auto b : brokers)
        {
            if (isHeld && !GetStation(b).GetBroker()->GetHas().Has(id))
            {
                wrong.push_back("6: " + std::to_string(b) + " lacks " + Name(id));
            }
        }
        for (const auto& [subscriber, filters] : m_subscribed)
        {
            if (IsOwed(subscriber, *event) && !HasDelivered(subscriber, id) &&
                !m_lost.contains(id) && !m_dropped.contains(id))
            {
                wrong.push_back("7: " + std::to_string(subscriber) + " never gets " + Name(id));
            }
        }
    }
    for (NodeId node = 0; node < m_devices.size(); ++node)
    {
        const auto* subscriber = GetStation(node).GetSubscriber();
        for (const auto b : brokers)
        {
            const auto* word = GetStation(b).GetBroker()->GetWords().Find(node);
            if (subscriber && subscriber->GetMemory().timestamp > 0 &&
                (!word || word->timestamp != subscriber->GetMemory().timestamp))
            {
                wrong.push_back("6: " + std::to_string(b) + " lacks the word of " +
                                std::to_string(node));
            }
        }
    }
    return wrong;
}

void
BroadcastLab::Violation(const std::string& text)
{
    m_violations.push_back(Time() + " " + text);
    Note("VIOLATION " + text);
}

void
BroadcastLab::Note(const std::string& text)
{
    if (m_options.isLogging)
    {
        m_log += Time() + " " + text + "\n";
    }
}

std::string
BroadcastLab::Time() const
{
    char text[32];
    std::snprintf(text, sizeof text, "%7.3f", std::chrono::duration<double>(m_now).count());
    return text;
}

} // namespace mftpubsub
