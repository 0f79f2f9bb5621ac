/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_MESH_MESH_LAB_H
#define MFTPUBSUB_LAB_MESH_MESH_LAB_H

#include "content/position.h"
#include "lab/transcript.h"
#include "protocols/mesh/mesh-station.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// What a MeshLab is made of.
struct MeshLabOptions
{
    std::string protocol{"mft-mesh"};
    std::vector<uint8_t> roles; //!< of each node, mesh::Role
    mesh::Options mesh;
    double loss{0};        //!< probability that a neighbour does not hear a frame
    double duplicates{0};  //!< probability that it hears it twice
    double clockDrift{0};  //!< clocks run at U(1 - this, 1 + this)
    double keepSeconds{0}; //!< brokers and publishers keep events for so long; 0: for ever
    uint32_t seed{1};
    bool isChecking{true}; //!< invariants after every step: takes longer the more events there were
    /// Where a node is, if it knows; may be empty.
    std::function<std::optional<Position>(NodeId)> locate{};
    bool isLogging{false}; //!< TakeLog has every frame and every delivery
};

/**
 * Devices of the mesh, or of a protocol that it is compared with, on a broadcast channel whose
 * every property is at hand: a frame reaches any subset of the sender's neighbours, once or twice,
 * after waits that reorder frames of different senders; devices crash, restart, and move (links
 * come and go).
 *
 * It knows what was published and who wanted it, and so checks the protocol's invariants
 * (docs/protocols.md) after every step.
 */
class MeshLab
{
  public:
    using Instant = mesh::Instant;

    /// Decides whether @p to hears the frame that @p from sends; overrides the loss.
    using Hears = std::function<bool(NodeId from, NodeId to)>;

    explicit MeshLab(MeshLabOptions options);

    MeshLab(const MeshLab&) = delete; // what is scheduled refers to it
    MeshLab& operator=(const MeshLab&) = delete;

    /// All nodes are each other's neighbours at first.
    void SetLink(NodeId one, NodeId other, bool isUp);
    void SetHears(Hears hears);
    void SetLoss(double loss);

    /// @return the event, of one attribute: topic
    EventPtr Publish(NodeId publisher, const std::string& topic, uint16_t payloadBytes = 100);
    void Subscribe(NodeId subscriber, const std::string& filter);
    void Unsubscribe(NodeId subscriber, const std::string& filter);
    void Crash(NodeId node);
    void Restart(NodeId node);

    /// Runs for so long.
    void Run(double seconds);

    /// The next thing happens: a timer expires, or a frame goes out or arrives.
    /// @return false if there is none
    bool Step();

    /// @return whether the next thing is that a device hears a frame
    bool IsReceptionNext() const;

    /// The next thing, which is that a device hears a frame, does not happen.
    void Lose();

    size_t CountNodes() const;
    uint8_t GetRoles(NodeId node) const;
    bool IsLinked(NodeId one, NodeId other) const;

    /// @return what the broker @p node, which is up, holds for whom
    std::vector<Pair> GetHeld(NodeId node) const;

    bool IsUp(NodeId node) const;

    /// @return whether @p subscriber's application has seen @p event
    bool HasDelivered(NodeId subscriber, EventId event) const;

    /// @return what was found wrong so far, a line each
    const std::vector<std::string>& GetViolations() const
    {
        return m_violations;
    }

    /// @return what is wrong now, a line each, if all nodes have been up, brokers connected and
    /// clients in reach of one for long (invariants 6 and 7)
    std::vector<std::string> CheckConverged() const;

    /// @return since the last call, one line a frame and delivery: time, who, what
    std::vector<LabLine> TakeLog();

    uint64_t CountFrames() const
    {
        return m_frames;
    }

    /// @return @p node, which is up and of mft-mesh
    const mesh::MeshStation& GetStation(NodeId node) const;

  private:
    struct Device
    {
        std::unique_ptr<mesh::Station> station; //!< none while it is down
        const mesh::MeshStation* mesh{nullptr}; //!< the same, if it is one
        std::optional<mesh::SubscriberMemory> memory;
        uint32_t life{0}; //!< counts its starts
        uint32_t nextSequence{0};
        double clock{1};
        uint64_t timer{0}; //!< the latest one; earlier ones are void
    };

    /// What is to happen at some time.
    struct Planned
    {
        std::function<void()> act;
        bool isReception{false};
    };

    /// What really happened, whoever knows of it.
    struct Truth
    {
        std::map<EventId, EventPtr> events;
        std::map<EventId, Instant> publishedAt;
        std::set<EventId> taken;   //!< by a broker
        std::set<EventId> dropped; //!< by a queue policy
        std::set<EventId> lost;    //!< with the only device that had them
        std::map<std::pair<NodeId, uint32_t>, std::vector<Filter>> words;
        std::map<NodeId, std::map<Filter, Instant>> subscribed; //!< since when
        std::map<NodeId, std::set<EventId>> delivered;
    };

    double Draw();
    std::optional<Position> Locate(NodeId node) const;
    std::unique_ptr<mesh::Station> MakeStation(NodeId node);
    void Note(const std::string& text);
    void NoteFrame(NodeId from,
                   const mesh::OutgoingFrame& frame,
                   const std::vector<std::string>& heardBy);
    Instant Local(const Device& device) const;
    void Schedule(Instant at, std::function<void()> what, bool isReception = false);
    void Carry(NodeId from, const mesh::Output& output);
    void SetTimer(NodeId node);
    void OnAir(NodeId from, uint32_t life, const mesh::OutgoingFrame& frame);
    void Deliver(NodeId from, uint32_t life, NodeId to, const Bytes& frame);
    void Step(NodeId node, const mesh::Station::Input& input);
    void NoteLosses(NodeId crashed);
    bool IsOwed(NodeId subscriber, const Event& event) const;
    void Check(NodeId node);
    void CheckBroker(NodeId node);
    void CheckSettled(NodeId broker, const Event& event);
    void CheckSubscriber(NodeId node);
    bool HasExpired(EventId id) const;
    bool IsHeld(EventId id) const;
    void CheckPublisher(NodeId node);
    void Violation(const std::string& text);
    std::string Time() const;

    MeshLabOptions m_options;
    std::mt19937 m_random;
    Hears m_hears;
    Instant m_now{0};
    uint64_t m_order{0};
    std::map<std::pair<Instant, uint64_t>, Planned> m_agenda;
    std::vector<std::unique_ptr<Device>> m_devices;
    std::set<std::pair<NodeId, NodeId>> m_cut; //!< the lower id first

    Truth m_truth;
    uint64_t m_frames{0};
    std::vector<std::string> m_violations;
    std::vector<LabLine> m_log;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_MESH_MESH_LAB_H */
