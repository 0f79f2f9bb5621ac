/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_HANDOFF_HANDOFF_LAB_STATE_H
#define MFTPUBSUB_LAB_HANDOFF_HANDOFF_LAB_STATE_H

#include "lab/handoff/handoff-lab.h"
#include "lab/handoff/handoff-links.h"
#include "lab/handoff/handoff-names.h"
#include "policies/emma-controller.h"
#include "protocols/handoff/make-broker.h"

#include <map>
#include <set>

namespace mftpubsub
{

/**
 * What a laboratory of hand-offs is and does, by numbers.
 *
 * Whoever calls sees to it that ids are those of brokers and subscribers that there are: HandoffLab
 * does.
 */
class HandoffLabState
{
  public:
    explicit HandoffLabState(const HandoffLabOptions& options);

    const HandoffNames& GetNames() const;
    HandoffLinks& GetLinks();

    /// @param user another subscriber, a client of the same user (ELVIN); NO_NODE: its own
    void Subscribe(const std::string& name, NodeId broker, const Filter& filter, NodeId user);
    void Unsubscribe(NodeId subscriber);
    void Publish(const std::string& name, NodeId broker);
    void Connect(NodeId subscriber, NodeId broker);
    void Disconnect(NodeId subscriber);
    void MoveOut(NodeId subscriber, bool keep);
    void Ping(NodeId subscriber, NodeId broker, double milliseconds);
    void Balance();
    void TimeOut(NodeId subscriber, NodeId broker);
    void AddEdge(NodeId one, NodeId other);

    /// Delivers the oldest message that can be, or by @p choice. @return false if there is none
    bool Deliver(std::optional<uint64_t> choice);

    /// Delivers the oldest message on @p link. @return false if there is none, or the link is held
    bool DeliverFrom(HandoffLinks::Link link);

    std::vector<LabLine> TakeLog();
    LabPicture Draw() const;
    std::vector<std::string> GetStates(NodeId subscriber) const;
    std::vector<std::string> FindViolations() const;
    uint64_t CountDuplicates() const;
    uint64_t CountDisorder() const;

  private:
    bool Arrive(const std::optional<HandoffLinks::Pending>& taken);

    struct Subscriber
    {
        handoff::Client client;
        Filter filter;
        bool isSubscribed{true};
        std::vector<EventId> wanted; //!< what matched since it subscribed
        handoff::Consumed received;  //!< the highest of each publisher
    };

    std::shared_ptr<const handoff::Tree> MakeTree(const HandoffLabOptions& options) const;
    handoff::Options MakeBrokerOptions(const HandoffLabOptions& options, NodeId broker) const;
    void Advertise(const std::vector<std::string>& brokers);

    /// @throws LabError unless a controller sends subscribers elsewhere
    void RequireController() const;

    handoff::Client& GetClient(NodeId subscriber);

    /// Ends the connection of who had this name and has unsubscribed: SUB has no session, so who
    /// subscribes again is a client of its own. @throws LabError if it has not unsubscribed
    void EndFormer(const std::string& name);

    /// @return the broker that @p subscriber is connected to. @throws LabError if it is to none
    NodeId GetBrokerOf(NodeId subscriber) const;

    /// @p broker is told @p reconnect.
    void Tell(NodeId broker, const handoff::Reconnect& reconnect);
    void BreakLink(NodeId broker, NodeId subscriber);

    /// @p broker receives @p message, and does what it answers.
    void Receive(NodeId broker, NodeId from, const handoff::Message& message);
    void CarryOut(NodeId broker, const handoff::Output& output);
    void GiveToSubscriber(NodeId broker, const handoff::Delivery& delivery);
    void Log(NodeId from, NodeId to, const handoff::Message& message, const std::string& more = "");
    void Log(NodeId from, NodeId to, const std::string& kind, const std::string& words);

    /// @return whether @p event is held for @p subscriber, who is away
    bool WaitsFor(NodeId id, const Subscriber& subscriber, EventId event) const;

    /// Adds what is wrong with the copies of @p subscriber.
    void CheckCopies(NodeId id,
                     const Subscriber& subscriber,
                     std::vector<std::string>& violations) const;

    const handoff::Scheme& m_scheme;
    handoff::ClientOptions m_clientOptions;
    HandoffNames m_names;
    std::shared_ptr<const handoff::Tree> m_tree;              //!< of those schemes that route
    std::vector<std::pair<std::string, std::string>> m_wires; //!< by names
    HandoffLinks m_links;
    std::vector<std::unique_ptr<handoff::Broker>> m_brokers; //!< of id 1, 2, ...
    std::map<NodeId, Subscriber> m_subscribers;
    EmmaController m_controller;
    std::map<NodeId, uint32_t> m_published; //!< by publisher
    std::set<NodeId> m_advertised;
    bool m_isLogging;
    std::vector<LabLine> m_log;
    uint64_t m_duplicates{0};
    uint64_t m_disorder{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_HANDOFF_HANDOFF_LAB_STATE_H */
