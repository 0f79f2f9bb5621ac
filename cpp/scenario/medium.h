/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SCENARIO_MEDIUM_H
#define MFTPUBSUB_SCENARIO_MEDIUM_H

#include "content/node-id.h"
#include "content/position.h"
#include "wsn/receiver.h"

#include "ns3/packet.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace mftpubsub
{

/// What a network as a whole is asked about its radios, whichever they are. Nodes are meant by id.
class Medium
{
  public:
    using SignalEnded = std::function<void(NodeId receiver, uint64_t frame, SignalOutcome outcome)>;

    using LinkFilter = std::function<bool(NodeId from, NodeId to)>;

    virtual ~Medium() = default;

    /// @return where @p node is taken to be
    virtual Position GetPosition(NodeId node) const = 0;

    /// @return whether a frame that @p from sends now can reach @p to: below this nothing is ever
    /// received
    virtual bool IsUsable(NodeId from, NodeId to) const = 0;

    /// @return the nodes that IsUsable is true for, ascending
    virtual std::vector<uint32_t> GetUsableLinks(NodeId from) const = 0;

    /// @return the strength at which a frame that @p from sends now reaches @p to, dBm
    virtual double GetStrengthDbm(NodeId from, NodeId to) const = 0;

    /// @param changed called whenever IsUsable may answer another thing. To be called once.
    virtual void OnLinksChanged(std::function<void()> changed) = 0;

    /// @return whether radios too see places as of the last OnLinksChanged; else as they are when
    /// they send
    virtual bool IsSampled() const = 0;

    /// The frame with @p packet goes on the air, where places are not sampled.
    virtual void PutOnAir(const ns3::Packet&)
    {
    }

    /// @param ended told how each frame, counted from 0, ended at who heard it. To be called once.
    virtual void OnSignalEnded(SignalEnded ended) = 0;

    /// Cuts links: nothing of a frame reaches whom @p isCut names.
    virtual void SetLinkFilter(LinkFilter isCut) = 0;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_MEDIUM_H */
