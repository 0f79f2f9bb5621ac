/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_MANHATTAN_MOBILITY_MODEL_H
#define MFTPUBSUB_WSN_MANHATTAN_MOBILITY_MODEL_H

#include "ns3/event-id.h"
#include "ns3/mobility-model.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"
#include "ns3/vector.h"

namespace mftpubsub
{

/// The streets of a town, and how one moves along them.
struct ManhattanOptions
{
    double widthMetres{0};  //!< of the area, at least a block
    double depthMetres{0};  //!< of the area, the same
    double heightMetres{0}; //!< above the ground
    double blockMetres{0};  //!< between two parallel streets, of which the first are at 0
    double minSpeed{0};     //!< m/s
    double maxSpeed{0};     //!< m/s; a draw in [min, max) for each block
    double straight{0.5};   //!< probability to go straight on at a crossing
};

/**
 * Along the streets of a grid (ETSI TR 101 112, B.1.4.2; Bai et al. 2003): at a crossing a node
 * goes straight on, or else to the left or to the right, which are equally likely. Where a way does
 * not exist, the others share its probability; nobody turns back.
 *
 * Departs from Bai et al.: nodes do not keep a distance from each other, and have no acceleration.
 */
class ManhattanMobilityModel : public ns3::MobilityModel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static ns3::TypeId GetTypeId();

    ManhattanMobilityModel();

    /// Begins somewhere on the streets, uniformly; after AssignStreams.
    void Begin(const ManhattanOptions& options);

    /// @return another one at the same place, which goes straight on; asked for by ns-3 from 3.46,
    /// so not an override for all
    ns3::Ptr<ns3::MobilityModel> Copy() const;

  private:
    ns3::Vector DoGetPosition() const override;
    void DoSetPosition(const ns3::Vector& position) override;
    ns3::Vector DoGetVelocity() const override;
    int64_t DoAssignStreams(int64_t stream) override;
    void DoDispose() override;

    /// Goes on from m_from for @p length metres in the present direction.
    void Walk(double length);

    /// At the crossing @p crossing.
    void Arrive(const ns3::Vector& crossing);

    /// @return whether there is a street from @p crossing that way
    bool IsStreet(const ns3::Vector& crossing, const ns3::Vector& direction) const;

    ManhattanOptions m_options;
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
    ns3::Vector m_from;      //!< where it began to walk straight on, m
    ns3::Vector m_direction; //!< unit vector
    double m_speed{0};       //!< m/s
    ns3::Time m_since;
    ns3::EventId m_arrival;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_MANHATTAN_MOBILITY_MODEL_H */
