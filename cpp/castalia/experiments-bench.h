/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What the link-level experiments share: a network under test, and the table that comes out.
 */
#ifndef MFTPUBSUB_CASTALIA_EXPERIMENTS_BENCH_H
#define MFTPUBSUB_CASTALIA_EXPERIMENTS_BENCH_H

#include "castalia/experiments.h"
#include "wsn/csma-mac.h"
#include "wsn/radio.h"
#include "wsn/wireless-channel.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace mftpubsub
{

/// EtherType of the experiments' packets (local experimental).
inline constexpr uint16_t EXPERIMENT_PROTOCOL = 0x88b5;
/// BypassRouting (PARAMETERS), bytes.
inline constexpr uint32_t NETWORK_OVERHEAD = 10;
/// Delay of the applications before their first packet, s.
inline constexpr double START_DELAY = 1.0;
/// First stream of the sources, one a node; far above those of channel and devices.
inline constexpr int64_t TRAFFIC_STREAMS = 1'000'000;

inline constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

/// @throw std::invalid_argument with @p message unless @p condition
void Require(bool condition, const char* message);

/// @return size of the frame that carries @p payload bytes
constexpr uint32_t
BytesOnAir(uint32_t payload)
{
    return payload + NETWORK_OVERHEAD + WSN_MAC_OVERHEAD + WSN_PHY_OVERHEAD;
}

/// One row after the other into a table.
class TableWriter
{
  public:
    /// @param names of the columns
    explicit TableWriter(std::vector<std::string> names);

    /// @param row a value for each column
    void Add(const std::vector<double>& row);

    /// @return what was added
    ExperimentTable Take();

  private:
    ExperimentTable m_table;
};

/// @return @p names and those of the columns that Append adds, each with @p prefix
std::vector<std::string> WithBreakdown(std::vector<std::string> names,
                                       const std::string& prefix = "");

/// Adds Castalia's breakdown of signals to @p row.
void Append(std::vector<double>& row, const SignalCounts& counts);

/// A point in the plane, m.
struct Point
{
    double x;
    double y;
};

/// How a source spaces its packets.
enum class Traffic
{
    PERIODIC, //!< strictly
    JITTERED, //!< period * U(0.5, 1.5)
    POISSON
};

/// What is known about a packet in flight.
struct PacketRecord
{
    uint32_t origin;       //!< first sender
    uint32_t sender;       //!< this sender
    uint32_t sequence;     //!< of the origin
    uint32_t hops;         //!< 1 for the origin's own
    double sendTime;       //!< handed to the device, s
    double firstReception; //!< s, NaN: nobody yet
};

/// @return mean delay from hand-over to first reception, ms; NaN if nothing arrived
double MeanFirstDelayMs(const std::vector<PacketRecord>& records);

/// @return a helper whose clocks do not drift
WsnHelper PerfectHelper();

/// A network under test. One at a time: it owns ns-3's simulator.
class ExperimentBench
{
  public:
    /**
     * @param seed ns-3's run number
     * @param payload size of all packets' payloads, bytes
     * @throw std::invalid_argument if such a packet does not fit a frame
     */
    ExperimentBench(uint32_t seed, uint32_t payload);
    virtual ~ExperimentBench();

    ExperimentBench(const ExperimentBench&) = delete;
    ExperimentBench& operator=(const ExperimentBench&) = delete;

    /// @return a number in [0, @p high)
    double Uniform(double high);

    /// @return @p count points in a square of side @p field, m
    std::vector<Point> UniformPlacement(uint32_t count, double field);

    /// Installs a node at each point, on @p channel.
    void Build(const std::vector<Point>& points,
               ns3::Ptr<WirelessChannel> channel,
               const WsnHelper& helper,
               const std::vector<ns3::Ptr<ns3::MobilityModel>>& mobility = {});

    /// A source of packets on node @p index until @p stop (s) or @p limit packets.
    void AddSource(uint32_t index,
                   Traffic traffic,
                   double rate,
                   double stop,
                   uint32_t limit = std::numeric_limits<uint32_t>::max());

    /// Does @p action at @p time, s.
    template <typename Action>
    static void At(double time, Action action)
    {
        ns3::Simulator::Schedule(ns3::Seconds(time) - ns3::Simulator::Now(), action);
    }

    /// @return s
    static double Now();

    /// Runs the simulation until that time, s.
    void Run(double until);

    /// Hands a packet to node @p index.
    bool SendPacket(uint32_t index, uint32_t origin, uint32_t sequence, uint32_t hops);

    Radio& RadioOf(uint32_t index)
    {
        return *m_devices[index]->GetRadio();
    }

    /// @return signals by outcome, all nodes together
    SignalCounts TotalCounts();

    /// A packet arrived at node @p receiver.
    virtual void OnReceive(uint32_t /* receiver */, PacketRecord& /* packet */)
    {
    }

    /// A packet goes on the air at node @p sender.
    virtual void OnAir(uint32_t /* sender */, const PacketRecord& /* packet */)
    {
    }

    ns3::Ptr<WirelessChannel> m_channel;
    std::vector<ns3::Ptr<WsnNetDevice>> m_devices;
    std::vector<uint64_t> m_sent;  //!< packets of each source
    std::vector<uint64_t> m_onAir; //!< frames of each node on the air
    std::vector<PacketRecord> m_records;
    uint64_t m_receptions{0};

  private:
    struct Source
    {
        uint32_t index;
        Traffic traffic;
        double period; //!< s
        double stop;   //!< s
        uint32_t limit;
        ns3::Ptr<ns3::UniformRandomVariable> uniform;
    };

    void Fire(Source& source);
    void Receive(uint32_t index, const WsnFrame& frame);
    void OnTransmit(uint32_t index,
                    ns3::Ptr<const ns3::Packet> packet,
                    uint16_t protocol,
                    ns3::Mac48Address destination,
                    uint32_t bytesOnAir);

    uint32_t m_payload; //!< bytes
    ns3::NodeContainer m_nodes;
    ns3::Ptr<ns3::UniformRandomVariable> m_placement;
    std::vector<std::unique_ptr<Source>> m_sources;
    uint64_t m_firstUid{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CASTALIA_EXPERIMENTS_BENCH_H */
