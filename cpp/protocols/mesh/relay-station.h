/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_RELAY_STATION_H
#define MFTPUBSUB_PROTOCOLS_MESH_RELAY_STATION_H

#include "protocols/mesh/frame-sender.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/station.h"

#include <map>
#include <optional>

namespace mftpubsub::mesh
{

/**
 * What the field's own protocols for such a channel have in common here (Mpl, Epidemic): events go
 * to everybody, and filters are applied at the ends; brokers relay and store, publishers keep what
 * they have published, subscribers only listen and ask. One frame at a time, as in the mesh, which
 * is generous to them. Only subscribers match events; who has one matched has it.
 */
class RelayStation : public Station
{
  public:
    /// @param memory what a subscriber had on stable storage
    RelayStation(NodeId self,
                 uint8_t roles,
                 const Options& options,
                 const Uniform& uniform,
                 SubscriberMemory memory);

    std::vector<Pair> GetHeld() const override;
    size_t CountHeld() const override;
    std::optional<SubscriberMemory> GetMemory() const override;

  protected:
    void Start(Instant now, Output& output) override;
    /// Takes what is one of this protocol's frames; other bytes may come from anybody.
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

    /// Something to send.
    struct Message
    {
        std::string_view name;
        uint8_t kind{0};
        NodeId destination{NO_NODE};
        Bytes body;
        std::vector<EventId> events{}; //!< that it carries
    };

    /// The first call has the time of the start.
    virtual void Begin(Instant now) = 0;
    /// Takes a frame of another node, of which @p in has what is behind the header.
    /// @throws DecodeError when it is none
    virtual void Hear(Instant now, const Header& header, ByteReader& in, Output& output) = 0;
    /// @p id is new in the store.
    virtual void Stored(Instant now, EventId id) = 0;
    /// @return when Build is due; NEVER if it is not
    virtual Instant Due() const = 0;
    /// @return what is to be sent now, if anything; Due is later then
    virtual std::optional<Message> Build(Instant now) = 0;

    /// Takes an event that was heard. @return whether it was new
    bool Take(Instant now, const CarriedEvent& carried, NodeId from, Output& output);

    /// Has an event, and delivers it here. @return whether it is new
    bool Keep(const CarriedEvent& carried, NodeId from, Output& output);

    /// Sends what is due, if a frame may be sent.
    void Speak(Instant now, Output& output);

    bool Relays() const
    {
        return m_roles & BROKER;
    }

    /// @return whether what comes from there is for its store
    bool Stores(NodeId from) const;

    double Draw() const
    {
        return m_uniform();
    }

    size_t GetBodyBytes() const
    {
        return m_options.maxFrameBytes - HEADER_BYTES;
    }

    const NodeId m_self;
    const uint8_t m_roles;
    std::map<EventId, CarriedEvent> m_store;
    Summary m_has; //!< all that were in the store, or delivered

  private:
    Options m_options;
    Uniform m_uniform;
    FrameSender m_sender;
    SubscriberMemory m_memory;
    uint32_t m_life{0};
    bool m_hasStarted{false};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_RELAY_STATION_H */
