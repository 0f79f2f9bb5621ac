/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/manhattan-mobility-model.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("ManhattanMobilityModel");

NS_OBJECT_ENSURE_REGISTERED(ManhattanMobilityModel);

ns3::TypeId
ManhattanMobilityModel::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("mftpubsub::ManhattanMobilityModel")
                                 .SetParent<ns3::MobilityModel>()
                                 .SetGroupName("Mftpubsub")
                                 .AddConstructor<ManhattanMobilityModel>();
    return tid;
}

ManhattanMobilityModel::ManhattanMobilityModel()
    : m_uniform(ns3::CreateObject<ns3::UniformRandomVariable>())
{
}

void
ManhattanMobilityModel::Begin(const ManhattanOptions& options)
{
    m_options = options;
    const auto block = options.blockMetres;
    const auto columns = static_cast<uint32_t>(options.widthMetres / block);
    const auto rows = static_cast<uint32_t>(options.depthMetres / block);
    const auto horizontal = columns * (rows + 1); // blocks of streets that go along x
    const auto vertical = rows * (columns + 1);
    const auto drawn = m_uniform->GetInteger(0, horizontal + vertical - 1);
    const auto isAlongX = drawn < horizontal;
    const auto number = isAlongX ? drawn : drawn - horizontal;
    const auto lines = isAlongX ? columns : rows;
    const auto along = (number % lines + m_uniform->GetValue()) * block;
    const auto across = static_cast<double>(number / lines) * block;
    const auto sign = m_uniform->GetValue() < 0.5 ? -1.0 : 1.0;
    m_from = isAlongX ? ns3::Vector(along, across, options.heightMetres)
                      : ns3::Vector(across, along, options.heightMetres);
    m_direction = isAlongX ? ns3::Vector(sign, 0, 0) : ns3::Vector(0, sign, 0);
    const auto passed = along - std::floor(along / block) * block;
    Walk(sign > 0 ? block - passed : passed);
}

void
ManhattanMobilityModel::Walk(double length)
{
    NS_LOG_FUNCTION(this << m_from << m_direction << length);
    m_since = ns3::Simulator::Now();
    m_speed = m_uniform->GetValue(m_options.minSpeed, m_options.maxSpeed);
    // The nearest crossing, free of what sums of lengths round.
    const auto block = m_options.blockMetres;
    const ns3::Vector crossing(std::round((m_from.x + m_direction.x * length) / block) * block,
                               std::round((m_from.y + m_direction.y * length) / block) * block,
                               m_from.z);
    m_arrival = ns3::Simulator::Schedule(ns3::Seconds(length / m_speed),
                                         [this, crossing] { Arrive(crossing); });
    NotifyCourseChange();
}

void
ManhattanMobilityModel::Arrive(const ns3::Vector& crossing)
{
    m_from = crossing;
    const ns3::Vector left(-m_direction.y, m_direction.x, 0);
    const ns3::Vector right(m_direction.y, -m_direction.x, 0);
    const auto turn = (1 - m_options.straight) / 2;
    std::vector<std::pair<ns3::Vector, double>> ways;
    double sum = 0;
    for (const auto& [way, weight] : {std::pair(m_direction, m_options.straight),
                                      std::pair(left, turn),
                                      std::pair(right, turn)})
    {
        if (IsStreet(crossing, way))
        {
            ways.emplace_back(way, weight);
            sum += weight;
        }
    }
    // Ways that are there and never wanted are equally likely if there is no other.
    const auto extra = sum > 0 ? 0.0 : 1.0;
    auto drawn = m_uniform->GetValue() * (sum + extra * static_cast<double>(ways.size()));
    m_direction = ways.back().first;
    for (const auto& [way, weight] : ways)
    {
        drawn -= weight + extra;
        if (drawn < 0)
        {
            m_direction = way;
            break;
        }
    }
    Walk(m_options.blockMetres);
}

bool
ManhattanMobilityModel::IsStreet(const ns3::Vector& crossing, const ns3::Vector& direction) const
{
    const auto block = m_options.blockMetres;
    const auto isWithin = [block](double from, double way, double side) {
        const auto to = std::round(from / block + way);
        return to >= 0 && to <= std::floor(side / block);
    };
    return isWithin(crossing.x, direction.x, m_options.widthMetres) &&
           isWithin(crossing.y, direction.y, m_options.depthMetres);
}

ns3::Vector
ManhattanMobilityModel::DoGetPosition() const
{
    const auto walked = m_speed * (ns3::Simulator::Now() - m_since).GetSeconds();
    return {m_from.x + m_direction.x * walked, m_from.y + m_direction.y * walked, m_from.z};
}

void
ManhattanMobilityModel::DoSetPosition(const ns3::Vector& position)
{
    m_arrival.Cancel();
    m_from = position;
    m_speed = 0;
    m_since = ns3::Simulator::Now();
    NotifyCourseChange();
}

ns3::Ptr<ns3::MobilityModel>
ManhattanMobilityModel::Copy() const
{
    auto copy = ns3::CreateObject<ManhattanMobilityModel>(*this);
    copy->m_arrival = {}; // is the original's, and nobody else's to cancel
    return copy;
}

ns3::Vector
ManhattanMobilityModel::DoGetVelocity() const
{
    return {m_direction.x * m_speed, m_direction.y * m_speed, 0};
}

int64_t
ManhattanMobilityModel::DoAssignStreams(int64_t stream)
{
    m_uniform->SetStream(stream);
    return 1;
}

void
ManhattanMobilityModel::DoDispose()
{
    m_arrival.Cancel();
    ns3::MobilityModel::DoDispose();
}

} // namespace mftpubsub
