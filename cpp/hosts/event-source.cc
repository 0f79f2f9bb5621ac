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
    const auto first = m_options.start + m_options.interval * m_uniform->GetValue(0, 1);
    ns3::Simulator::Schedule(first, &EventSource::Fire, this);
}

void
EventSource::Fire()
{
    if (ns3::Simulator::Now() >= m_options.stop)
    {
        return;
    }
    ns3::Simulator::Schedule(m_options.interval, &EventSource::Fire, this);
    const auto choice =
        m_uniform->GetInteger(0, static_cast<uint32_t>(m_options.events.size() - 1));
    Event event{{m_publisher, m_nextSequence++}, {}, m_options.payloadBytes};
    for (const auto& [name, draw] : m_options.events[choice])
    {
        event.attributes.emplace_back(name, draw(*m_uniform));
    }
    m_publish(std::make_shared<const Event>(std::move(event)));
}

} // namespace mftpubsub
