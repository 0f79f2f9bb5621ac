/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/mesh-node.h"

#include "hosts/carried-events-tag.h"
#include "hosts/machine-io.h"
#include "stations/event-fates.h"

#include "ns3/log.h"

#include <utility>
#include <variant>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("MeshNode");

NS_OBJECT_ENSURE_REGISTERED(MeshNode);

ns3::TypeId
MeshNode::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::MeshNode").SetParent<RadioHost>().SetGroupName("mftpubsub");
    return tid;
}

MeshNode::MeshNode(NodeId id,
                   std::unique_ptr<mesh::Station> station,
                   RunTrace& trace,
                   uint16_t protocol,
                   std::optional<mesh::StationChecks> checks)
    : RadioHost(id, protocol, trace),
      m_station(std::move(station)),
      m_checks(checks)
{
}

MeshNode::~MeshNode() = default;

void
MeshNode::Start()
{
    NS_LOG_FUNCTION(this << GetId());
    Tell(input::Started());
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
    NS_LOG_INFO("node " << GetId() << " publishes event " << event->id.sequence);
    TellPublished(*event);
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
    for (const auto& [event, subscribers] : m_station->GetWanted())
    {
        GetTrace().Fate(event, *subscribers, cause);
    }
}

void
MeshNode::Receive(const Bytes& frame, double rssiDbm)
{
    Tell(input::Heard{frame, rssiDbm});
}

void
MeshNode::Expire()
{
    Tell(input::Expired());
}

void
MeshNode::Sent(uint32_t bytesOnAir)
{
    m_isFrameOut = false;
    const auto airTime = GetPort()->GetAirTime(bytesOnAir);
    Tell(input::Transmitted{Instant(airTime.GetNanoSeconds())});
}

void
MeshNode::Dropped()
{
    m_isFrameOut = false;
    Tell(input::Dropped());
}

std::optional<Instant>
MeshNode::NextTimer() const
{
    return m_station->NextTimer();
}

std::string_view
MeshNode::NameFrame(const ns3::Ptr<const ns3::Packet>&) const
{
    return m_frameName; // of the only one
}

void
MeshNode::Tell(const mesh::Station::Input& input)
{
    mesh::Output output;
    try
    {
        m_station->Step(Now(), input, output);
        if (m_checks)
        {
            m_checks->Check(Now(), input, output, m_station->NextTimer());
        }
    }
    catch (...) // of a protocol of one's own
    {
        throw mesh::LocateFailure(input, GetId(), Now());
    }
    Execute(output);
    SetTimer();
}

void
MeshNode::Execute(const mesh::Output& output)
{
    for (const auto& event : output.taken)
    {
        GetTrace().Taken(event);
    }
    for (const auto& [event, subscribers] : output.wanted)
    {
        GetTrace().Matched(GetId(), event, *subscribers);
    }
    for (const auto& [event, subscriber] : output.matches)
    {
        GetTrace().Matched(GetId(), event, subscriber);
    }
    for (const auto& [event, subscriber] : output.drops)
    {
        GetTrace().Fate(event, subscriber, LossCause::DROPPED_BY_QUEUE);
    }
    for (const auto& [event, from, hops, isNew, content, isAddressed] : output.deliveries)
    {
        if (isNew || isAddressed)
        {
            GetTrace().Delivered(GetId(), event, from, hops, !isNew);
        }
        else
        {
            GetTrace().Overheard(GetId(), event, from, hops);
        }
        TellDelivered(event, from, hops, !isNew);
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
        const auto isTaken = SendFrame(packet, NO_NODE);
        if (!isTaken && m_isFrameOut)
        {
            Dropped(); // it has not come to the MAC
        }
    }
}

} // namespace mftpubsub
