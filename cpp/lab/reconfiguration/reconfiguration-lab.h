/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_RECONFIGURATION_RECONFIGURATION_LAB_H
#define MFTPUBSUB_LAB_RECONFIGURATION_RECONFIGURATION_LAB_H

#include "protocols/reconfiguration/cost-ledger.h"
#include "protocols/reconfiguration/make-dispatcher.h"
#include "protocols/reconfiguration/tree-maintenance.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mftpubsub::reconfiguration
{

/**
 * Dispatchers over perfect FIFO links: the laboratory of the reconfiguration family.
 *
 * What is on a link when it breaks is lost. Messages wait in the order in which they were sent, and
 * timers run, until a step is made with one of them. No time passes unless it is set.
 */
class ReconfigurationLab
{
  public:
    /// A message on its way.
    struct InTransit
    {
        NodeId from{NO_NODE};
        NodeId to{NO_NODE};
        bool isOutOfBand{false};
        ReconfigurationId cause{NO_RECONFIGURATION};
        Message message;
    };

    /// A timer that runs.
    struct Running : RunningTimer
    {
        Running(NodeId dispatcher, const RunningTimer& running)
            : RunningTimer(running),
              node(dispatcher)
        {
        }

        NodeId node{NO_NODE};
    };

    /// Told of each message when it is sent.
    using OnSend = std::function<void(const InTransit&)>;

    ReconfigurationLab(const DispatcherFactory& make,
                       Forest tree,
                       OnSend onSend = {},
                       const TimerOptions& timers = {});

    ReconfigurationLab(const ReconfigurationLab&) = delete;
    ReconfigurationLab& operator=(const ReconfigurationLab&) = delete;

    void Subscribe(NodeId node, Pattern pattern);
    void Unsubscribe(NodeId node, Pattern pattern);
    void Publish(NodeId node, const PublicationPtr& publication);

    void Break(ReconfigurationId id, NodeId one, NodeId other);
    void Replace(ReconfigurationId id, NodeId one, NodeId other);

    const std::deque<InTransit>& GetInTransit() const;

    /// @return the places in GetInTransit of what may arrive next: the first message of each
    /// direction of a link, and those out of band
    std::vector<size_t> GetNext() const;

    /// The message at @p place of GetInTransit arrives.
    void Deliver(size_t place);

    /// Delivers everything, in the order of sending. @throws std::runtime_error if it does not end
    void DeliverAll();

    /// @return the next timer of each dispatcher, in the order in which they are due
    std::vector<Running> GetTimers() const;

    /// Lets time pass until @p timer, one of GetTimers, is due: it expires.
    void Expire(const Running& timer);

    void SetTime(Instant now);

    const Dispatcher& GetDispatcher(NodeId node) const;
    const Forest& GetTree() const;
    const CostLedger& GetLedger() const;

    /// @return how often each dispatcher's clients were given an event
    const std::vector<uint32_t>& GetDelivered() const;

    /// @return what is wrong at rest (FindFaults)
    std::vector<std::string> FindViolations(const Namer& name) const;

  private:
    void Tell(NodeId node, ReconfigurationId cause, const Dispatcher::Input& input);
    void CarryOut(NodeId node, ReconfigurationId cause, Actions& actions);

    std::vector<std::unique_ptr<Dispatcher>> m_dispatchers;
    TreeMaintenance m_tree;
    OnSend m_onSend;
    std::deque<InTransit> m_inTransit;
    CostLedger m_ledger;
    std::vector<uint32_t> m_delivered;
    Instant m_now{0};
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_LAB_RECONFIGURATION_RECONFIGURATION_LAB_H */
