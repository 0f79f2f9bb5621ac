/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/node.h"

#include "content/content-codec.h"
#include "live/hex.h"
#include "live/make-station.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mftpubsub::live
{

namespace
{

/// Between words to others of their lives: whoever repeats old datagrams makes no storm.
constexpr Instant TELL_INTERVAL = mesh::Seconds(0.1);
/// Without a measurement: of a neighbour that is a hop away (mesh::LinkLength).
constexpr double RSSI_OF_A_HOP = -90.45;
constexpr double BITS = 8;

/// @return what lets words of a life be newer than those of the lives before, stored or not
uint32_t
ToSeconds(UnixTime time)
{
    return static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

} // namespace

Node::Node(Settings settings, mesh::StationMaker maker, Send send, Clocks start)
    : m_settings(std::move(settings)),
      m_send(std::move(send)),
      m_start(std::move(start)),
      m_random(std::random_device()()),
      m_framing(m_settings.network + "/" + m_settings.protocol, FromHex(m_settings.keyHex)),
      m_heard(!m_settings.keyHex.empty()),
      m_trace(m_settings.trace, m_settings.id)
{
    Check(m_settings);
    if (!m_settings.store.empty())
    {
        m_store.emplace(m_settings.store, m_settings.id);
        m_memory = std::move(m_store->GetMemory());
        if (const auto& saved = m_store->GetSaved())
        {
            FollowClock(m_memory, *saved, m_start);
        }
        m_memory.Forget(m_start.unixTime);
    }
    for (const auto& latest : m_memory.heard)
    {
        m_heard.Remember(latest);
    }
    m_memory.life = std::max<uint64_t>(m_memory.life + 1, m_start.unixTime.count());
    m_memory.timestamp = std::max(m_memory.timestamp, ToSeconds(m_start.unixTime));
    m_numbers.reserved = m_memory.nextSequence;
    m_numbers.datagrams = OwnDatagrams(m_settings.id, m_memory.life);
    m_hosted.station = MakeStation(maker);
    if (mesh::FindProtocol(m_settings.protocol))
    {
        m_hosted.checks.emplace(m_settings.port.maxFrameBytes, nullptr);
    }
}

std::unique_ptr<mesh::Station>
Node::MakeStation(const mesh::StationMaker& maker)
{
    mesh::SubscriberMemory memory;
    for (const auto& [text, since] : m_memory.filters)
    {
        const auto age = std::max(m_start.unixTime - since, UnixTime(0));
        memory.filters.emplace(Filter::Parse(text), -age);
    }
    memory.timestamp = m_memory.timestamp;
    memory.done = m_memory.done;
    const auto uniform = [this] { return std::generate_canonical<double, 53>(m_random); };
    mesh::StationSeat seat{m_settings.id,
                           m_settings.roles,
                           MakeOptions(m_settings),
                           uniform,
                           std::move(memory),
                           m_settings.parameters};
    const auto isBack = m_store && m_store->GetSaved();
    return maker ? maker(std::move(seat)) : MakeShipped(m_settings, std::move(seat), isBack);
}

bool
Node::Has(mesh::Role role) const
{
    return m_settings.roles & role;
}

UnixTime
Node::ToUnix(Instant now) const
{
    return m_start.unixTime + now;
}

void
Node::Hear(Instant now, std::span<const uint8_t> datagram)
{
    auto found = m_framing.Open(datagram);
    if (const auto* opened = std::get_if<Opened>(&found))
    {
        const auto& envelope = opened->envelope;
        if (envelope.source == m_settings.id)
        {
            if (m_numbers.datagrams.Has(envelope))
            {
                return; // multicast comes back
            }
            found = Refusal::DUPLICATE_ID;
        }
        else if (IsLost(envelope.source))
        {
            ++m_counts.byName["lost_on_purpose"];
            return;
        }
        else if (!m_heard.Take(envelope))
        {
            TellLife(now, envelope);
            found = Refusal::REPEATED;
        }
        else
        {
            Read(now, *opened);
            return;
        }
    }
    ++m_counts.byName[std::string(GetName(std::get<Refusal>(found)))];
}

void
Node::Read(Instant now, const Opened& opened)
{
    if (!opened.isForLife)
    {
        ++m_counts.byName["heard"];
        ++m_counts.heardFrom[opened.envelope.source];
        m_trace.Heard(ToUnix(now), opened.envelope);
        Tell(now, input::Heard{opened.frame, RSSI_OF_A_HOP});
        return;
    }
    const auto told = ReadLatestLife(opened.frame);
    if (told && told->node == m_settings.id && told->life > m_numbers.datagrams.GetLife())
    {
        ++m_counts.byName["lives_corrected"];
        m_numbers.datagrams.BeginLife(told->life + 1); // NextEnvelope saves it
    }
}

void
Node::TellLife(Instant now, const Envelope& refused)
{
    if (const auto latest = m_heard.FindLater(refused); latest && now >= m_due.told)
    {
        m_due.told = now + TELL_INTERVAL;
        m_send(m_framing.Seal(NextEnvelope(now), *latest));
    }
}

Envelope
Node::NextEnvelope(Instant now)
{
    const auto envelope = m_numbers.datagrams.Next();
    if (std::exchange(m_memory.life, envelope.life) != envelope.life)
    {
        Save(now);
    }
    return envelope;
}

bool
Node::IsLost(NodeId source)
{
    if (m_ether.reach && !m_ether.reach->contains(source))
    {
        return true;
    }
    return m_ether.loss > 0 && std::generate_canonical<double, 53>(m_random) < m_ether.loss;
}

void
Node::Expire(Instant now)
{
    Tell(now, input::Expired());
    if (now >= m_due.keep)
    {
        Keep(now);
    }
}

uint32_t
Node::Publish(Instant now, Event event)
{
    if (!Has(mesh::PUBLISHER) && !Has(mesh::BROKER))
    {
        throw std::logic_error("a node publishes if it is a publisher or a broker");
    }
    event.id = {m_settings.id, m_memory.nextSequence};
    if (const auto bytes = CountBytes(event); bytes + AROUND_EVENT > m_settings.port.maxFrameBytes)
    {
        throw std::length_error("an event of " + std::to_string(bytes) + " bytes; " +
                                std::to_string(m_settings.port.maxFrameBytes - AROUND_EVENT) +
                                " fit into a frame, and frames are not split");
    }
    ++m_memory.nextSequence;
    if (m_store && m_memory.nextSequence > m_numbers.reserved)
    {
        Remember(now);
    }
    const auto published = std::make_shared<const Event>(std::move(event));
    m_trace.Published(ToUnix(now), *published);
    KeepForOthers(now, published);
    ++m_counts.byName["published"];
    Tell(now, input::Published{published});
    return published->id.sequence;
}

void
Node::Subscribe(Instant now, const Filter& filter)
{
    if (!Has(mesh::SUBSCRIBER))
    {
        throw std::logic_error("a node subscribes if it is a subscriber");
    }
    if (!HasFilter(filter.GetText()))
    {
        Tell(now, input::Subscribed{filter});
        m_trace.Subscribed(ToUnix(now), filter.GetText());
        Remember(now);
    }
}

void
Node::Unsubscribe(Instant now, const Filter& filter)
{
    if (!HasFilter(filter.GetText()))
    {
        throw std::logic_error("it has no filter " + filter.GetText());
    }
    m_trace.Unsubscribed(ToUnix(now), filter.GetText());
    Tell(now, input::Unsubscribed{filter});
    Remember(now);
}

std::vector<std::string>
Node::GetFilters() const
{
    std::vector<std::string> texts;
    if (const auto memory = m_hosted.station->GetMemory())
    {
        for (const auto& [filter, since] : memory->filters)
        {
            texts.push_back(filter.GetText());
        }
    }
    return texts;
}

std::optional<Instant>
Node::NextTimer() const
{
    const auto due = m_hosted.station->NextTimer();
    if (!m_store)
    {
        return due;
    }
    return due ? std::min(*due, m_due.keep) : m_due.keep;
}

bool
Node::HasFilter(const std::string& text) const
{
    return std::ranges::count(GetFilters(), text) > 0;
}

std::map<std::string, uint64_t>
Node::GetCounters() const
{
    auto counters = m_counts.byName;
    counters["filters_left_out"] = m_counts.leftOut.size();
    for (const auto& [source, count] : m_counts.heardFrom)
    {
        counters["heard_from_" + std::to_string(source)] = count;
    }
    counters["held"] = m_hosted.station->CountHeld();
    counters["inbox"] = m_memory.inbox.size();
    return counters;
}

void
Node::Tell(Instant now, const mesh::Station::Input& input)
{
    mesh::Output output;
    m_hosted.station->Step(now, input, output);
    if (m_hosted.checks)
    {
        CheckAnswer(now, input, output);
    }
    Execute(now, std::move(output));
}

void
Node::CheckAnswer(Instant now, const mesh::Station::Input& input, const mesh::Output& output)
{
    try
    {
        m_hosted.checks->Check(now, input, output, m_hosted.station->NextTimer());
    }
    catch (...)
    {
        throw mesh::LocateFailure(input, m_settings.id, now);
    }
}

void
Node::Execute(Instant now, mesh::Output output)
{
    for (const auto& [event, subscribers] : output.wanted)
    {
        for (const auto subscriber : *subscribers)
        {
            m_trace.Matched(ToUnix(now), {event, subscriber});
        }
    }
    for (const auto& pair : output.matches)
    {
        m_trace.Matched(ToUnix(now), pair);
    }
    for (const auto& pair : output.drops)
    {
        m_trace.GivenUp(ToUnix(now), pair);
    }
    for (const auto& event : output.kept)
    {
        if (event->id.publisher != m_settings.id && !m_underWay.recalls) // else it is kept already
        {
            KeepForOthers(now, event);
        }
    }
    for (const auto& delivery : output.deliveries)
    {
        m_trace.Delivered(ToUnix(now), delivery);
        Deliver(delivery);
    }
    if (output.remembers)
    {
        Remember(now);
    }
    if (output.frame)
    {
        SendFrame(now, *output.frame);
    }
}

void
Node::SendFrame(Instant now, const mesh::OutgoingFrame& frame)
{
    const auto envelope = NextEnvelope(now);
    const auto datagram = m_framing.Seal(envelope, frame.bytes);
    if (!m_send(datagram))
    {
        ++m_counts.byName["send_failures"];
        Tell(now, input::Dropped());
        return;
    }
    ++m_counts.byName["sent"];
    m_trace.Sent(ToUnix(now), frame.name, envelope, datagram.size());
    const auto seconds =
        BITS * static_cast<double>(datagram.size() + AROUND_DATAGRAM) / m_settings.port.rate;
    Tell(now, input::Transmitted{mesh::Seconds(seconds)});
}

} // namespace mftpubsub::live
