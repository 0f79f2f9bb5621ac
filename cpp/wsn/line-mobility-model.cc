/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/line-mobility-model.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <cmath>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("LineMobilityModel");

NS_OBJECT_ENSURE_REGISTERED(LineMobilityModel);

ns3::TypeId
LineMobilityModel::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("mftpubsub::LineMobilityModel")
                                 .SetParent<ns3::MobilityModel>()
                                 .SetGroupName("Mftpubsub")
                                 .AddConstructor<LineMobilityModel>();
    return tid;
}

void
LineMobilityModel::SetLine(const ns3::Vector& start, const ns3::Vector& end, double speed)
{
    NS_LOG_FUNCTION(this << start << end << speed);
    m_start = start;
    m_length = ns3::CalculateDistance(start, end);
    m_speed = speed;
    m_direction = m_length > 0 ? ns3::Vector((end.x - start.x) / m_length,
                                             (end.y - start.y) / m_length,
                                             (end.z - start.z) / m_length)
                               : ns3::Vector();
}

ns3::Ptr<ns3::MobilityModel>
LineMobilityModel::Copy() const
{
    return ns3::CreateObject<LineMobilityModel>(*this);
}

double
LineMobilityModel::Travelled() const
{
    return m_length > 0 ? std::fmod(m_speed * ns3::Simulator::Now().GetSeconds(), 2 * m_length) : 0;
}

ns3::Vector
LineMobilityModel::DoGetPosition() const
{
    const double travelled = Travelled();
    const double along = travelled <= m_length ? travelled : 2 * m_length - travelled;
    return {m_start.x + m_direction.x * along,
            m_start.y + m_direction.y * along,
            m_start.z + m_direction.z * along};
}

void
LineMobilityModel::DoSetPosition(const ns3::Vector& position)
{
    SetLine(position, position, 0);
    NotifyCourseChange();
}

ns3::Vector
LineMobilityModel::DoGetVelocity() const
{
    const double speed = Travelled() <= m_length ? m_speed : -m_speed;
    return {m_direction.x * speed, m_direction.y * speed, m_direction.z * speed};
}

} // namespace mftpubsub
