/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RADIOS_WSN_MEDIUM_H
#define MFTPUBSUB_RADIOS_WSN_MEDIUM_H

#include "scenario/medium.h"
#include "wsn/wireless-channel.h"

namespace mftpubsub
{

/// Castalia's channel, whose devices are in the order of the nodes.
class WsnMedium : public Medium
{
  public:
    explicit WsnMedium(ns3::Ptr<WirelessChannel> channel);

    Position GetPosition(NodeId node) const override;
    bool IsUsable(NodeId from, NodeId to) const override;
    std::vector<uint32_t> GetUsableLinks(NodeId from) const override;
    double GetStrengthDbm(NodeId from, NodeId to) const override;
    void OnLinksChanged(std::function<void()> changed) override;
    void OnSignalEnded(SignalEnded ended) override;
    void SetLinkFilter(LinkFilter isCut) override;
    bool IsSampled() const override;

  private:
    ns3::Ptr<WirelessChannel> m_channel;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RADIOS_WSN_MEDIUM_H */
