/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_CLIENT_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_CLIENT_H

#include "content/event-set.h"
#include "protocols/handoff/messages.h"

#include <optional>
#include <vector>

namespace mftpubsub::handoff
{

/// What a subscriber of a scheme does besides receiving.
struct ClientOptions
{
    uint32_t ackBatch{1}; //!< events of a connection that one EVACK acknowledges (4.2); 0: none
    bool carriesFilters{false}; //!< RECONNECT has the filters: nobody else tells the new broker
    bool namesAccepted{false};  //!< as old broker: the last that accepted it, not the last tried
    bool namesHome{false};      //!< as old broker: always its first
    bool announces{false};      //!< it says when it leaves (MOVEOUT)
    bool isRedirected{false};   //!< a controller sends it elsewhere (EMMA)
};

/// What a subscriber makes of an event.
struct Reception
{
    bool isDuplicate{false}; //!< it had it: counted, and not given to the application
    std::optional<Evack> acknowledgement;
};

/**
 * A subscriber (handoff.md 4.4), as a state machine without I/O: it remembers its last broker and
 * what it has consumed, and gives each event to its application once.
 */
class Client
{
  public:
    Client(NodeId self, const ClientOptions& options);

    /// First subscription, at @p broker, which it is connected to from now on.
    Sub Subscribe(NodeId broker, const Filter& filter);

    /// It is at @p broker now. @return what it tells it
    Reconnect Connect(NodeId broker);

    /// The same while it is still at another: it hears both until Accept. @return as Connect
    Reconnect Redirect(NodeId broker);

    /// The connection of this session is accepted.
    void Accept(Session session);

    void Disconnect();

    /// It leaves for good.
    Uns Unsubscribe();

    Reception Receive(const Held& held);

    /// @return whether it is connected to @p broker, or leaving it for another
    bool Hears(NodeId broker) const;

    /// @return the broker that it has been redirected from and still hears, or NO_NODE
    NodeId GetLeaving() const;

    /// @return the broker that it is connected to, or NO_NODE
    NodeId GetBroker() const;

    /// @return the broker that it is or was connected to last, or NO_NODE
    NodeId GetLastBroker() const;

    Session GetSession() const;

    /// @return whether it has received @p id
    bool Has(EventId id) const;

  private:
    /// @return the broker that it names as its old one
    NodeId GetOld() const;

    NodeId m_self;
    ClientOptions m_options;
    std::vector<Filter> m_filters;
    NodeId m_home{NO_NODE}; //!< its first broker
    NodeId m_broker{NO_NODE};
    NodeId m_leaving{NO_NODE};  //!< redirected from there, and not yet accepted elsewhere
    NodeId m_accepted{NO_NODE}; //!< the last broker that accepted it
    bool m_connected{false};
    Session m_session{0};
    Consumed m_last;
    uint32_t m_unacknowledged{0};
    uint32_t m_lastReceived{0}; //!< Phoenix: timestamp of the last event of this broker
    EventSet m_received;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_CLIENT_H */
