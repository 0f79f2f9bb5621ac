/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/pubsub-application.h"

#include "helper/pubsub-network.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("PubSubApplication");

NS_OBJECT_ENSURE_REGISTERED(PubSubApplication);

ns3::TypeId
PubSubApplication::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::PubSubApplication")
            .SetParent<ns3::Application>()
            .SetGroupName("Mftpubsub")
            .AddConstructor<PubSubApplication>()
            .AddAttribute("Id",
                          "Of the device, in events and in the trace",
                          ns3::TypeId::ATTR_GET,
                          ns3::UintegerValue(0),
                          ns3::MakeUintegerAccessor(&PubSubApplication::m_id),
                          ns3::MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Published",
                            "This device has published an event",
                            ns3::MakeTraceSourceAccessor(&PubSubApplication::m_publishedTrace),
                            "mftpubsub::PubSubApplication::PublishedTracedCallback")
            .AddTraceSource("Delivered",
                            "An event has reached the subscriber on this device",
                            ns3::MakeTraceSourceAccessor(&PubSubApplication::m_deliveredTrace),
                            "mftpubsub::PubSubApplication::DeliveredTracedCallback")
            .AddTraceSource("Duplicate",
                            "A further copy of an event has, and was suppressed",
                            ns3::MakeTraceSourceAccessor(&PubSubApplication::m_duplicateTrace),
                            "mftpubsub::PubSubApplication::DeliveredTracedCallback");
    return tid;
}

PubSubApplication::PubSubApplication() = default;

PubSubApplication::PubSubApplication(uint32_t id, std::shared_ptr<PubSubNetwork> network)
    : m_id(id),
      m_network(std::move(network))
{
}

PubSubApplication::~PubSubApplication() = default;

uint32_t
PubSubApplication::GetId() const
{
    return m_id;
}

uint32_t
PubSubApplication::Publish(const std::string& attributes, uint32_t payloadBytes)
{
    NS_LOG_FUNCTION(this << attributes << payloadBytes);
    if (!m_network)
    {
        throw std::logic_error("a PubSubApplication publishes only where PubSubHelper::Install "
                               "has put it");
    }
    return m_network->Publish(static_cast<NodeId>(m_id), attributes, payloadBytes);
}

void
PubSubApplication::CheckTimes() const
{
    if (!m_startTime.IsZero() || !m_stopTime.IsZero())
    {
        throw std::logic_error("PubSubHelper: the application of node " +
                               std::to_string(GetNode()->GetId()) + " has a StartTime of " +
                               std::to_string(m_startTime.GetSeconds()) + " s and a StopTime of " +
                               std::to_string(m_stopTime.GetSeconds()) +
                               " s: leave Start and Stop out, as a protocol starts with its "
                               "devices and ends with the simulation");
    }
}

void
PubSubApplication::DoDispose()
{
    if (m_network)
    {
        m_network->Finish(); // while all hosts are there
        m_network = nullptr;
    }
    Application::DoDispose();
}

} // namespace mftpubsub
