/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STATIONS_BROADCAST_TREE_H
#define MFTPUBSUB_STATIONS_BROADCAST_TREE_H

#include "protocols/mesh/station.h"
#include "session/sessions.h"
#include "stations/tree-station.h"

#include <deque>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace mftpubsub
{

/**
 * A TreeStation where all frames are broadcasts, with its sessions: a mesh::Station, for hosts of
 * these. A frame for one neighbour is dropped by the others. Frames go one at a time, in order.
 */
class BroadcastTree : public mesh::Station, private TreeHost, private EventLog
{
  public:
    /// @param memory what a subscriber had on stable storage
    BroadcastTree(TreeOptions options, const UniformSource& uniform, mesh::SubscriberMemory memory);

    std::vector<Pair> GetHeld() const override;
    size_t CountHeld() const override;
    std::optional<mesh::SubscriberMemory> GetMemory() const override;

  private:
    using Output = mesh::Output;

    // From mesh::Station
    void Start(Instant now, Output& output) override;
    void Receive(Instant now,
                 std::span<const uint8_t> frame,
                 double rssiDbm,
                 Output& output) override;
    void Transmitted(Instant now, Instant airTime, Output& output) override;
    void Dropped(Instant now, Output& output) override;
    void Publish(Instant now, const EventPtr& event, Output& output) override;
    void Subscribe(Instant now, const Filter& filter, Output& output) override;
    void Unsubscribe(Instant now, const Filter& filter, Output& output) override;
    void Expire(Instant now, Output& output) override;
    Instant NextDue() const override;

    // From TreeHost
    void Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body) override;
    void Broadcast(uint8_t kind, const Bytes& body) override;
    void BroadcastHeartbeat(const Bytes& body) override;
    void CloseSession(NodeId neighbour) override;
    void Attached(NodeId parent, std::string_view kind) override;
    void Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate) override;
    EventLog& GetLog() override;
    double GetSpeed() const override;

    // From EventLog
    void Taken(EventId event) override;
    void Matched(NodeId broker, EventId event, NodeId subscriber) override;
    void Fate(EventId event, NodeId subscriber, LossCause cause) override;
    void FateUnmatched(EventId event, LossCause cause) override;

    void Begin(Instant now, Output& output);
    void Execute(const TransportOutput& output);

    /// The frame that was on its way has gone. @param until when the next one may go
    void FrameGone(Instant until, bool isLost);

    /// After each input. Brokers would take a word with a timestamp of a former life for old news.
    void ReserveTimestamps();

    /// Answers the frame that is next, if one may go.
    void Speak();

    TreeStation m_station;
    Sessions m_sessions;
    std::map<Filter, Instant> m_filters; //!< of the subscriber, and since when it has had them
    mesh::Summary m_seen;                //!< by the subscriber
    uint32_t m_reserved;                 //!< its timestamps up to here are of this life
    std::deque<OutgoingFrame> m_frames;  //!< to be sent, the first perhaps on its way
    bool m_isSending{false};
    Instant m_freeAt{0}; //!< from then on the next frame may go

    // The input at hand
    Instant m_now{0};
    Output* m_output{nullptr};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_STATIONS_BROADCAST_TREE_H */
