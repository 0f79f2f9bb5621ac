/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/carried-events-tag.h"

#include <utility>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(CarriedEventsTag);

ns3::TypeId
CarriedEventsTag::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("mftpubsub::CarriedEventsTag")
                                 .SetParent<ns3::Tag>()
                                 .SetGroupName("mftpubsub")
                                 .AddConstructor<CarriedEventsTag>();
    return tid;
}

CarriedEventsTag::CarriedEventsTag(std::vector<EventId> events)
    : m_events(std::move(events))
{
}

const std::vector<EventId>&
CarriedEventsTag::GetEvents() const
{
    return m_events;
}

ns3::TypeId
CarriedEventsTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
CarriedEventsTag::GetSerializedSize() const
{
    constexpr uint32_t ID_BYTES = 6;
    return static_cast<uint32_t>(1 + ID_BYTES * m_events.size());
}

void
CarriedEventsTag::Serialize(ns3::TagBuffer out) const
{
    out.WriteU8(static_cast<uint8_t>(m_events.size()));
    for (const auto& id : m_events)
    {
        out.WriteU16(id.publisher);
        out.WriteU32(id.sequence);
    }
}

void
CarriedEventsTag::Deserialize(ns3::TagBuffer in)
{
    m_events.resize(in.ReadU8());
    for (auto& id : m_events)
    {
        id.publisher = in.ReadU16();
        id.sequence = in.ReadU32();
    }
}

void
CarriedEventsTag::Print(std::ostream& out) const
{
    out << m_events.size() << " events";
}

} // namespace mftpubsub
