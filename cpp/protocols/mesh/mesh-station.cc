/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/mesh-station.h"

#include "protocols/mesh/checked-options.h"
#include "protocols/mesh/giving-up.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

MeshStation::MeshStation(NodeId self,
                         uint8_t roles,
                         const Options& options,
                         const Uniform& uniform,
                         BrokerPolicies policies,
                         SubscriberMemory memory,
                         Places::Locate locate)
    : m_context{self,
                roles,
                Checked(SlowedSooner(options.usesPositions ? WithPlaces(options) : options,
                                     policies.queue.get())),
                uniform,
                [this] { return m_sender.GetLoad(); },
                [this](Instant now) {
                    return m_unmixer.CountStuck(now) + m_context.blocks->CountStuck(now);
                },
                [this](Instant since) {
                    return std::max(m_unmixer.CountHeard(since),
                                    m_context.blocks->CountEvents(since));
                },
                [this](size_t bytes) { return m_sender.GetAirTime(bytes); },
                std::make_shared<BlockSums>(m_context.options.limits.block, uniform),
                options.usesPositions ? std::make_shared<Places>(options.limits.place,
                                                                 options.link.hopMetres,
                                                                 std::move(locate))
                                      : nullptr},
      m_maxFrameBytes(options.maxFrameBytes),
      m_sender(options.limits.sender, uniform),
      m_unmixer(options.limits.mix)
{
    const bool hasBroker = roles & BROKER;
    if ((roles & PUBLISHER) && !hasBroker)
    {
        m_publisher.emplace(m_context, QueueOptions{policies.queue, policies.describe});
    }
    if (hasBroker)
    {
        m_broker.emplace(m_context, std::move(policies));
    }
    if (roles & SUBSCRIBER)
    {
        m_subscriber.emplace(m_context, std::move(memory), hasBroker);
    }
}

void
MeshStation::Start(Instant now, Output& output)
{
    m_life = static_cast<uint32_t>(m_context.uniform() * 4294967296.0);
    m_hasStarted = true;
    if (m_broker)
    {
        m_broker->Start(now);
    }
    if (m_subscriber)
    {
        m_subscriber->Start(now);
        SayLocally(now);
    }
    Speak(now, output);
}

void
MeshStation::Receive(Instant now, std::span<const uint8_t> bytes, double rssiDbm, Output& output)
{
    auto decoded = TryDecode(bytes);
    if (!decoded || !IsOtherNode(decoded->header.source, m_context.self) ||
        IsEcho(now, decoded->header))
    {
        return;
    }
    const auto header = decoded->header;
    if (m_context.places && decoded->where)
    {
        m_context.places->Hear(now, header.source, *decoded->where);
        m_context.places->Measure(*decoded);
    }
    const auto* mix = std::get_if<BlockMix>(&decoded->body);
    auto unpacked = mix ? m_context.blocks->Hear(now, *mix) : std::vector<CarriedEvent>();
    // who sends a block has its events; what else was solved by that, or by a sum, it need not have
    const auto its =
        mix && mix->blocks.size() == 1 ? m_context.blocks->GetEvents(*mix) : std::vector<EventId>();
    auto solved = Solve(now, decoded->body);
    Tell(now, header.source, std::move(*decoded), rssiDbm, output);
    if (!unpacked.empty())
    {
        Pub pub{{}, {}, std::move(unpacked)};
        solved = Solve(now, pub);
        const auto others =
            std::stable_partition(pub.events.begin(),
                                  pub.events.end(),
                                  [&its](const CarriedEvent& carried) {
                                      return std::ranges::find(its, carried.event->id) != its.end();
                                  });
        Pub rest{{}, {}, {others, pub.events.end()}};
        pub.events.erase(others, pub.events.end());
        if (!pub.events.empty())
        {
            Tell(now, header.source, {header, std::move(pub)}, rssiDbm, output);
        }
        if (!rest.events.empty())
        {
            Tell(now, NO_NODE, {header, std::move(rest)}, rssiDbm, output);
        }
    }
    if (!solved.empty())
    {
        Tell(now, NO_NODE, {header, Pub{{}, {}, std::move(solved)}}, rssiDbm, output);
    }
    Speak(now, output);
}

std::vector<CarriedEvent>
MeshStation::Solve(Instant now, const Body& body)
{
    std::vector<CarriedEvent> solved;
    const auto know = [&](const std::vector<CarriedEvent>& events) {
        for (const auto& carried : events)
        {
            for (auto& event : m_unmixer.Know(now, carried.event))
            {
                solved.push_back({std::move(event), carried.hops});
            }
        }
    };
    if (const auto* pub = std::get_if<Pub>(&body))
    {
        know(pub->events);
    }
    else if (const auto* rep = std::get_if<Rep>(&body))
    {
        know(rep->events);
    }
    else if (const auto* mix = std::get_if<Mix>(&body))
    {
        for (auto& event : m_unmixer.Hear(now, *mix))
        {
            solved.push_back({std::move(event), mix->hops});
        }
    }
    return solved;
}

void
MeshStation::Tell(Instant now, NodeId holder, Frame frame, double rssiDbm, Output& output)
{
    const auto link = LinkLength(rssiDbm, m_context.options.link);
    const auto sender = std::exchange(frame.header.source, holder);
    if (m_broker)
    {
        m_broker->Receive(now, frame, link, output);
    }
    frame.header.source = sender;
    if (m_subscriber)
    {
        m_subscriber->Receive(now, frame, output);
    }
    if (m_publisher)
    {
        m_publisher->Receive(now, frame, link);
    }
}

bool
MeshStation::IsEcho(Instant now, const Header& header)
{
    const auto isOver = [&](const Heard& heard) {
        return now >= heard.at + m_context.options.limits.sender.echo;
    };
    m_heard.Prune(isOver);
    const auto* last = m_heard.Find(header.source);
    if (last && last->life == header.life && !isOver(*last) &&
        static_cast<int8_t>(header.number - last->number) <= 0)
    {
        return true;
    }
    m_heard[header.source] = {now, header.life, header.number};
    return false;
}

void
MeshStation::Transmitted(Instant now, Instant airTime, Output& output)
{
    m_sender.Transmitted(now, airTime);
    Speak(now, output);
}

void
MeshStation::Dropped(Instant now, Output& output)
{
    m_sender.Dropped(now);
    Speak(now, output);
}

Instant
MeshStation::NextDue() const
{
    auto due = NEVER;
    for (const auto turn : TURNS)
    {
        due = std::min(due, Due(turn));
    }
    return std::max(due, m_sender.FreeAt());
}

void
MeshStation::Expire(Instant now, Output& output)
{
    Speak(now, output);
}

void
MeshStation::Publish(Instant now, const EventPtr& event, Output& output)
{
    m_unmixer.Know(now, event);
    if (m_broker)
    {
        m_broker->Publish(now, event, output);
    }
    else
    {
        m_publisher->Publish(now, event);
    }
    if (m_subscriber)
    {
        m_subscriber->HearLocally(now, event, output);
    }
    Speak(now, output);
}

void
MeshStation::Recall(Instant now, const EventPtr& event, Instant since, Output& output)
{
    if (m_broker)
    {
        m_broker->Recall(now, event, since, output);
    }
    else if (m_publisher) // its roles may be others now
    {
        m_publisher->Recall(event, since);
    }
    if (m_subscriber)
    {
        m_subscriber->HearLocally(now, event, output);
    }
}

void
MeshStation::Subscribe(Instant now, const Filter& filter, Output& output)
{
    m_subscriber->Subscribe(now, filter);
    SayLocally(now);
    Speak(now, output);
}

void
MeshStation::Unsubscribe(Instant now, const Filter& filter, Output& output)
{
    m_subscriber->Unsubscribe(now, filter);
    SayLocally(now);
    Speak(now, output);
}

void
MeshStation::SayLocally(Instant now)
{
    if (m_broker && m_subscriber->GetMemory().timestamp > 0)
    {
        m_broker->Say(now, m_subscriber->GetWord(now));
    }
}

void
MeshStation::Speak(Instant now, Output& output)
{
    m_context.blocks->Forget(now);
    if (!m_hasStarted || m_sender.FreeAt() > now)
    {
        return;
    }
    if (const auto outgoing = Build(now))
    {
        output.frame = {std::string(GetName(outgoing->body)), Encode(now, *outgoing)};
        CheckFits(output.frame->name, output.frame->bytes, m_maxFrameBytes);
        m_sender.HandedOver(now, output.frame->bytes.size());
    }
    if (m_broker)
    {
        const auto matches = m_broker->TakeMatches();
        output.matches.insert(output.matches.end(), matches.begin(), matches.end());
    }
}

Bytes
MeshStation::Encode(Instant now, const Outgoing& outgoing)
{
    Frame frame{{m_context.self, outgoing.destination, 0, m_life, ++m_number}, outgoing.body};
    auto bytes = mesh::Encode(frame);
    if (m_context.places)
    {
        const auto most = m_context.options.maxFrameBytes;
        const auto room = most - std::min(most, bytes.size());
        frame.where = m_context.places->Tell(now, frame.body, room);
        if (frame.where)
        {
            frame.where->isOpen = outgoing.isOpen;
            bytes = mesh::Encode(frame);
        }
    }
    return bytes;
}

std::optional<Outgoing>
MeshStation::Build(Instant now)
{
    const std::array<Speaker*, 3> speakers{m_publisher ? &*m_publisher : nullptr,
                                           m_broker ? &*m_broker : nullptr,
                                           m_subscriber ? &*m_subscriber : nullptr};
    for (const auto turn : TURNS)
    {
        for (auto* speaker : speakers)
        {
            while (speaker && speaker->Due(turn) <= now)
            {
                if (auto outgoing = speaker->Build(now, turn))
                {
                    return outgoing;
                }
            }
        }
    }
    return {};
}

Instant
MeshStation::Due(Turn turn) const
{
    auto due = NEVER;
    if (m_publisher)
    {
        due = m_publisher->Due(turn);
    }
    if (m_broker)
    {
        due = std::min(due, m_broker->Due(turn));
    }
    if (m_subscriber)
    {
        due = std::min(due, m_subscriber->Due(turn));
    }
    return due;
}

std::vector<Pair>
MeshStation::GetHeld() const
{
    std::vector<Pair> pairs;
    for (const auto& [event, subscribers] : GetWanted())
    {
        for (const auto subscriber : *subscribers)
        {
            pairs.push_back({event, subscriber});
        }
    }
    return pairs;
}

std::vector<Wanted>
MeshStation::GetWanted() const
{
    return m_broker ? m_broker->GetWanted() : std::vector<Wanted>();
}

size_t
MeshStation::CountHeld() const
{
    return m_broker ? m_broker->CountHeld() : 0;
}

std::optional<SubscriberMemory>
MeshStation::GetMemory() const
{
    return m_subscriber ? std::optional(m_subscriber->GetMemory()) : std::nullopt;
}

} // namespace mftpubsub::mesh
