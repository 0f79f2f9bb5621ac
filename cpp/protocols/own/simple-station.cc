/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/own/simple-station.h"

#include "protocols/mesh/frames.h"
#include "protocols/own/station-checks.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

std::string
ListKinds(const std::vector<std::string>& kinds)
{
    std::string list;
    for (size_t kind = 0; kind < kinds.size(); ++kind)
    {
        list += (kind ? ", " : "") + std::to_string(kind) + " " + kinds[kind];
    }
    return list;
}

/// @throws std::invalid_argument for names that traces cannot tell apart, or not have
std::vector<std::string>
CheckedKinds(std::vector<std::string> kinds)
{
    std::set<std::string> names;
    for (const auto& kind : kinds)
    {
        CheckKind(kind);
        if (!names.insert(kind).second)
        {
            throw std::invalid_argument("two kinds of frames are called " + kind +
                                        ": traces could not tell them apart");
        }
    }
    return kinds;
}

} // namespace

SimpleStation::SimpleStation(StationSeat seat, std::vector<std::string> kinds)
    : m_seat(std::move(seat)),
      m_kinds(CheckedKinds(std::move(kinds))),
      m_sender(m_seat.options.limits.sender, m_seat.uniform)
{
}

template <typename Act>
void
SimpleStation::Do(Instant now, Output& output, Act act)
{
    m_now = now;
    m_output = &output;
    act();
    m_mayHaveMore = true;
    Speak();
    m_output = nullptr;
}

void
SimpleStation::Start(Instant now, Output& output)
{
    m_hasStarted = true;
    Do(now, output, [this] {
        OnStart();
        for (const auto& [filter, since] : m_seat.memory.filters)
        {
            OnSubscribed(filter);
        }
        for (const auto& event : std::exchange(m_early, {}))
        {
            OnPublish(event);
        }
    });
}

void
SimpleStation::Receive(Instant now, std::span<const uint8_t> frame, double rssiDbm, Output& output)
{
    if (frame.size() < HEADER_BYTES || frame[0] >= m_kinds.size())
    {
        return; // bytes from the air may be anything
    }
    ByteReader in(frame);
    OwnMessage message;
    message.kind = in.Get<uint8_t>();
    const auto sender = in.Get<NodeId>();
    if (!IsOtherNode(sender, m_seat.self))
    {
        return;
    }
    message.to = in.Get<NodeId>();
    message.body.assign(frame.begin() + HEADER_BYTES, frame.end());
    m_isAddressed = message.to == m_seat.self;
    Do(now, output, [&] {
        if (message.to == NO_NODE || m_isAddressed)
        {
            OnReceive(message, sender, rssiDbm);
        }
        else
        {
            OnOverhear(message, sender, rssiDbm);
        }
    });
    m_isAddressed = false;
}

void
SimpleStation::Transmitted(Instant now, Instant airTime, Output& output)
{
    m_sender.Transmitted(now, airTime);
    Do(now, output, [] {});
}

void
SimpleStation::Dropped(Instant now, Output& output)
{
    m_sender.Dropped(now);
    Do(now, output, [this] { OnDropped(std::exchange(m_inMac, {})); });
}

void
SimpleStation::Publish(Instant now, const EventPtr& event, Output& output)
{
    if (!m_hasStarted)
    {
        m_early.push_back(event); // the application may be faster than its device
        return;
    }
    Do(now, output, [&] { OnPublish(event); });
}

void
SimpleStation::Subscribe(Instant now, const Filter& filter, Output& output)
{
    if (m_seat.memory.filters.emplace(filter, now).second && m_hasStarted)
    {
        Do(now, output, [&] { OnSubscribed(filter); });
    }
}

void
SimpleStation::Unsubscribe(Instant now, const Filter& filter, Output& output)
{
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it may be that of the memory
    const auto gone = filter;
    if (m_seat.memory.filters.erase(gone) && m_hasStarted)
    {
        Do(now, output, [&] { OnUnsubscribed(gone); });
    }
}

void
SimpleStation::Expire(Instant now, Output& output)
{
    Do(now, output, [this] {
        int count = 0;
        while (const auto key = m_timers.TakeDue(m_now))
        {
            OnTimer(*key);
            if (++count > MOST_AT_ONCE)
            {
                throw std::runtime_error(
                    std::to_string(MOST_AT_ONCE) +
                    " timers have gone off without time passing, the last is " +
                    std::to_string(*key) + ": set it for later");
            }
        }
    });
}

Instant
SimpleStation::NextDue() const
{
    const auto wantsToSend = !m_queue.empty() || m_mayHaveMore;
    return std::min(m_timers.NextDue(), wantsToSend ? m_sender.FreeAt() : NEVER);
}

void
SimpleStation::Speak()
{
    while (m_hasStarted && m_sender.FreeAt() <= m_now)
    {
        if (!m_queue.empty())
        {
            auto message = std::move(m_queue.front());
            m_queue.pop_front();
            Send(std::move(message));
        }
        else if (auto message = NextMessage())
        {
            CheckAddressee(message->to);
            Send(std::move(*message));
        }
        else
        {
            m_mayHaveMore = false;
            return;
        }
    }
}

void
SimpleStation::Send(OwnMessage message)
{
    if (message.kind >= m_kinds.size())
    {
        throw std::out_of_range("a message of kind " + std::to_string(message.kind) +
                                ": the kinds that the constructor names are " + ListKinds(m_kinds));
    }
    const auto& name = m_kinds[message.kind];
    CheckFits(name, message.body, GetMaxBytes());
    ByteWriter header;
    header.Put(message.kind);
    header.Put(m_seat.self);
    header.Put(message.to);
    auto bytes = header.Take();
    bytes.insert(bytes.end(), message.body.begin(), message.body.end());
    m_output->frame = {name, std::move(bytes), message.events};
    m_inMac = std::move(message);
    m_sender.HandedOver(m_now);
}

Output&
SimpleStation::GetOutput(const char* who) const
{
    if (!m_output)
    {
        throw std::logic_error(std::string(who) +
                               ": call it in OnStart or later, not in the constructor");
    }
    return *m_output;
}

void
SimpleStation::Broadcast(OwnMessage message)
{
    CheckAddressee(message.to);
    m_queue.push_back(std::move(message));
}

void
SimpleStation::CheckAddressee(NodeId to) const
{
    if (to != NO_NODE)
    {
        CheckExists("a message for", to, m_seat.nodes);
    }
}

void
SimpleStation::Deliver(const EventPtr& event, NodeId sender, uint8_t hops)
{
    auto& output = GetOutput("Deliver");
    if (!event)
    {
        throw std::invalid_argument("Deliver: the event is nullptr: give one that was published");
    }
    CheckExists("Deliver: from", sender, m_seat.nodes);
    Take(event->id);
    auto& memory = m_seat.memory;
    const auto isWanted =
        Has(SUBSCRIBER) && std::ranges::any_of(memory.filters, [&](const auto& entry) {
            return entry.first.Matches(*event);
        });
    if (isWanted)
    {
        const auto isNew = memory.done.Add(event->id);
        output.deliveries.push_back(
            {event->id, sender, hops, isNew, isNew ? event : nullptr, m_isAddressed});
        if (isNew)
        {
            Match(event->id, m_seat.self);
        }
    }
}

void
SimpleStation::DeliverCopy(EventId event, NodeId sender, uint8_t hops)
{
    auto& output = GetOutput("DeliverCopy");
    CheckExists("DeliverCopy: from", sender, m_seat.nodes);
    if (m_seat.memory.done.Has(event))
    {
        output.deliveries.push_back({event, sender, hops, false, nullptr, m_isAddressed});
    }
}

void
SimpleStation::Take(EventId event)
{
    auto& output = GetOutput("Take");
    if (Has(BROKER))
    {
        output.taken.push_back(event);
    }
}

void
SimpleStation::Match(EventId event, NodeId subscriber)
{
    GetOutput("Match").matches.push_back({event, subscriber});
}

void
SimpleStation::Hold(EventId event, NodeId subscriber)
{
    m_held.emplace(event, subscriber);
}

void
SimpleStation::GiveUp(EventId event, NodeId subscriber)
{
    GetOutput("GiveUp").drops.push_back({event, subscriber});
    m_held.erase({event, subscriber});
}

void
SimpleStation::SetTimer(uint64_t key, Instant after)
{
    GetOutput("SetTimer"); // before the start m_now is no time of the device's
    m_timers.Set(key, m_now + std::clamp(after, Instant(0), NEVER - m_now));
}

void
SimpleStation::CancelTimer(uint64_t key)
{
    m_timers.Cancel(key);
}

double
SimpleStation::GetParameter(const std::string& name, double otherwise) const
{
    const auto found = m_seat.parameters.find(name);
    if (found == m_seat.parameters.end())
    {
        return otherwise;
    }
    std::istringstream in(found->second);
    double value = 0;
    if (!(in >> value) || !in.eof())
    {
        throw std::invalid_argument("parameter " + name + ": '" + found->second + "' is no number");
    }
    return value;
}

std::vector<Pair>
SimpleStation::GetHeld() const
{
    std::vector<Pair> held;
    held.reserve(m_held.size());
    for (const auto& [event, subscriber] : m_held)
    {
        held.push_back({event, subscriber});
    }
    return held;
}

std::optional<SubscriberMemory>
SimpleStation::GetMemory() const
{
    return Has(SUBSCRIBER) ? std::optional(m_seat.memory) : std::nullopt;
}

} // namespace mftpubsub::mesh
