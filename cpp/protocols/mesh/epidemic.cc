/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/epidemic.h"

#include "content/content-codec.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

constexpr uint8_t SUMMARY_KIND = 74;
constexpr uint8_t REQUEST_KIND = 75;
constexpr uint8_t EPIDEMIC_KIND = 76;

/// Of summary vectors, either way.
constexpr double INTERVAL_JITTER = 0.1;
/// Before a request: who has overheard what it lacked need not ask.
constexpr auto REQUEST_JITTER = Seconds(0.05);

} // namespace

Epidemic::Epidemic(NodeId self,
                   uint8_t roles,
                   const Options& options,
                   Instant interval,
                   Uniform uniform,
                   SubscriberMemory memory)
    : RelayStation(self, roles, options, uniform, std::move(memory)),
      m_interval(interval)
{
}

void
Epidemic::Begin(Instant now)
{
    if (m_roles & (BROKER | PUBLISHER))
    {
        m_summaryAt = now + Times(m_interval, Draw());
    }
}

void
Epidemic::Stored(Instant, EventId)
{
    // The next summary vector will tell.
}

void
Epidemic::Hear(Instant now, const Header& header, ByteReader& in, Output& output)
{
    if (header.kind == SUMMARY_KIND)
    {
        m_asked = header.source;
        m_askedHas = SummaryPart::Read(in);
        m_requestAt = std::min(m_requestAt, now + Times(REQUEST_JITTER, Draw()));
    }
    else if (header.kind == REQUEST_KIND)
    {
        HearRequest(now, header, SummaryPart::Read(in));
    }
    else if (header.kind == EPIDEMIC_KIND)
    {
        for (auto left = in.Get<uint8_t>(); left > 0; --left)
        {
            CarriedEvent carried{ReadEvent(in), 0};
            carried.hops = in.Get<uint8_t>();
            Take(now, carried, header.source, output);
            m_requested.erase(carried.event->id);
        }
    }
}

void
Epidemic::HearRequest(Instant now, const Header& header, const SummaryPart& wanted)
{
    if (header.destination != m_self)
    {
        return;
    }
    for (const auto& [publisher, sequences] : wanted.GetSummary().GetPublishers())
    {
        for (const auto& run : sequences.GetRuns())
        {
            for (auto at = m_store.lower_bound({publisher, run.begin});
                 at != m_store.end() && at->first < EventId{publisher, run.end};
                 ++at)
            {
                m_requested.insert(at->first);
            }
        }
    }
    m_dataAt = m_requested.empty() ? NEVER : now;
}

Instant
Epidemic::Due() const
{
    return std::min({m_summaryAt, m_requestAt, m_dataAt});
}

std::optional<RelayStation::Message>
Epidemic::Build(Instant now)
{
    if (m_dataAt <= now)
    {
        return BuildData(now);
    }
    if (m_requestAt <= now)
    {
        return BuildRequest();
    }
    m_summaryAt = now + Times(m_interval, 1 + INTERVAL_JITTER * (2 * Draw() - 1));
    ByteWriter body;
    SummaryPart(m_has, GetBodyBytes(), m_summaryFrom).Write(body);
    return Message{"SUMMARY", SUMMARY_KIND, NO_NODE, body.Take()};
}

std::optional<RelayStation::Message>
Epidemic::BuildData(Instant now)
{
    ByteWriter events;
    size_t bytes = 1;
    std::vector<EventId> ids;
    while (!m_requested.empty() && ids.size() < UINT8_MAX)
    {
        const auto carried = OneHopOn(m_store.at(*m_requested.begin()));
        bytes += CountBytes(carried);
        if (bytes > GetBodyBytes() && !ids.empty())
        {
            break;
        }
        WriteEvent(events, *carried.event);
        events.Put(carried.hops);
        ids.push_back(carried.event->id);
        m_requested.erase(m_requested.begin());
    }
    m_dataAt = m_requested.empty() ? NEVER : now;
    if (ids.empty())
    {
        return {};
    }
    auto body = events.Take();
    body.insert(body.begin(), static_cast<uint8_t>(ids.size()));
    return Message{"DATA", EPIDEMIC_KIND, NO_NODE, std::move(body), std::move(ids)};
}

std::optional<RelayStation::Message>
Epidemic::BuildRequest()
{
    m_requestAt = NEVER;
    Summary lacking;
    for (const auto& [publisher, sequences] : m_askedHas.GetSummary().GetPublishers())
    {
        for (const auto& run : sequences.Minus(m_has.Of(publisher)))
        {
            lacking.Add(publisher, run);
        }
    }
    if (lacking.IsEmpty())
    {
        return {};
    }
    // It has not stored all that it has: the same first part would be asked for in vain for ever.
    auto& from = m_requestFrom.try_emplace(m_asked, SummaryPart::BEGIN).first->second;
    ByteWriter body;
    SummaryPart(lacking, GetBodyBytes(), from).Write(body);
    return Message{"REQUEST", REQUEST_KIND, m_asked, body.Take()};
}

} // namespace mftpubsub::mesh
