/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RADIOS_LOSSES_H
#define MFTPUBSUB_RADIOS_LOSSES_H

#include "content/link.h"
#include "scenario/medium.h"
#include "scenario/scenario.h"

#include "ns3/node-container.h"
#include "ns3/propagation-loss-model.h"

#include <functional>

namespace mftpubsub
{

/// What is lost on the way between radios of ns-3's.
struct Losses
{
    /// All of it, in the order in which ns-3 asks.
    ns3::Ptr<ns3::PropagationLossModel> all;

    /// What does not draw anew at each frame: asking it disturbs nothing.
    ns3::Ptr<ns3::PropagationLossModel> steady;
};

/// @param scenario its loss model and walls
/// @param nodes at their places
/// @param isCut whether nothing passes between two nodes, by their ids
/// @throws std::invalid_argument for a model that is none
Losses MakeLosses(const Scenario& scenario,
                  const ns3::NodeContainer& nodes,
                  const Medium::LinkFilter& isCut);

/// @return what strength tells of distance under @p steady, at this power
LinkBudget MakeBudget(const ns3::Ptr<ns3::PropagationLossModel>& steady,
                      double powerDbm,
                      double thresholdDbm);

/**
 * @param success probability that the shortest frame is received at a strength in dBm, without
 *        interference
 * @return the least strength at which that is not below one in a million, dBm
 */
double FindThreshold(const std::function<double(double dbm)>& success);

} // namespace mftpubsub

#endif /* MFTPUBSUB_RADIOS_LOSSES_H */
