/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_MESH_STATION_H
#define MFTPUBSUB_PROTOCOLS_MESH_MESH_STATION_H

#include "content/id-map.h"
#include "protocols/mesh/broker.h"
#include "protocols/mesh/frame-sender.h"
#include "protocols/mesh/publisher.h"
#include "protocols/mesh/station.h"
#include "protocols/mesh/subscriber.h"
#include "protocols/mesh/unmixer.h"

#include <optional>

namespace mftpubsub::mesh
{

/// A device's part in the mesh: the machines of its roles, which talk to each other without radio,
/// behind one sender.
class MeshStation : public Station
{
  public:
    /// @param memory what a subscriber had on stable storage
    MeshStation(NodeId self,
                uint8_t roles,
                const Options& options,
                const Uniform& uniform,
                BrokerPolicies policies,
                SubscriberMemory memory = {},
                Places::Locate locate = {});

    MeshStation(const MeshStation&) = delete; // the machines refer to the context
    MeshStation& operator=(const MeshStation&) = delete;

    std::vector<Pair> GetHeld() const override;
    std::vector<Wanted> GetWanted() const override;
    size_t CountHeld() const override;
    std::optional<SubscriberMemory> GetMemory() const override;

    // For those who look at it from outside; none without the role

    const Broker* GetBroker() const
    {
        return m_broker ? &*m_broker : nullptr;
    }

    const Subscriber* GetSubscriber() const
    {
        return m_subscriber ? &*m_subscriber : nullptr;
    }

    const Publisher* GetPublisher() const
    {
        return m_publisher ? &*m_publisher : nullptr;
    }

  private:
    void Start(Instant now, Output& output) override;
    void Receive(Instant now,
                 std::span<const uint8_t> frame,
                 double rssiDbm,
                 Output& output) override;
    void Transmitted(Instant now, Instant airTime, Output& output) override;
    void Dropped(Instant now, Output& output) override;
    void Publish(Instant now, const EventPtr& event, Output& output) override;
    void Recall(Instant now, const EventPtr& event, Instant since, Output& output) override;
    void Subscribe(Instant now, const Filter& filter, Output& output) override;
    void Unsubscribe(Instant now, const Filter& filter, Output& output) override;
    void Expire(Instant now, Output& output) override;
    Instant NextDue() const override;

    /// The latest frame of a neighbour.
    struct Heard
    {
        Instant at{0};
        uint32_t life{0};
        uint8_t number{0};
    };

    /// @return whether a frame that was sent after it, or itself, was heard before
    bool IsEcho(Instant now, const Header& header);
    /// Tells the machines what was heard.
    /// @param holder a neighbour that has its events; NO_NODE if there need be none
    void Tell(Instant now, NodeId holder, Frame frame, double rssiDbm, Output& output);
    /// @return the events of which @p body was the last that was missing
    std::vector<CarriedEvent> Solve(Instant now, const Body& body);
    /// Tells the broker on this device the subscriber's word.
    void SayLocally(Instant now);
    /// @return @p outgoing, with what is known of places if the device uses them
    Bytes Encode(Instant now, const Outgoing& outgoing);
    /// Sends what is most urgent, if a frame may be sent.
    void Speak(Instant now, Output& output);
    std::optional<Outgoing> Build(Instant now);
    Instant Due(Turn turn) const;

    Context m_context;
    size_t m_maxFrameBytes; //!< of the device
    FrameSender m_sender;
    Unmixer m_unmixer;
    std::optional<Broker> m_broker;
    std::optional<Subscriber> m_subscriber;
    std::optional<Publisher> m_publisher; //!< without a broker on the device
    uint32_t m_life{0};
    uint8_t m_number{0}; //!< of the latest frame
    IdMap<Heard> m_heard;
    bool m_hasStarted{false};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_MESH_STATION_H */
