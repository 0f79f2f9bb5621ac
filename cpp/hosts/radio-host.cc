/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/radio-host.h"

#include "hosts/machine-io.h"
#include "hosts/node-address.h"

#include "ns3/log.h"
#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("RadioHost");

NS_OBJECT_ENSURE_REGISTERED(RadioHost);

ns3::TypeId
RadioHost::GetTypeId()
{
    const auto flags = ns3::TypeId::ATTR_GET;
    const auto id = ns3::MakeUintegerChecker<uint16_t>();
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::RadioHost")
            .SetParent<ns3::Application>()
            .SetGroupName("mftpubsub")
            .AddAttribute("Parent",
                          "A broker's parent, a client's broker, by node id; 65535: none",
                          flags,
                          ns3::UintegerValue(NO_NODE),
                          ns3::MakeUintegerAccessor(&RadioHost::GetParent),
                          id)
            .AddAttribute("Leader",
                          "Whom a broker follows, by node id; 65535: nobody, or no such broker",
                          flags,
                          ns3::UintegerValue(NO_NODE),
                          ns3::MakeUintegerAccessor(&RadioHost::GetLeader),
                          id)
            .AddAttribute("HeldEvents",
                          "Events that a broker holds; on a tree one for each subscriber",
                          flags,
                          ns3::UintegerValue(0),
                          ns3::MakeUintegerAccessor(&RadioHost::CountHeldEvents),
                          ns3::MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Published",
                            "The application on this device has published an event",
                            ns3::MakeTraceSourceAccessor(&RadioHost::m_publishedTrace),
                            "mftpubsub::RadioHost::EventTracedCallback")
            .AddTraceSource("Delivered",
                            "An event has reached the subscriber on this device",
                            ns3::MakeTraceSourceAccessor(&RadioHost::m_deliveredTrace),
                            "mftpubsub::RadioHost::DeliveryTracedCallback")
            .AddTraceSource("Migrated",
                            "A role on this device migrates to another broker",
                            ns3::MakeTraceSourceAccessor(&RadioHost::m_migratedTrace),
                            "mftpubsub::RadioHost::MigrationTracedCallback")
            .AddTraceSource("Frame",
                            "A frame goes on the air",
                            ns3::MakeTraceSourceAccessor(&RadioHost::m_frameTrace),
                            "mftpubsub::RadioHost::FrameTracedCallback");
    return tid;
}

RadioHost::RadioHost(NodeId id, uint16_t protocol, RunTrace& trace)
    : m_id(id),
      m_protocol(protocol),
      m_trace(trace),
      m_timer([this] {
          Expire();
          SetTimer();
      })
{
}

RadioHost::~RadioHost() = default;

void
RadioHost::DoDispose()
{
    m_timer.Cancel();
    m_port = nullptr;
    Application::DoDispose();
}

void
RadioHost::StartApplication()
{
    NS_LOG_FUNCTION(this << m_id);
    m_port = DevicePort::On(*GetNode());
    m_port->SetReceiver(m_protocol, [this](const auto& frame, double rssiDbm) {
        Receive(GetBytes(frame), rssiDbm);
        SetTimer();
    });
    m_port->TraceConnectWithoutContext("Transmit", ns3::MakeCallback(&RadioHost::FrameOnAir, this));
    m_port->TraceConnectWithoutContext("MacDrop",
                                       ns3::MakeCallback(&RadioHost::FrameDropped, this));
    Start();
    SetTimer();
}

void
RadioHost::StopApplication()
{
    NS_LOG_FUNCTION(this << m_id);
    if (!m_port) // not started yet, or stopped before
    {
        return;
    }
    m_timer.Cancel();
    Stop();
    m_port->SetReceiver(m_protocol, nullptr);
    m_port->TraceDisconnectWithoutContext("Transmit",
                                          ns3::MakeCallback(&RadioHost::FrameOnAir, this));
    m_port->TraceDisconnectWithoutContext("MacDrop",
                                          ns3::MakeCallback(&RadioHost::FrameDropped, this));
    m_port = nullptr;
}

NodeId
RadioHost::GetParent() const
{
    return NO_NODE;
}

NodeId
RadioHost::GetLeader() const
{
    return NO_NODE;
}

void
RadioHost::Stop()
{
}

void
RadioHost::Sent(uint32_t)
{
}

void
RadioHost::Dropped()
{
}

void
RadioHost::SetTimer()
{
    if (m_port) // started
    {
        m_timer.Set(NextTimer());
    }
}

bool
RadioHost::SendFrame(const ns3::Ptr<ns3::Packet>& frame, NodeId to)
{
    return m_port->Send(frame, to, m_protocol);
}

double
RadioHost::GetMetresPerSecond() const
{
    const auto mobility = GetNode()->GetObject<ns3::MobilityModel>();
    return mobility ? mobility->GetVelocity().GetLength() : 0;
}

const ns3::Ptr<DevicePort>&
RadioHost::GetPort() const
{
    return m_port;
}

NodeId
RadioHost::GetId() const
{
    return m_id;
}

RunTrace&
RadioHost::GetTrace() const
{
    return m_trace;
}

void
RadioHost::TellPublished(const Event& event)
{
    m_publishedTrace(event);
}

void
RadioHost::TellAttached(NodeId parent, std::string_view kind)
{
    if (m_trace.Attached(m_id, parent, kind))
    {
        m_migratedTrace(std::string(kind), parent);
    }
}

void
RadioHost::TellDelivered(EventId event, NodeId from, uint8_t hops, bool isDuplicate)
{
    m_deliveredTrace(event, from, hops, isDuplicate);
}

void
RadioHost::FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                      uint16_t protocol,
                      ns3::Mac48Address to,
                      uint32_t bytesOnAir)
{
    if (protocol != m_protocol) // of another application on the device
    {
        return;
    }
    const auto kind = NameFrame(frame);
    NS_LOG_DEBUG("node " << m_id << " sends " << kind);
    m_trace.Frame(m_id, kind, ToNodeId(to), bytesOnAir);
    m_frameTrace(std::string(kind), ToNodeId(to), bytesOnAir);
    Sent(bytesOnAir);
}

void
RadioHost::FrameDropped(ns3::Ptr<const ns3::Packet> frame,
                        uint16_t protocol,
                        ns3::Mac48Address,
                        uint32_t)
{
    if (protocol == m_protocol)
    {
        NS_LOG_DEBUG("node " << m_id << " has lost " << NameFrame(frame));
        Dropped();
    }
}

} // namespace mftpubsub
