/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_COST_LEDGER_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_COST_LEDGER_H

#include "protocols/reconfiguration/messages.h"

#include <map>
#include <set>
#include <string_view>

namespace mftpubsub::reconfiguration
{

/// What reconfigurations cost, as C V-B counts it: hops of messages that they caused, and whom they
/// involved.
class CostLedger
{
  public:
    /// Messages of one kind.
    struct Entry
    {
        uint64_t count{0};   //!< hops
        uint64_t telling{0}; //!< of them, those that are sent to tell of patterns
        double cost{0};      //!< in SUBs
    };

    /// By the name of the kind.
    using Entries = std::map<std::string_view, Entry>;

    /// A message of @p kind was sent over a link that is there, or out of band. @p id is what
    /// caused it: what it inherits from the message, timer or call that its sender was answering,
    /// or NO_RECONFIGURATION, which costs nothing.
    /// @param kind lives as long as the program
    /// @param weight its cost, in SUBs
    /// @param tells whether it is sent to tell of patterns, be there any or none
    void NoteSent(ReconfigurationId id, std::string_view kind, double weight, bool tells);

    /// @p node is an end of a link that goes or comes with @p id, or has received a message that
    /// changes its table.
    void NoteInvolved(ReconfigurationId id, NodeId node);

    const Entries& GetEntries() const;

    double GetCost() const;

    /// @return who was involved in @p id
    const std::set<NodeId>& GetInvolved(ReconfigurationId id) const;

  private:
    Entries m_entries;
    std::map<ReconfigurationId, std::set<NodeId>> m_involved;
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_COST_LEDGER_H */
