/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/mpl.h"

#include "content/content-codec.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

constexpr uint8_t DATA_KIND = 72;
constexpr uint8_t CONTROL_KIND = 73;

} // namespace

Mpl::Mpl(NodeId self,
         uint8_t roles,
         const Options& options,
         const MplOptions& mpl,
         Uniform uniform,
         SubscriberMemory memory)
    : RelayStation(self, roles, options, uniform, std::move(memory)),
      m_mpl(mpl),
      m_draw(uniform),
      m_control(mpl.control, uniform)
{
}

void
Mpl::Begin(Instant now)
{
    m_control.Reset(now);
}

void
Mpl::Stored(Instant now, EventId id)
{
    if (m_mpl.isProactive || id.publisher == m_self)
    {
        m_data.try_emplace(id, m_mpl.data, m_draw).first->second.Reset(now);
    }
}

void
Mpl::Hear(Instant now, const Header& header, ByteReader& in, Output& output)
{
    if (header.kind == DATA_KIND)
    {
        CarriedEvent carried{ReadEvent(in), 0};
        carried.hops = in.Get<uint8_t>();
        if (Take(now, carried, header.source, output))
        {
            m_control.Inconsistent(now);
        }
        else if (const auto timer = m_data.find(carried.event->id); timer != m_data.end())
        {
            timer->second.Consistent();
        }
    }
    else if (header.kind == CONTROL_KIND)
    {
        HearControl(now, SummaryPart::Read(in));
    }
}

void
Mpl::HearControl(Instant now, const SummaryPart& theirs)
{
    auto isConsistent = true;
    for (const auto& [publisher, sequences] : theirs.GetSummary().GetPublishers())
    {
        isConsistent &= sequences.Minus(m_has.Of(publisher)).empty();
    }
    for (const auto& [id, carried] : m_store)
    {
        if (theirs.Says(id) == SummaryPart::Answer::LACKS)
        {
            isConsistent = false;
            m_data.try_emplace(id, m_mpl.data, m_draw).first->second.Inconsistent(now);
        }
    }
    if (isConsistent)
    {
        m_control.Consistent();
    }
    else
    {
        m_control.Inconsistent(now);
    }
}

Instant
Mpl::Due() const
{
    auto due = m_control.Due();
    for (const auto& [id, timer] : m_data)
    {
        due = std::min(due, timer.Due());
    }
    return due;
}

std::optional<RelayStation::Message>
Mpl::Build(Instant now)
{
    for (auto at = m_data.begin(); at != m_data.end();)
    {
        auto& [id, timer] = *at;
        if (timer.Due() <= now && timer.Expire(now))
        {
            ByteWriter body;
            const auto carried = OneHopOn(m_store.at(id));
            WriteEvent(body, *carried.event);
            body.Put(carried.hops);
            return Message{"DATA", DATA_KIND, NO_NODE, body.Take(), {id}};
        }
        at = timer.Due() == NEVER ? m_data.erase(at) : std::next(at);
    }
    if (m_control.Due() <= now && m_control.Expire(now))
    {
        ByteWriter body;
        SummaryPart(m_has, GetBodyBytes(), m_summaryFrom).Write(body);
        return Message{"CONTROL", CONTROL_KIND, NO_NODE, body.Take()};
    }
    return {};
}

} // namespace mftpubsub::mesh
