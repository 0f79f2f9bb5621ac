/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/mesh-node.h"

#include "hosts/carried-events-tag.h"
#include "hosts/node-address.h"
#include "stations/event-fates.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("MeshNode");

NS_OBJECT_ENSURE_REGISTERED(MeshNode);

ns3::TypeId
MeshNode::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::MeshNode")
            .SetParent<ns3::Application>()
            .SetGroupName("mftpubsub")
            .AddAttribute("HeldEvents",
                          "Events that a broker holds",
                          ns3::TypeId::ATTR_GET,
                          ns3::UintegerValue(0),
                          ns3::MakeUintegerAccessor(&MeshNode::CountHeldEvents),
                          ns3::MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Published",
                            "The application on this device has published an event",
                            ns3::MakeTraceSourceAccessor(&MeshNode::m_publishedTrace),
                            "mftpubsub::MeshNode::EventTracedCallback")
            .AddTraceSource("Delivered",
                            "The subscriber on this device has heard a copy of an event",
                            ns3::MakeTraceSourceAccessor(&MeshNode::m_deliveredTrace),
                            "mftpubsub::MeshNode::DeliveryTracedCallback")
            .AddTraceSource("Frame",
                            "A frame goes on the air",
                            ns3::MakeTraceSourceAccessor(&MeshNode::m_frameTrace),
                            "mftpubsub::MeshNode::FrameTracedCallback");
    return tid;
}

MeshNode::MeshNode(NodeId id,
                   std::unique_ptr<mesh::Station> station,
                   RunTrace& trace,
                   uint16_t protocol)
    : m_id(id),
      m_station(std::move(station)),
      m_trace(trace),
      m_protocol(protocol),
      m_timer([this] { Tell(input::Expired()); })
{
}

MeshNode::~MeshNode() = default;

void
MeshNode::DoDispose()
{
    m_timer.Cancel();
    m_device = nullptr;
    Application::DoDispose();
}

void
MeshNode::StartApplication()
{
    NS_LOG_FUNCTION(this << m_id);
    m_device = DevicePort::On(*GetNode());
    m_device->SetReceiver(m_protocol, [this](const auto& frame, double rssiDbm) {
        ReceiveFrame(frame, rssiDbm);
    });
    m_device->TraceConnectWithoutContext("Transmit",
                                         ns3::MakeCallback(&MeshNode::FrameOnAir, this));
    m_device->TraceConnectWithoutContext("MacDrop",
                                         ns3::MakeCallback(&MeshNode::FrameDropped, this));
    Tell(input::Started());
}

void
MeshNode::StopApplication()
{
    NS_LOG_FUNCTION(this << m_id);
    m_timer.Cancel();
    if (!m_device)
    {
        return;
    }
    m_device->SetReceiver(m_protocol, nullptr);
    m_device->TraceDisconnectWithoutContext("Transmit",
                                            ns3::MakeCallback(&MeshNode::FrameOnAir, this));
    m_device->TraceDisconnectWithoutContext("MacDrop",
                                            ns3::MakeCallback(&MeshNode::FrameDropped, this));
    m_device = nullptr;
}

std::optional<mesh::SubscriberMemory>
MeshNode::Crash()
{
    NoteHeld(LossCause::CRASHED);
    StopApplication();
    return m_station->GetMemory();
}

void
MeshNode::Publish(const EventPtr& event)
{
    NS_LOG_INFO("node " << m_id << " publishes event " << event->id.sequence);
    m_publishedTrace(*event);
    Tell(input::Published{event});
}

void
MeshNode::Subscribe(const Filter& filter)
{
    Tell(input::Subscribed{filter});
}

void
MeshNode::Unsubscribe(const Filter& filter)
{
    Tell(input::Unsubscribed{filter});
}

uint32_t
MeshNode::CountHeldEvents() const
{
    return static_cast<uint32_t>(m_station->CountHeld());
}

void
MeshNode::NoteHeld(LossCause cause) const
{
    mftpubsub::NoteHeld(m_trace, m_station->GetHeld(), cause);
}

void
MeshNode::ReceiveFrame(const ns3::Ptr<const ns3::Packet>& frame, double rssiDbm)
{
    const auto bytes = GetBytes(frame);
    Tell(input::Heard{bytes, rssiDbm});
}

void
MeshNode::FrameOnAir(ns3::Ptr<const ns3::Packet>,
                     uint16_t,
                     ns3::Mac48Address to,
                     uint32_t bytesOnAir)
{
    NS_LOG_DEBUG("node " << m_id << " sends " << m_frameName);
    m_isFrameOut = false;
    m_trace.Frame(m_id, m_frameName, ToNodeId(to), bytesOnAir);
    m_frameTrace(std::string(m_frameName), bytesOnAir);
    const auto airTime = m_device->GetAirTime(bytesOnAir);
    Tell(input::Transmitted{Instant(airTime.GetNanoSeconds())});
}

void
MeshNode::FrameDropped(ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t)
{
    NS_LOG_DEBUG("node " << m_id << " has lost " << m_frameName);
    m_isFrameOut = false;
    Tell(input::Dropped());
}

void
MeshNode::Tell(const mesh::Station::Input& input)
{
    mesh::Output output;
    m_station->Step(Now(), input, output);
    Execute(output);
    if (m_device) // else not started yet
    {
        m_timer.Set(m_station->NextTimer());
    }
}

void
MeshNode::Execute(const mesh::Output& output)
{
    for (const auto& event : output.taken)
    {
        m_trace.Taken(event);
    }
    for (const auto& [event, subscriber] : output.matches)
    {
        m_trace.Matched(m_id, event, subscriber);
    }
    for (const auto& [event, subscriber] : output.drops)
    {
        m_trace.Fate(event, subscriber, LossCause::DROPPED_BY_QUEUE);
    }
    for (const auto& [event, from, hops, isNew, content] : output.deliveries)
    {
        if (isNew)
        {
            m_trace.Delivered(m_id, event, from, hops, false);
        }
        else
        {
            m_trace.Overheard(m_id, event, from, hops);
        }
        m_deliveredTrace(event, from, hops, !isNew);
    }
    if (output.frame)
    {
        const auto& bytes = output.frame->bytes;
        m_frameName = output.frame->name;
        const auto packet =
            ns3::Create<ns3::Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
        if (const auto& events = output.frame->events; !events.empty())
        {
            packet->AddPacketTag(CarriedEventsTag(events));
        }
        m_isFrameOut = true;
        const auto isTaken = m_device->Send(packet, NO_NODE, m_protocol);
        if (!isTaken && m_isFrameOut)
        {
            FrameDropped(packet, m_protocol, {}, 0); // it has not come to the MAC
        }
    }
}

} // namespace mftpubsub
