/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_LINE_MOBILITY_MODEL_H
#define MFTPUBSUB_WSN_LINE_MOBILITY_MODEL_H

#include "ns3/mobility-model.h"
#include "ns3/vector.h"

namespace mftpubsub
{

/**
 * Castalia's line mobility (BEHAVIOUR point 31): back and forth on one segment at constant speed,
 * overshoot mirrored at the ends. Castalia moves in steps; a channel that samples at multiples of
 * the step sees the same positions.
 */
class LineMobilityModel : public ns3::MobilityModel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static ns3::TypeId GetTypeId();

    /**
     * @param start one end, where the node is at time 0, m
     * @param end other end, m
     * @param speed speed along the segment, m/s
     */
    void SetLine(const ns3::Vector& start, const ns3::Vector& end, double speed);

    /// @return another one on the same line; asked for by ns-3 from 3.46, so not an override for
    /// all
    ns3::Ptr<ns3::MobilityModel> Copy() const;

  private:
    ns3::Vector DoGetPosition() const override;
    void DoSetPosition(const ns3::Vector& position) override;
    ns3::Vector DoGetVelocity() const override;
    /// @return distance travelled since the last time at the start, m, below twice the length
    double Travelled() const;

    ns3::Vector m_start;     //!< m
    ns3::Vector m_direction; //!< unit vector
    double m_length{0};      //!< m
    double m_speed{0};       //!< m/s
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_LINE_MOBILITY_MODEL_H */
