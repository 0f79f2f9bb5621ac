/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RADIOS_LOSS_MEDIUM_H
#define MFTPUBSUB_RADIOS_LOSS_MEDIUM_H

#include "radios/placed-medium.h"
#include "scenario/scenario.h"

#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/propagation-loss-model.h"

#include <unordered_map>

namespace mftpubsub
{

/**
 * Radios of ns-3's over a loss model: a link is usable while what it leaves of the sender's power
 * is not below the threshold of receivers. Places change continuously; those who want to know of
 * changed links are told every position interval.
 */
class LossMedium : public PlacedMedium
{
  public:
    LossMedium(const Scenario& scenario, const ns3::NodeContainer& nodes);

    /// @param steady asked at any time: it must not draw
    void SetLosses(ns3::Ptr<ns3::PropagationLossModel> steady,
                   double powerDbm,
                   double thresholdDbm);

    // What devices tell

    /// The signal of @p packet has ended at @p receiver.
    void End(NodeId receiver, const ns3::Packet& packet, SignalOutcome outcome) const;

    bool IsUsable(NodeId from, NodeId to) const override;
    double GetStrengthDbm(NodeId from, NodeId to) const override;
    void OnLinksChanged(std::function<void()> changed) override;
    void OnSignalEnded(SignalEnded ended) override;
    bool IsSampled() const override;
    void PutOnAir(const ns3::Packet& packet) override;

  private:
    void Sample();

    ns3::Time m_interval; //!< zero: nobody moves
    ns3::Ptr<ns3::PropagationLossModel> m_steady;
    double m_powerDbm{0};
    double m_thresholdDbm{0};
    std::function<void()> m_changed;
    SignalEnded m_ended;
    uint64_t m_frames{0};                            //!< on the air so far
    std::unordered_map<uint64_t, uint64_t> m_number; //!< of frames, by their packets' uids
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RADIOS_LOSS_MEDIUM_H */
