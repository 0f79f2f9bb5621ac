/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_COST_LEDGER_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_COST_LEDGER_H

#include "protocols/reconfiguration/messages.h"

#include <array>
#include <map>
#include <set>
#include <variant>

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
        uint64_t count{0};        //!< hops
        uint64_t withPatterns{0}; //!< of them
        double cost{0};           //!< in SUBs
    };

    /// @p node is an end of a link that goes or comes with reconfiguration @p id.
    void NoteEnd(ReconfigurationId id, NodeId node);

    /// A message was sent over a link that is there, or out of band. @p id is what caused it: what
    /// it inherits from the message, timer or call that its sender was answering, or
    /// NO_RECONFIGURATION.
    void NoteSent(ReconfigurationId id, const Message& message);

    /// @p node has received @p message.
    void NoteReceived(ReconfigurationId id, NodeId node, const Message& message);

    /// @return what was sent, by the kind's index in Message
    const std::array<Entry, std::variant_size_v<Message>>& GetEntries() const;

    double GetCost() const;

    /// @return who was involved in @p id: ends of its links, and receivers of SUB, UNSUB or REC
    const std::set<NodeId>& GetInvolved(ReconfigurationId id) const;

  private:
    std::array<Entry, std::variant_size_v<Message>> m_entries{};
    std::map<ReconfigurationId, std::set<NodeId>> m_involved;
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_COST_LEDGER_H */
