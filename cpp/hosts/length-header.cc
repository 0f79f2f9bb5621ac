/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/length-header.h"

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(LengthHeader);

ns3::TypeId
LengthHeader::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("mftpubsub::LengthHeader")
                                 .SetParent<ns3::Header>()
                                 .SetGroupName("mftpubsub")
                                 .AddConstructor<LengthHeader>();
    return tid;
}

LengthHeader::LengthHeader(uint16_t length)
    : m_length(length)
{
}

uint16_t
LengthHeader::GetLength() const
{
    return m_length;
}

ns3::TypeId
LengthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
LengthHeader::GetSerializedSize() const
{
    return BYTES;
}

void
LengthHeader::Serialize(ns3::Buffer::Iterator start) const
{
    start.WriteHtonU16(m_length);
}

uint32_t
LengthHeader::Deserialize(ns3::Buffer::Iterator start)
{
    m_length = start.ReadNtohU16();
    return BYTES;
}

void
LengthHeader::Print(std::ostream& os) const
{
    os << "length=" << m_length;
}

} // namespace mftpubsub
