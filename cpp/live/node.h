/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_NODE_H
#define MFTPUBSUB_LIVE_NODE_H

#include "live/clocks.h"
#include "live/datagram.h"
#include "live/node-trace.h"
#include "live/settings.h"
#include "live/store.h"
#include "protocols/own/own-protocols.h"
#include "protocols/own/station-checks.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace mftpubsub::live
{

/// What a node does to datagrams that it could hear, for experiments on one machine.
struct Ether
{
    std::optional<std::set<NodeId>> reach; //!< whom it hears; none: everybody
    double loss{0};                        //!< share of datagrams that are lost at random
};

/**
 * Hosts a mesh::Station on datagrams, as a state machine without I/O but its files: the station
 * that MeshNode hosts on the radio. Time is since the process began, and comes with each input.
 */
class Node
{
  public:
    /// @return whether the datagram is on its way
    using Send = std::function<bool(std::span<const uint8_t>)>;

    /**
     * @param maker of its station; none for protocols that ship
     * @param send called with each datagram
     * @param start what the clocks said when the process began; nobody asks them again
     * @throws std::invalid_argument for settings that cannot be
     * @throws std::runtime_error, std::system_error for files that cannot be used
     */
    Node(Settings settings, mesh::StationMaker maker, Send send, Clocks start);

    Node(const Node&) = delete; // the station refers to it
    Node& operator=(const Node&) = delete;

    void Start(Instant now);
    void Hear(Instant now, std::span<const uint8_t> datagram);
    void Expire(Instant now);

    /**
     * @param event its attributes and payload count
     * @return its sequence number
     * @throws std::length_error if it does not fit into a frame
     * @throws std::logic_error if the node may not publish
     */
    uint32_t Publish(Instant now, Event event);

    /// @throws std::logic_error if the node is no subscriber
    /// @throws std::length_error if its filters do not fit into a frame then
    void Subscribe(Instant now, const Filter& filter);
    void Unsubscribe(Instant now, const Filter& filter);

    /// @return the filters of its subscriber
    std::vector<std::string> GetFilters() const;

    /// @return filters of the store that the station had no room for: they are dropped
    const std::vector<std::string>& GetLeftOut() const
    {
        return m_counts.leftOut;
    }

    /// @return the next event for the application; it is done with it when it asks again
    EventPtr Take();

    /// The application is done with the event that it has taken last, if there is one.
    void AcknowledgeTaken();

    /// The application is not done with the event that it has taken last: it comes again.
    void GiveBack()
    {
        m_underWay.takes = false;
    }

    /// Its files are written, what is in memory with them.
    /// @param isDone whether the application is done with the event that it has taken last
    void Stop(Instant now, bool isDone);

    std::optional<Instant> NextTimer() const;

    /// What there is to count, by name.
    std::map<std::string, uint64_t> GetCounters() const;

    Ether& GetEther()
    {
        return m_ether;
    }

    /// Hands what the trace was told to the system.
    void FlushTrace()
    {
        m_trace.Flush();
    }

  private:
    /// What it counts with.
    struct Numbers
    {
        uint32_t reserved{0}; //!< of events: those below are this process's, whatever happens
        OwnDatagrams datagrams;
    };

    struct UnderWay
    {
        bool recalls{false}; //!< the station is told what the store has
        bool takes{false};   //!< the application has the first event of the inbox
    };

    /// When its files are seen to.
    struct Due
    {
        Instant keep{0}; //!< the journal
        Instant save{0}; //!< the whole
        Instant told{0}; //!< from then on others may be told their lives
    };

    struct Hosted
    {
        std::unique_ptr<mesh::Station> station;
        std::optional<mesh::StationChecks> checks; //!< of one's own in C++
    };

    struct Counts
    {
        std::map<std::string, uint64_t> byName;
        std::map<NodeId, uint64_t> heardFrom; //!< datagrams
        std::vector<std::string> leftOut;     //!< filters
    };

    std::unique_ptr<mesh::Station> MakeStation(const mesh::StationMaker& maker);
    void Tell(Instant now, const mesh::Station::Input& input);
    /// @throws std::runtime_error for what a station of one's own must not answer
    void CheckAnswer(Instant now, const mesh::Station::Input& input, const mesh::Output& output);
    void Execute(Instant now, mesh::Output output);
    void SendFrame(Instant now, const mesh::OutgoingFrame& frame);
    /// @return for the next datagram
    Envelope NextEnvelope(Instant now);
    /// Of an authentic datagram that was not heard before.
    void Read(Instant now, const Opened& opened);
    /// Tells the sender if it has had a later life, of which its clock knows nothing.
    void TellLife(Instant now, const Envelope& refused);
    void Deliver(const mesh::Delivery& delivery);
    /// After a crash it is published again.
    void KeepForOthers(Instant now, const EventPtr& event);
    /// Reserves sequence numbers and saves.
    void Remember(Instant now);
    void Save(Instant now);
    /// What is due from time to time.
    void Keep(Instant now);
    bool IsLost(NodeId source);
    UnixTime ToUnix(Instant now) const;
    bool Has(mesh::Role role) const;
    bool HasFilter(const std::string& text) const;

    Settings m_settings;
    Send m_send;
    Clocks m_start;
    std::mt19937_64 m_random;
    Framing m_framing;
    HeardDatagrams m_heard;
    NodeTrace m_trace;
    std::optional<Store> m_store;
    Memory m_memory; //!< but for what the station knows of it
    UnderWay m_underWay;
    Numbers m_numbers;
    Due m_due;
    Ether m_ether;
    Counts m_counts;
    Hosted m_hosted;
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_NODE_H */
