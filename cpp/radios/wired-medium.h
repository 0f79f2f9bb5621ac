/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RADIOS_WIRED_MEDIUM_H
#define MFTPUBSUB_RADIOS_WIRED_MEDIUM_H

#include "radios/placed-medium.h"

namespace mftpubsub
{

/// A medium on which everybody hears everybody, wherever they are, but for links that are cut.
class WiredMedium : public PlacedMedium
{
  public:
    explicit WiredMedium(const ns3::NodeContainer& nodes);

    bool IsUsable(NodeId from, NodeId to) const override;
    double GetStrengthDbm(NodeId from, NodeId to) const override;
    void OnLinksChanged(std::function<void()> changed) override;
    void OnSignalEnded(SignalEnded ended) override;
    bool IsSampled() const override;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RADIOS_WIRED_MEDIUM_H */
