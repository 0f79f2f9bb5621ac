/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_TRACE_RUN_TRACE_H
#define MFTPUBSUB_TRACE_RUN_TRACE_H

#include "content/event-log.h"
#include "content/event-set.h"
#include "content/event.h"
#include "content/id-set.h"
#include "content/roles.h"
#include "trace/delivery-ledger.h"
#include "trace/run-counters.h"
#include "trace/trace-writer.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace mftpubsub
{

/**
 * Everything that a run tells the world: one function a record kind of trace_schema.yaml. Times are
 * the simulator's Now.
 */
class RunTrace : public EventLog
{
  public:
    explicit RunTrace(TraceSink sink);

    void Role(NodeId node, uint8_t roles);

    void Published(NodeId node, const Event& event);

    /**
     * What is published and sent from now on is what is measured.
     *
     * @param joules that each node has consumed so far
     */
    void BeginMeasuring(std::unordered_map<NodeId, double> joules);

    /// @param op '+' when @p subscriber subscribes to a filter, '-' when it unsubscribes
    void Subscribed(char op, NodeId subscriber);

    /// @p subscriber held a matching subscription when the event was published.
    void Sent(NodeId publisher, EventId event, NodeId subscriber);

    /// A broker has got the event.
    void Taken(EventId event) override;

    /// A broker matched; only the first one for each (event, subscriber) is written. Unless
    /// something else is heard of the event, it is STRANDED.
    void Matched(NodeId broker, EventId event, NodeId subscriber) override;

    /// The same of several.
    void Matched(NodeId broker, EventId event, const IdSet& subscribers);

    /// @param from who delivered it, NO_NODE if unknown
    void Delivered(NodeId subscriber, EventId event, NodeId from, uint8_t hops, bool duplicate);

    /// Is told of deliveries: to whom, of what, after how many hops, and whether it is a duplicate.
    using DeliveryCallback = std::function<void(NodeId, EventId, uint8_t, bool)>;

    /// @param callback is called by Delivered, in the simulation's time
    void SetDeliveryCallback(DeliveryCallback callback);

    /// A broadcast has brought @p subscriber an event that it had, from @p from.
    void Overheard(NodeId subscriber, EventId event, NodeId from, uint8_t hops);

    /// What has become of the event for @p subscriber by now (DeliveryLedger::Note).
    void Fate(EventId event, NodeId subscriber, LossCause cause) override;

    /// The same of several.
    void Fate(EventId event, const IdSet& subscribers, LossCause cause);

    /// The same for a copy that names no subscriber (DeliveryLedger::NoteUnmatched).
    void FateUnmatched(EventId event, LossCause cause) override;

    /**
     * @p node has attached to @p parent: for the first time, to another one than before, or to the
     * same once more. To itself is nothing.
     *
     * @param kind "BMIG" or "MIG" if that is how it said so, else empty
     * @return whether it has migrated: said so to another parent than before
     */
    bool Attached(NodeId node, NodeId parent, std::string_view kind);

    /**
     * @param op '-' when the fault begins, '+' when it is over
     * @param kind "CRASH", "BLACKOUT", "PARTITION", "ABSENT", "ASLEEP" or "BATTERY"
     * @param peer the other end of a link, NO_NODE if a node is concerned
     */
    void Fault(char op, std::string_view kind, NodeId node, NodeId peer = NO_NODE);

    /// @param to NO_NODE for a broadcast
    void Frame(NodeId node, std::string_view kind, NodeId to, uint32_t bytesOnAir);

    void Reachable(NodeId subscriber, EventId event);

    /// @p joules are what the device has consumed in the run; what it had when measuring began does
    /// not count.
    void Energy(NodeId node, double joules);

    /// @p hops are what @p broker was away from the root of its tree, on average.
    void Depth(NodeId broker, double hops);

    /// @p share of the brokers below roots were on their root's largest branch, on average.
    void LargestBranch(double share);

    /**
     * @param noteRemaining tells Fate where the events are that have not arrived; it tells nothing
     * else, and what it tells counts for this answer only
     * @return what the trace would sum up to if the run ended now
     */
    RunCounters GetCounters(const std::function<void()>& noteRemaining);

    /// The run is complete: writes the losses and the END record.
    void End();

  private:
    void WriteMatch(NodeId broker, EventId event, NodeId subscriber);

    TraceWriter m_writer;
    DeliveryLedger m_ledger;
    DeliveryLedger m_early; //!< of what was sent before measuring began
    std::unordered_map<NodeId, double> m_earlyJoules;
    RunCounters m_counters; //!< but for undelivered, which the ledger counts
    std::unordered_map<NodeId, EventSet> m_matched;     //!< by subscriber
    std::unordered_map<EventId, IdSet> m_matchedLately; //!< the same of some events, to be quick
    std::unordered_map<NodeId, NodeId> m_parents;       //!< the last ones
    DeliveryCallback m_deliveryCallback;                //!< none unless somebody asks
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_TRACE_RUN_TRACE_H */
