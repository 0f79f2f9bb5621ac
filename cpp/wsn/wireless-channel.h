/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_WIRELESS_CHANNEL_H
#define MFTPUBSUB_WSN_WIRELESS_CHANNEL_H

#include "wsn/path-losses.h"
#include "wsn/receiver.h"
#include "wsn/wsn-frame.h"

#include "ns3/channel.h"
#include "ns3/mobility-model.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace mftpubsub
{

class Radio;
class WsnNetDevice;

/**
 * Castalia's wireless channel (BEHAVIOUR points 1 to 6).
 *
 * Zero propagation delay: a frame is one start event and one end event, each serving all its
 * hearers, who are fixed, with the power they get, at the start. Path loss is log-distance with
 * lognormal shadowing per pair of nodes (static) or per pair of cells (mobile). In the mobile case
 * positions are seen only at a periodic sampling, and two nodes in one cell have a path loss of
 * 0 dB.
 *
 * Castalia has no third case, and this has: with MOVING_PAIRS the shadowing is that of the static
 * case, one draw for a pair of nodes and for ever, but the mean path loss is that of the distance
 * now. It tells how much of a result is due to the map of cells.
 *
 * Departures: positions are two-dimensional; no temporal fading; all nodes are sampled by one event
 * at multiples of UpdateInterval; shadowing comes from a counter-based generator (see Shadowing).
 */
class WirelessChannel : public ns3::Channel
{
  public:
    using Mode = PathLossMode;
    using enum PathLossMode;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static ns3::TypeId GetTypeId();

    WirelessChannel();
    ~WirelessChannel() override;

    // From ns3::Channel
    std::size_t GetNDevices() const override;
    ns3::Ptr<ns3::NetDevice> GetDevice(std::size_t i) const override;

    /**
     * Fixes the stream that the shadowing depends on.
     *
     * @param stream first stream to use
     * @return the number of streams used (1)
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Uses these path losses instead of the formula; pairs that are not named never hear each
     * other. Must come before the first frame or query.
     *
     * @param entries path losses
     * @throw std::invalid_argument for a place that does not exist
     * @throw std::logic_error if the channel is already in use
     */
    void SetPathLossTable(std::span<const PathLossEntry> entries);

    /**
     * Puts walls on the way of signals, instead of those that were there. Castalia has none. Path
     * losses from a table have no regard to them. Must come before the first frame or query.
     *
     * @param walls the walls
     * @throw std::logic_error if the channel is already in use
     */
    void SetWalls(Walls walls);

    /**
     * Puts a device that has no mobility model somewhere.
     *
     * @param device index of the device in this channel
     * @param position where
     * @throw std::out_of_range for an unknown device
     */
    void SetPosition(uint32_t device, const Position& position);

    /**
     * @param device index of the device in this channel
     * @return where the channel takes it to be, which is its latest sample. (To ask a mobility
     *         model would make it compute its way in other steps, and round otherwise.)
     * @throw std::out_of_range for an unknown device
     */
    const Position& GetPosition(uint32_t device) const;

    /**
     * Samples the positions of all nodes that have a mobility model now (not in the static case).
     * Done by itself every UpdateInterval.
     *
     * @return whether some node changed its cell; with MOVING_PAIRS, its position
     */
    bool UpdatePositions();

    /**
     * @param from index of the sender's device in this channel
     * @param to index of the receiver's device in this channel
     * @return path loss for a frame sent now, dB; infinite if it is not delivered at any power
     * @throw std::out_of_range for an unknown device
     */
    double GetPathLossDb(uint32_t from, uint32_t to) const;

    /// @return the strength at which a frame that @p from sends now reaches @p to, dBm
    /// @throw std::out_of_range for an unknown device
    float GetStrengthDbm(uint32_t from, uint32_t to) const;

    /**
     * @param from index of the sender's device in this channel
     * @param to index of the receiver's device in this channel
     * @return whether a frame sent now reaches @p to, at or above its radio's sensitivity and the
     * delivery threshold
     * @throw std::out_of_range for an unknown device
     */
    bool IsUsable(uint32_t from, uint32_t to) const;

    /**
     * @param from index of the sender's device in this channel
     * @return the devices that IsUsable is true for, ascending
     * @throw std::out_of_range for an unknown device
     */
    std::vector<uint32_t> GetUsableLinks(uint32_t from) const;

    /**
     * @param from index of the sender's device
     * @param to index of the receiver's device
     * @return path loss without shadowing and without the cut at the delivery threshold, dB
     */
    double GetMeanPathLossDb(uint32_t from, uint32_t to) const;

    /**
     * @param from index of the sender's device
     * @param to index of the receiver's device
     * @return path loss without the cut at the delivery threshold, dB
     */
    double GetUncutPathLossDb(uint32_t from, uint32_t to) const;

    /// Says of a sender and a receiver (indices of their devices) whether nothing passes now.
    using IsCut = std::function<bool(uint32_t from, uint32_t to)>;

    /**
     * Cuts links: what a filter names receives nothing of a frame, not even interference. A frame
     * on the air when its link is cut is not received.
     *
     * @param isCut asked for every frame and hearer
     */
    void SetLinkFilter(IsCut isCut);

    // What devices and radios call

    /**
     * @param device a device
     * @return its index in this channel
     */
    uint32_t Attach(ns3::Ptr<WsnNetDevice> device);

    /**
     * Starts a frame: finds its hearers and tells them. Ends it after @p duration: tells them,
     * then the sender, and hands the frame to those who received it after the radio's processing
     * delay.
     *
     * @param sender the sender's radio
     * @param frame the frame
     * @param powerDbm output power, dBm
     * @param duration time on the air
     */
    void Transmit(Radio& sender, WsnFrame frame, float powerDbm, ns3::Time duration);

    /// @param device index of a device @return what hears of its radio
    Receiver& GetReceiver(uint32_t device)
    {
        return m_receivers[device];
    }

    const Receiver& GetReceiver(uint32_t device) const
    {
        return m_receivers[device];
    }

    /// @param device index of a device @return signals at its radio so far, by outcome
    const SignalCounts& GetCounts(uint32_t device) const
    {
        return m_counts[device];
    }

    /**
     * TracedCallback signature of SignalEnd.
     *
     * @param receiver index of the receiver's device in this channel
     * @param frame number of the frame in this channel
     * @param ended what became of it
     */
    typedef void (*SignalTracedCallback)(uint32_t receiver,
                                         uint64_t frame,
                                         const EndedSignal& ended);

    /// TracedCallback signature of PositionsUpdated: some node changed its cell, or its position
    /// with MOVING_PAIRS.
    typedef void (*PositionsUpdatedTracedCallback)();

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /// Somebody who gets the signal of a frame.
    struct Hearer
    {
        uint32_t device; //!< index
        float powerDbm;  //!< received power, dBm
    };

    /// Somebody who got a frame whole.
    struct Delivery
    {
        WsnNetDevice* device;
        float rssiDbm; //!< as reported with the frame, dBm
    };

    /// A frame on the air, or on its way from radio to MAC.
    struct Transmission
    {
        uint64_t id{0};
        Radio* sender{nullptr};
        uint32_t outages{0}; //!< of the sender, when it began
        WsnFrame frame;
        std::vector<Hearer> hearers;      //!< who got the start
        std::vector<Delivery> deliveries; //!< who takes the frame in the shared event
    };

    /// @return @p tid with the attributes of the formula
    static ns3::TypeId AddPathLoss(ns3::TypeId tid);
    PathLossSettings GetSettings() const;
    /// Reads positions, and prepares path losses. Does nothing the second time.
    void Prepare() const;
    /// @throws std::logic_error if the node of @p device moves, or is where it was not
    void CheckStays(uint32_t device) const;
    /// The periodic sampling.
    void PeriodicUpdate();
    /**
     * Calls @p visit for every device that gets a frame sent now by @p from at some power.
     *
     * @param from index of the sender's device
     * @param visit callable with the device and the path loss to it in dB
     */
    template <typename Visitor>
    void VisitHearers(uint32_t from, Visitor&& visit) const;
    void CheckIndex(uint32_t device) const;
    /// @return whether the radio of @p to gets and receives what arrives at @p powerDbm
    bool CanReceive(uint32_t to, float powerDbm) const;
    /// Has the processor fetch the radios that come soon after @p index.
    void PrefetchAfter(const std::vector<Hearer>& hearers, size_t index) const;
    void EndTransmission(uint32_t slot);
    /// Schedules what the receivers of a frame that has ended do with it.
    void HandOver(uint32_t slot);
    void Deliver(uint32_t slot);
    void Release(uint32_t slot);

    // Attributes
    Mode m_mode{STATIC};
    double m_referenceLossDb{0};      //!< path loss at the reference distance, dB
    double m_referenceDistance{1};    //!< m
    double m_exponent{0};             //!< path loss exponent
    double m_sigma{0};                //!< dB
    double m_bidirectionalSigma{0};   //!< dB
    double m_deliveryThresholdDbm{0}; //!< dBm
    double m_fieldX{0};               //!< m
    double m_fieldY{0};               //!< m
    double m_cellSize{0};             //!< m
    ns3::Time m_updateInterval;

    int64_t m_stream{0}; //!< stream of the shadowing
    Walls m_walls;
    std::vector<ns3::Ptr<WsnNetDevice>> m_devices;
    std::vector<Radio*> m_radios;       //!< of the devices, same order
    std::vector<Receiver> m_receivers;  //!< of the radios, same order
    std::vector<SignalCounts> m_counts; //!< same order

    // Filled by Prepare and lazily afterwards
    mutable std::vector<ns3::Ptr<ns3::MobilityModel>>
        m_mobility; //!< of the devices, same order; null: placed by SetPosition
    mutable PathLosses m_losses;

    IsCut m_isCut; //!< none: no link is cut
    uint64_t m_nextFrame{0};
    std::deque<Transmission> m_transmissions; //!< slots, reused
    std::vector<uint32_t> m_freeSlots;

    ns3::TracedCallback<uint32_t, uint64_t, const EndedSignal&> m_signalEnd;
    ns3::TracedCallback<> m_positionsUpdated;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_WIRELESS_CHANNEL_H */
