/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_FAMILIES_RECONFIGURATION_LAB_H
#define MFTPUBSUB_LAB_FAMILIES_RECONFIGURATION_LAB_H

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
 * Dispatchers over perfect FIFO links, without time: the laboratory of the reconfiguration family.
 *
 * What is on a link when it breaks is lost. Messages wait in the order in which they were sent, and
 * timers in the order in which they were started, until a step is made with one of them.
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
    struct Running
    {
        NodeId node{NO_NODE};
        Timer timer{Timer::UNSUBSCRIBE};
        ReconfigurationId reconfiguration{0};
        double due{0}; //!< s; for whoever keeps time
    };

    /// Told of each message when it is sent.
    using OnSend = std::function<void(const InTransit&)>;

    ReconfigurationLab(const DispatcherFactory& make, Forest tree, OnSend onSend = {});

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

    const std::vector<Running>& GetTimers() const;

    /// The timer at @p place of GetTimers expires.
    void Expire(size_t place);

    /// New timers are due this (s) after their start, which is at @p now.
    void SetTime(double now, double unsubscribe, double subscribe);

    const Dispatcher& GetDispatcher(NodeId node) const;
    const Forest& GetTree() const;
    const CostLedger& GetLedger() const;

    /// @return how often each dispatcher's clients were given an event
    const std::vector<uint32_t>& GetDelivered() const;

    /// @return what is wrong at rest (FindFaults)
    std::vector<std::string> FindViolations() const;

  private:
    void Tell(NodeId node, ReconfigurationId cause, const TreeMaintenance::Call& call);
    void CarryOut(NodeId node, ReconfigurationId cause, Actions& actions);
    void StopTimer(NodeId node, const TimerAction& action);

    std::vector<std::unique_ptr<Dispatcher>> m_dispatchers;
    TreeMaintenance m_tree;
    OnSend m_onSend;
    std::deque<InTransit> m_inTransit;
    std::vector<Running> m_timers; //!< in the order of starting
    CostLedger m_ledger;
    std::vector<uint32_t> m_delivered;
    double m_now{0};
    double m_unsubscribe{0};
    double m_subscribe{0};
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_LAB_FAMILIES_RECONFIGURATION_LAB_H */
