/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/relay-station.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

RelayStation::RelayStation(NodeId self,
                           uint8_t roles,
                           const Options& options,
                           const Uniform& uniform,
                           SubscriberMemory memory)
    : m_self(self),
      m_roles(roles),
      m_options(options),
      m_uniform(uniform),
      m_sender(options.limits.sender, uniform),
      m_memory(std::move(memory))
{
    if (!Relays())
    {
        m_has = m_memory.done;
    }
}

void
RelayStation::Start(Instant now, Output& output)
{
    m_life = static_cast<uint32_t>(m_uniform() * 4294967296.0);
    m_hasStarted = true;
    Begin(now);
    Speak(now, output);
}

void
RelayStation::Receive(Instant now, std::span<const uint8_t> frame, double, Output& output)
{
    try
    {
        const auto header = DecodeHeader(frame);
        if (!IsOtherNode(header.source, m_self))
        {
            return;
        }
        ByteReader in(frame.subspan(HEADER_BYTES));
        Hear(now, header, in, output);
    }
    catch (const DecodeError&)
    {
        return;
    }
    Speak(now, output);
}

void
RelayStation::Transmitted(Instant now, Instant airTime, Output& output)
{
    m_sender.Transmitted(now, airTime);
    Speak(now, output);
}

void
RelayStation::Dropped(Instant now, Output& output)
{
    m_sender.Dropped(now);
    Speak(now, output);
}

Instant
RelayStation::NextDue() const
{
    return std::max(Due(), m_sender.FreeAt());
}

void
RelayStation::Expire(Instant now, Output& output)
{
    Speak(now, output);
}

void
RelayStation::Publish(Instant now, const EventPtr& event, Output& output)
{
    Take(now, {event, 0}, m_self, output);
    Speak(now, output);
}

void
RelayStation::Recall(Instant, const EventPtr& event, Instant, Output& output)
{
    // Summaries tell who lacks it. To a subscriber on this device it is nothing new.
    if (!Keep({event, 0}, m_self, output) &&
        m_store.emplace(event->id, CarriedEvent{event, 0}).second)
    {
        output.kept.push_back(event);
    }
}

void
RelayStation::Subscribe(Instant now, const Filter& filter, Output&)
{
    m_memory.filters.emplace(filter, now);
}

void
RelayStation::Unsubscribe(Instant, const Filter& filter, Output&)
{
    m_memory.filters.erase(filter);
}

bool
RelayStation::Take(Instant now, const CarriedEvent& carried, NodeId from, Output& output)
{
    const auto isNew = Keep(carried, from, output);
    if (isNew && Stores(from))
    {
        Stored(now, carried.event->id);
    }
    return isNew;
}

bool
RelayStation::Stores(NodeId from) const
{
    return Relays() || from == m_self;
}

bool
RelayStation::Keep(const CarriedEvent& carried, NodeId from, Output& output)
{
    const auto id = carried.event->id;
    if (m_roles & SUBSCRIBER)
    {
        const auto isNewHere = m_memory.done.Add(id);
        if (std::ranges::any_of(m_memory.filters, [&](const auto& entry) {
                return entry.first.Matches(*carried.event);
            }))
        {
            output.deliveries.push_back(
                {id, from, carried.hops, isNewHere, isNewHere ? carried.event : nullptr});
            if (isNewHere)
            {
                output.matches.push_back({id, m_self});
            }
        }
    }
    const auto isNew = m_has.Add(id);
    if (isNew && Stores(from))
    {
        m_store.emplace(id, carried);
        output.kept.push_back(carried.event);
    }
    if (isNew && Relays())
    {
        output.taken.push_back(id);
    }
    return isNew;
}

void
RelayStation::Speak(Instant now, Output& output)
{
    while (m_hasStarted && m_sender.FreeAt() <= now && Due() <= now)
    {
        if (auto message = Build(now))
        {
            ByteWriter header;
            WriteHeader(header, {m_self, message->destination, message->kind, m_life, 0});
            auto bytes = header.Take();
            bytes.insert(bytes.end(), message->body.begin(), message->body.end());
            output.frame = {std::string(message->name), std::move(bytes), message->events};
            CheckFits(output.frame->name, output.frame->bytes, m_options.maxFrameBytes);
            m_sender.HandedOver(now);
        }
    }
}

std::vector<Pair>
RelayStation::GetHeld() const
{
    return {}; // nobody on the way knows for whom
}

size_t
RelayStation::CountHeld() const
{
    return m_store.size();
}

std::optional<SubscriberMemory>
RelayStation::GetMemory() const
{
    return m_roles & SUBSCRIBER ? std::optional(m_memory) : std::nullopt;
}

} // namespace mftpubsub::mesh
