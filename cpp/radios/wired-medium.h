/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RADIOS_WIRED_MEDIUM_H
#define MFTPUBSUB_RADIOS_WIRED_MEDIUM_H

#include "scenario/medium.h"

#include "ns3/mobility-model.h"
#include "ns3/node-container.h"

namespace mftpubsub
{

/// A medium on which everybody hears everybody, wherever they are, but for links that are cut.
class WiredMedium : public Medium
{
  public:
    explicit WiredMedium(const ns3::NodeContainer& nodes);

    std::pair<double, double> GetPosition(NodeId node) const override;
    bool IsUsable(NodeId from, NodeId to) const override;
    std::vector<uint32_t> GetUsableLinks(NodeId from) const override;
    double GetStrengthDbm(NodeId from, NodeId to) const override;
    void OnLinksChanged(std::function<void()> changed) override;
    void OnSignalEnded(SignalEnded ended) override;
    void SetLinkFilter(LinkFilter isCut) override;
    bool IsSampled() const override;
    void PutOnAir(const ns3::Packet& packet) override;

  private:
    std::vector<ns3::Ptr<ns3::MobilityModel>> m_places; //!< by node
    LinkFilter m_isCut;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RADIOS_WIRED_MEDIUM_H */
