/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/mesh/mesh-lab.h"

#include "lab/mesh/mesh-words.h"
#include "protocols/mesh/make-station.h"

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
constexpr double RSSI_DBM = -80;

} // namespace

MeshLab::MeshLab(MeshLabOptions options)
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

double
MeshLab::Draw()
{
    return std::uniform_real_distribution<double>(0, 1)(m_random);
}

MeshLab::Instant
MeshLab::Local(const Device& device) const
{
    return Times(m_now, device.clock);
}

void
MeshLab::SetLink(NodeId one, NodeId other, bool isUp)
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
MeshLab::SetHears(Hears hears)
{
    m_hears = std::move(hears);
}

void
MeshLab::SetLoss(double loss)
{
    m_options.loss = loss;
}

void
MeshLab::Schedule(Instant at, std::function<void()> what, bool isReception)
{
    m_agenda.emplace(std::pair(at, m_order++), Planned{std::move(what), isReception});
}

void
MeshLab::Run(double seconds)
{
    const auto end = m_now + Seconds(seconds);
    while (!m_agenda.empty() && m_agenda.begin()->first.first <= end)
    {
        Step();
    }
    m_now = end;
}

bool
MeshLab::Step()
{
    if (m_agenda.empty())
    {
        return false;
    }
    const auto next = m_agenda.extract(m_agenda.begin());
    m_now = next.key().first;
    next.mapped().act();
    return true;
}

bool
MeshLab::IsReceptionNext() const
{
    return !m_agenda.empty() && m_agenda.begin()->second.isReception;
}

void
MeshLab::Lose()
{
    const auto next = m_agenda.extract(m_agenda.begin());
    m_now = next.key().first;
    Note("        a frame is not heard");
}

size_t
MeshLab::CountNodes() const
{
    return m_devices.size();
}

uint8_t
MeshLab::GetRoles(NodeId node) const
{
    return m_options.roles[node];
}

bool
MeshLab::IsLinked(NodeId one, NodeId other) const
{
    return !m_cut.contains(std::minmax(one, other));
}

std::vector<Pair>
MeshLab::GetHeld(NodeId node) const
{
    return m_devices[node]->station->GetHeld();
}

bool
MeshLab::IsUp(NodeId node) const
{
    return m_devices[node]->station != nullptr;
}

bool
MeshLab::HasDelivered(NodeId subscriber, EventId event) const
{
    const auto found = m_truth.delivered.find(subscriber);
    return found != m_truth.delivered.end() && found->second.contains(event);
}

const mesh::MeshStation&
MeshLab::GetStation(NodeId node) const
{
    return *m_devices[node]->mesh;
}

EventPtr
MeshLab::Publish(NodeId publisher, const std::string& topic, uint16_t payloadBytes)
{
    Event event{{publisher, m_devices[publisher]->nextSequence++},
                {{"topic", topic}},
                payloadBytes};
    const auto published = std::make_shared<const Event>(std::move(event));
    m_truth.events[published->id] = published;
    m_truth.publishedAt[published->id] = m_now;
    Note(std::to_string(publisher) + " publishes " + Name(published->id) + " " + topic);
    Step(publisher, input::Published{published});
    return published;
}

void
MeshLab::Subscribe(NodeId subscriber, const std::string& text)
{
    const auto filter = Filter::Parse(text);
    m_truth.subscribed[subscriber].emplace(filter, m_now);
    Note(std::to_string(subscriber) + " subscribes to " + text);
    Step(subscriber, input::Subscribed{filter});
}

void
MeshLab::Unsubscribe(NodeId subscriber, const std::string& text)
{
    const auto filter = Filter::Parse(text);
    m_truth.subscribed[subscriber].erase(filter);
    Note(std::to_string(subscriber) + " unsubscribes from " + text);
    Step(subscriber, input::Unsubscribed{filter});
}

void
MeshLab::Crash(NodeId node)
{
    NoteLosses(node);
    auto& device = *m_devices[node];
    device.memory = device.station->GetMemory();
    device.station.reset();
    device.mesh = nullptr;
    ++device.timer;
    Note(std::to_string(node) + " crashes");
}

void
MeshLab::NoteLosses(NodeId crashed)
{
    const auto has = [&](NodeId node, EventId id) {
        const auto* mesh = m_devices[node]->mesh;
        if (!mesh)
        {
            return false;
        }
        const auto* publisher = mesh->GetPublisher();
        const auto* broker = mesh->GetBroker();
        return (publisher && publisher->Holds(id)) || (broker && broker->Holds(id));
    };
    for (const auto& [id, event] : m_truth.events)
    {
        auto isElsewhere = false;
        for (NodeId other = 0; other < m_devices.size(); ++other)
        {
            isElsewhere |= other != crashed && has(other, id);
        }
        if (has(crashed, id) && !isElsewhere)
        {
            m_truth.lost.insert(id);
        }
    }
}

std::optional<Position>
MeshLab::Locate(NodeId node) const
{
    return m_options.locate ? m_options.locate(node) : std::nullopt;
}

std::unique_ptr<mesh::Station>
MeshLab::MakeStation(NodeId node)
{
    auto& device = *m_devices[node];
    mesh::StationOptions options;
    if (m_options.keepSeconds > 0)
    {
        options.policies.queue = std::make_shared<ExpiringQueue>(m_options.keepSeconds);
    }
    auto station = mesh::MakeStation(m_options.protocol,
                                     {node,
                                      m_options.roles[node],
                                      m_options.mesh,
                                      [this] { return Draw(); },
                                      device.memory.value_or(mesh::SubscriberMemory()),
                                      {},
                                      0,
                                      [this, node] { return Locate(node); }},
                                     options);
    device.mesh = dynamic_cast<const mesh::MeshStation*>(station.get());
    return station;
}

void
MeshLab::Restart(NodeId node)
{
    auto& device = *m_devices[node];
    device.station = MakeStation(node);
    if (device.life++ > 0)
    {
        Note(std::to_string(node) + " restarts");
    }
    Step(node, input::Started());
}

void
MeshLab::Step(NodeId node, const mesh::Station::Input& input)
{
    auto& device = *m_devices[node];
    mesh::Output output;
    device.station->Step(Local(device), input, output);
    Carry(node, output);
    Check(node);
    SetTimer(node);
}

void
MeshLab::Carry(NodeId from, const mesh::Output& output)
{
    m_truth.taken.insert(output.taken.begin(), output.taken.end());
    for (const auto& delivery : output.deliveries)
    {
        if (!delivery.isNew)
        {
            continue;
        }
        const auto event = delivery.event;
        if (!m_truth.delivered[from].insert(event).second)
        {
            Violation("5: the application at " + std::to_string(from) + " sees " + Name(event) +
                      " twice");
        }
        Note("        " + std::to_string(from) + " delivers " + Name(event));
    }
    const auto* mesh = m_devices[from]->mesh;
    if (const auto* subscriber = mesh ? mesh->GetSubscriber() : nullptr)
    {
        const auto& memory = subscriber->GetMemory();
        auto& filters = m_truth.words[{from, memory.timestamp}];
        filters.clear();
        for (const auto& [filter, since] : memory.filters)
        {
            filters.push_back(filter);
        }
    }
    if (output.frame)
    {
        const auto wait = Times(MAX_MAC_WAIT, Draw());
        Schedule(m_now + wait, [this, from, life = m_devices[from]->life, frame = *output.frame] {
            OnAir(from, life, frame);
        });
    }
}

void
MeshLab::SetTimer(NodeId node)
{
    auto& device = *m_devices[node];
    const auto at = device.station->NextTimer();
    ++device.timer;
    if (!at)
    {
        return;
    }
    const auto real = std::max(m_now, Times(*at, 1 / device.clock) + Instant(1));
    Schedule(real, [this, node, timer = device.timer] {
        if (m_devices[node]->timer == timer)
        {
            Step(node, input::Expired());
        }
    });
}

void
MeshLab::OnAir(NodeId from, uint32_t life, const mesh::OutgoingFrame& frame)
{
    if (!IsUp(from) || m_devices[from]->life != life)
    {
        return;
    }
    ++m_frames;
    std::vector<std::string> heardBy;
    const auto& bytes = frame.bytes;
    const auto airTime = Seconds(static_cast<double>(bytes.size() + OVERHEAD_BYTES) * 8 / BIT_RATE);
    for (NodeId to = 0; to < m_devices.size(); ++to)
    {
        if (to == from || m_cut.contains(std::minmax(from, to)) ||
            !(m_hears ? m_hears(from, to) : Draw() >= m_options.loss))
        {
            continue;
        }
        if (m_options.isLogging)
        {
            heardBy.push_back(std::to_string(to));
        }
        Schedule(m_now + airTime, [=, this] { Deliver(from, life, to, bytes); }, true);
        if (m_options.duplicates > 0 && Draw() < m_options.duplicates)
        {
            Schedule(
                m_now + airTime + Times(MAX_ECHO, Draw()),
                [=, this] { Deliver(from, life, to, bytes); },
                true);
        }
    }
    NoteFrame(from, frame, heardBy);
    Step(from, input::Transmitted{airTime});
}

void
MeshLab::Deliver(NodeId from, uint32_t life, NodeId to, const Bytes& frame)
{
    const auto isWhole = IsUp(from) && m_devices[from]->life == life;
    if (isWhole && IsUp(to))
    {
        Step(to, input::Heard{frame, RSSI_DBM});
    }
}

void
MeshLab::NoteFrame(NodeId from,
                   const mesh::OutgoingFrame& frame,
                   const std::vector<std::string>& heardBy)
{
    if (!m_options.isLogging)
    {
        return;
    }
    std::string hearers;
    for (const auto& hearer : heardBy)
    {
        hearers += " " + hearer;
    }
    const auto source = std::to_string(from);
    m_log.push_back({Time() + "     " + source + " -> " + Describe(frame) + "   heard by" +
                         (hearers.empty() ? " nobody" : hearers),
                     frame.name,
                     source,
                     heardBy,
                     false});
}

void
MeshLab::Note(const std::string& text)
{
    if (m_options.isLogging)
    {
        m_log.push_back({Time() + " " + text, "", "", {}, false});
    }
}

std::vector<LabLine>
MeshLab::TakeLog()
{
    return std::exchange(m_log, {});
}

std::string
MeshLab::Time() const
{
    char text[32];
    std::snprintf(text, sizeof text, "%7.3f", std::chrono::duration<double>(m_now).count());
    return text;
}

} // namespace mftpubsub
