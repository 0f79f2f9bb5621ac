/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RADIOS_PLACED_MEDIUM_H
#define MFTPUBSUB_RADIOS_PLACED_MEDIUM_H

#include "scenario/medium.h"

#include "ns3/mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/ptr.h"

#include <utility>
#include <vector>

namespace mftpubsub
{

/// A medium of ns-3's devices: nodes are where their mobility has them now, and links can be cut.
class PlacedMedium : public Medium
{
  public:
    /// @return whether somebody has cut the link
    bool IsCut(NodeId from, NodeId to) const;

    Position GetPosition(NodeId node) const override;
    std::vector<uint32_t> GetUsableLinks(NodeId from) const override;
    void SetLinkFilter(LinkFilter isCut) override;

  protected:
    explicit PlacedMedium(const ns3::NodeContainer& nodes);

    const ns3::Ptr<ns3::MobilityModel>& GetPlace(NodeId node) const;

  private:
    std::vector<ns3::Ptr<ns3::MobilityModel>> m_places; //!< by node
    LinkFilter m_isCut;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RADIOS_PLACED_MEDIUM_H */
