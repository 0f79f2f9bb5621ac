/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Link-level experiments, the ones that Castalia was measured with: plain options in, a table out.
 * Packets are broadcasts of payload + 10 B (BypassRouting) + 9 B (MAC) + 6 B (PHY). This header
 * is loaded by Python: standard library only.
 */
#ifndef MFTPUBSUB_CASTALIA_EXPERIMENTS_H
#define MFTPUBSUB_CASTALIA_EXPERIMENTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace mftpubsub
{

/// Results, column by column.
struct ExperimentTable
{
    std::vector<std::string> names;           //!< of the columns
    std::vector<std::vector<double>> columns; //!< all of one length; missing values are NaN
};

/// Two nodes, one of which sends (s1).
struct LinkOptions
{
    double distance{1};      //!< m
    double txPower{0};       //!< dBm
    uint32_t payload{100};   //!< bytes
    uint32_t packets{10000}; //!< to send
    uint32_t seed{1};
};

/// A at 0, B at 25 m, C at x m on a line; A and C send (s2).
struct HiddenTerminalOptions
{
    double x{60};          //!< m
    double rate{20};       //!< packets/s of each sender
    double duration{200};  //!< s
    uint32_t payload{100}; //!< bytes
    double txPower{0};     //!< dBm
    uint32_t seed{0};
};

/// Nodes in a small square, all of which send Poisson traffic (s3).
struct ContentionOptions
{
    uint32_t nodes{20};
    double rate{10};       //!< packets/s of each node
    double duration{50};   //!< s
    double field{10};      //!< side of the square, m
    uint32_t payload{100}; //!< bytes
    uint32_t seed{0};
};

/// Path loss and packet reception of all pairs of one random placement (s4).
struct ShadowingOptions
{
    double sigma{4};              //!< dB
    double bidirectionalSigma{1}; //!< dB
    uint32_t nodes{40};
    double field{60};      //!< side of the square, m
    uint32_t packets{50};  //!< per directed link
    uint32_t payload{100}; //!< bytes
    uint32_t seed{0};
};

/// Moving nodes that broadcast (s5).
struct BroadcastOptions
{
    uint32_t nodes{66};
    double field{110};            //!< side of the square, m
    double speed{8};              //!< m/s
    double sigma{4};              //!< dB
    double bidirectionalSigma{1}; //!< dB
    double rate{1};               //!< packets/s of each node
    double duration{200};         //!< s
    uint32_t payload{100};        //!< bytes
    uint32_t seed{0};
};

/// Node 0 floods a static network (s6).
struct FloodOptions
{
    std::vector<double> x; //!< of the nodes, m
    std::vector<double> y; //!< of the nodes, m
    double jitterMs{0};    //!< relays wait U(0, 1) times this, ms
    double rate{1};        //!< floods/s
    double duration{400};  //!< s
    uint32_t payload{100}; //!< bytes
    uint32_t seed{0};
};

/// How long a frame must be on the air to be sensed (s7).
struct CcaLatencyOptions
{
    double distance{20};   //!< m
    uint32_t trials{150};  //!< offsets 0.5, 1.5, ... us
    uint32_t payload{100}; //!< bytes
    uint32_t seed{0};
};

/// Frames that overlap at a receiver, carrier sense off (s8).
struct OverlapOptions
{
    double distanceA{20};   //!< from A to the receiver, m
    double x{40};           //!< from C (and D) to the receiver, m
    double offsetMs{0};     //!< C starts this later than A, ms
    bool second{false};     //!< whether D sends 0.5 ms after C
    uint32_t packets{4000}; //!< of each sender
    uint32_t payload{100};  //!< bytes
    uint32_t seed{0};
};

/// Packets handed over at once (s9).
struct BurstOptions
{
    uint32_t packets{40};
    double secondOffsetMs{-1}; //!< a second sender's burst comes this later; negative: none
    uint32_t payload{100};     //!< bytes
    uint32_t seed{0};
};

/// A second packet some time after the first (s10).
struct SecondPacketOptions
{
    double deltaUs{3700};  //!< us
    uint32_t payload{100}; //!< bytes
};

/// Given transmissions over given path losses (s5_replay).
struct ReplayOptions
{
    double field{0};       //!< side of the square, m
    double cellSize{5};    //!< m
    uint32_t payload{100}; //!< bytes
    uint32_t seed{0};
    std::vector<uint32_t> lossFrom;   //!< cell of the sender
    std::vector<uint32_t> lossTo;     //!< cell of the receiver
    std::vector<double> lossDb;       //!< dB
    std::vector<double> positionTime; //!< s, ascending
    std::vector<uint32_t> positionNode;
    std::vector<double> positionX; //!< m
    std::vector<double> positionY; //!< m
    std::vector<double> txTime;    //!< start on the air, s
    std::vector<uint32_t> txNode;
};

// Each throws std::invalid_argument for options that make no sense.
ExperimentTable RunLink(const LinkOptions& options);
ExperimentTable RunHiddenTerminal(const HiddenTerminalOptions& options);
ExperimentTable RunContention(const ContentionOptions& options);
ExperimentTable RunShadowing(const ShadowingOptions& options);
ExperimentTable RunBroadcast(const BroadcastOptions& options);
ExperimentTable RunFlood(const FloodOptions& options);
ExperimentTable RunCcaLatency(const CcaLatencyOptions& options);
ExperimentTable RunOverlap(const OverlapOptions& options);
ExperimentTable RunBurst(const BurstOptions& options);
ExperimentTable RunSecondPacket(const SecondPacketOptions& options);
ExperimentTable RunReplay(const ReplayOptions& options);

} // namespace mftpubsub

#endif /* MFTPUBSUB_CASTALIA_EXPERIMENTS_H */
