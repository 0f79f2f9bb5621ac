/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SCENARIO_HANDOFF_RADIO_H
#define MFTPUBSUB_SCENARIO_HANDOFF_RADIO_H

#include "hosts/handoff-node.h"
#include "scenario/scenario.h"

#include <string_view>
#include <vector>

namespace mftpubsub
{

/// @return the names of those hand-off schemes that run on the radio: of brokers that flood
std::vector<std::string> GetRadioHandoffSchemes();

/// @return whether @p protocol is one of these
bool RunsHandoff(std::string_view protocol);

/// The devices of a scenario whose protocol is a hand-off scheme, and the wire between its brokers.
class HandoffRadio
{
  public:
    /// @param scenario and @param trace outlive this
    HandoffRadio(const Scenario& scenario, RunTrace& trace);

    /// @param options what does not depend on the scheme
    /// @return the application of a device, its filters subscribed
    ns3::Ptr<HandoffNode> MakeNode(HandoffNodeOptions options);

  private:
    const Scenario& m_scenario;
    RunTrace& m_trace;
    Backbone m_backbone;
    std::vector<NodeId> m_brokers; //!< ascending
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_HANDOFF_RADIO_H */
