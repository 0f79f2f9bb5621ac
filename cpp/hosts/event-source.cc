/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/event-source.h"

#include "ns3/simulator.h"

#include <utility>

namespace mftpubsub
{

EventSource::EventSource(NodeId publisher, TrafficOptions options, int64_t stream, Publish publish)
    : m_publisher(publisher),
      m_options(std::move(options)),
      m_publish(std::move(publish)),
      m_uniform(ns3::CreateObject<ns3::UniformRandomVariable>())
{
    m_uniform->SetStream(stream);
    ScheduleNext(m_options.start);
}

void
EventSource::ScheduleNext(ns3::Time after)
{
    if (const auto next = m_options.arrivals(after, *m_uniform); next && *next < m_options.stop)
    {
        ns3::Simulator::Schedule(*next - ns3::Simulator::Now(), &EventSource::Fire, this);
    }
}

void
EventSource::Fire()
{
    ScheduleNext(ns3::Simulator::Now());
    const auto& chosen = ChooseTemplate();
    const auto payloadBytes = std::get<int64_t>(chosen.payloadBytes(*m_uniform));
    Event event{{m_publisher, m_nextSequence++}, {}, static_cast<uint16_t>(payloadBytes)};
    for (const auto& [name, draw] : chosen.attributes)
    {
        event.attributes.emplace_back(name, draw(*m_uniform));
    }
    m_publish(std::make_shared<const Event>(std::move(event)));
}

const EventTemplate&
EventSource::ChooseTemplate()
{
    if (m_options.isInOrder)
    {
        return m_options.events[m_nextSequence];
    }
    const auto last = static_cast<uint32_t>(m_options.events.size() - 1);
    return m_options.events[m_uniform->GetInteger(0, last)];
}

} // namespace mftpubsub
