/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One plain struct in, one plain result out, standard types only. Every member has its unit in its
 * name or comment; defaults and their sources are Python's (mftpubsub/scenario), which validates
 * before anything gets here. How it gets here: run/scenario-fields.h, which has a line for each
 * member.
 */
#ifndef MFTPUBSUB_SCENARIO_SCENARIO_H
#define MFTPUBSUB_SCENARIO_SCENARIO_H

#include "content/node-id.h"
#include "content/state-powers.h"
#include "policies/policies.h"
#include "wsn/walls.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mftpubsub::mesh
{
struct StationHooks;
}

namespace mftpubsub
{

struct BrokerHooks;

/// An attribute of an event: one of some values, or a number from a range, for each event anew.
struct AttributeSpec
{
    std::string name;
    std::vector<std::variant<int64_t, double, std::string, bool>>
        choices;         //!< all equally likely; none: a number
    double low{0.0};     //!< lowest number
    double high{0.0};    //!< numbers are below; whole ones may reach it
    bool isWhole{false}; //!< whether the number is a whole one
};

/// An event that a publisher may publish.
struct EventSpec
{
    std::vector<AttributeSpec> attributes;
    AttributeSpec payloadBytes; //!< of whole numbers, without a name
};

/// When a publisher's events come. Which members count depends on the model.
struct ArrivalsSpec
{
    std::string model{"periodic"}; //!< periodic, poisson, on-off, diurnal, recorded
    double rateHz{1.0};            //!< on average; of all but recorded
    double onSeconds{0.0};         //!< on-off: mean length of a burst
    double offSeconds{0.0};        //!< on-off: mean length of a silence
    double periodSeconds{0.0};     //!< diurnal: from peak to peak
    double peakSeconds{0.0};       //!< diurnal
    double depth{0.0};             //!< diurnal: 0 to 1
    std::vector<double> atSeconds; //!< recorded: one for each of the publisher's events
};

/// What a publisher publishes, and when.
struct PublisherSpec
{
    double startSeconds{0.0};
    double stopSeconds{0.0};
    ArrivalsSpec arrivals;
    std::vector<EventSpec> events; //!< one is drawn uniformly for each event; recorded: in order
};

/// Where a node is at some time.
struct WaypointSpec
{
    double seconds{0.0};
    double xMetres{0.0};
    double yMetres{0.0};
    double zMetres{0.0};
};

/// How a node moves. Which members count depends on the model.
struct MobilitySpec
{
    /// static, random-waypoint, steady-state-waypoint (the same, but in its steady state from the
    /// beginning), random-walk, line, waypoints, movement-file, gauss-markov,
    /// reference-point-groups or manhattan
    std::string model{"static"};
    double minSpeed{0.0}; //!< m/s
    double maxSpeed{0.0}; //!< m/s; of random models a draw in [min, max), of a line the speed
    double minPauseSeconds{0.0};
    double maxPauseSeconds{0.0};
    double turnIntervalSeconds{1.0};     //!< random walk: between changes of direction
    double toXMetres{0.0};               //!< line: the other end
    double toYMetres{0.0};               //!< line: the other end
    double toZMetres{0.0};               //!< line: the other end
    std::vector<WaypointSpec> waypoints; //!< in order of time
    double memory{0.0};                  //!< gauss-markov: alpha, 0 to 1
    double speedSigma{0.0};              //!< gauss-markov: of the speed, m/s
    double directionSigma{0.0};          //!< gauss-markov: of the direction, rad
    uint32_t group{0};                   //!< group: who has the same has the same reference
    double radiusMetres{0.0};            //!< group: farthest from the reference
    double ownSpeed{0.0};                //!< group: about the reference, m/s
    double blockMetres{0.0};             //!< manhattan: between streets
    double straight{0.0};                //!< manhattan: probability at a crossing, 0 to 1
};

/// A file of movement in ns-2's format.
struct MovementFileSpec
{
    std::string path;
    std::vector<uint32_t> nodes; //!< ids, by the number that the file has for them
};

/// A node that goes off, and perhaps on again.
struct CrashSpec
{
    uint32_t node{0};
    double atSeconds{0.0};
    bool restarts{false};
    double restartSeconds{0.0};
    bool isAbsence{false}; //!< it unsubscribes before it goes; at 0 s: it has not come yet
};

/// A node whose radio sleeps now and then.
struct SleepSpec
{
    uint32_t node{0};
    double startSeconds{0.0}; //!< falls asleep for the first time
    double stopSeconds{0.0};  //!< awake from here on
    double asleepSeconds{0.0};
    double awakeSeconds{0.0}; //!< between two sleeps
};

/// What a node has to live on.
struct BatterySpec
{
    uint32_t node{0};
    double joules{0.0};
};

/// All that a subscriber wants from a time on.
struct SubscriptionSpec
{
    uint32_t node{0};
    double atSeconds{0.0};
    std::vector<std::string> filters;
};

/// Two nodes between which nothing passes for a while.
struct BlackoutSpec
{
    uint32_t one{0};
    uint32_t other{0};
    double startSeconds{0.0};
    double stopSeconds{0.0};
};

/// Nodes between which and all others nothing passes for a while.
struct PartitionSpec
{
    std::vector<uint32_t> nodes;
    double startSeconds{0.0};
    double stopSeconds{0.0};
};

/// One device. Its id is its index in Scenario::nodes.
struct NodeSpec
{
    bool isBroker{false};
    bool isSubscriber{false};
    bool isPublisher{false};
    std::vector<std::string> filters; //!< of the subscriber
    PublisherSpec publisher;
    bool isPlaced{false}; //!< at (xMetres, yMetres); else uniform in the area
    double xMetres{0.0};
    double yMetres{0.0};
    double zMetres{0.0}; //!< height, placed or not; it moves in a plane unless its way has heights
    MobilitySpec mobility;
};

/// What mft-pubsub-2 has of its own, instead of the overlay's and the transport's.
struct MftPubsub2Spec
{
    double heartbeatSeconds{6.0};
    double leaderTimeoutSeconds{18.0};
    uint16_t maxFrameBytes{500}; //!< at most, of a frame on the air
};

/// Parameters of mft-mesh (mesh::Options).
struct MeshSpec
{
    double heartbeatSeconds{3.0};
    double heartbeatMaxSeconds{8.0};
    double forwardSeconds{0.1};
    double settleSeconds{0.5};
    uint32_t copies{2};
    uint32_t redundancy{2};
    bool isScoped{true};
    uint32_t few{2};
    bool usesPositions{false};
    double forgetAfterSeconds{0}; //!< 0: never
};

/// Parameters of MPL (mesh::MplOptions).
struct MplSpec
{
    bool isProactive{true};
    double dataIntervalSeconds{0.1};
    uint32_t dataRedundancy{1};
    uint32_t dataExpirations{3};
    double controlMinSeconds{0.1};
    double controlMaxSeconds{300};
    uint32_t controlRedundancy{1};
    uint32_t controlExpirations{10};
};

/// Parameters of G's hand-off schemes on the radio (HandoffNode).
struct HandoffSpec
{
    double pingSeconds{1.0};
    double wireDelaySeconds{0.001}; //!< between brokers
    uint64_t queueBytes{1 << 20};   //!< of each buffer
};

/// A loss model of ns-3's, of radios of ns-3's. Which members count depends on the model.
struct LossSpec
{
    std::string model{"log-distance"}; //!< log-distance, friis, two-ray or nakagami
    double exponent{3.0};              //!< log-distance
    double referenceLossDb{46.6777};   //!< log-distance: at referenceMetres
    double referenceMetres{1.0};       //!< log-distance
    double sigmaDb{0.0};               //!< log-distance: of shadowing, a draw a pair of nodes
    double frequencyHz{2.4e9};         //!< friis, two-ray
    double heightMetres{1.0};          //!< two-ray: of antennas
    double nearM{1.5};                 //!< nakagami: m up to nearMetres
    double middleM{0.75};              //!< nakagami: m up to farMetres
    double farM{0.75};                 //!< nakagami: m beyond
    double nearMetres{80.0};           //!< nakagami
    double farMetres{200.0};           //!< nakagami
};

/// ns-3's Wi-Fi in ad hoc mode.
struct WifiSpec
{
    std::string standard{"802.11b"};
    std::string rate{"DsssRate1Mbps"}; //!< of data to all, and to one if it is constant
    std::string controlRate{"DsssRate1Mbps"};
    std::string rateControl{"constant"}; //!< constant, minstrel, ideal, aarf or thompson
    double txPowerDbm{16.0};
    uint32_t rtsBytes{4692480}; //!< larger frames to one node are announced by RTS
    uint32_t retries{7};        //!< times that a frame is sent to one node, at most
    uint32_t queue{500};        //!< frames that wait in the MAC
    StatePowers powers;
};

/// ns-3's IEEE 802.15.4.
struct LrWpanSpec
{
    double txPowerDbm{0.0};
    double sensitivityDbm{-106.58}; //!< where 1 % of frames of 20 B are lost
    bool hasAcks{true};             //!< of frames to one node
    uint32_t retries{3};
    StatePowers powers{.transmit = 0.05742, .receive = 0.062, .listen = 0.062, .sleep = 0.0014};
};

/// Another device of ns-3's, which all nodes share.
struct AnySpec
{
    std::string device{"simple"}; //!< simple or csma
    double bitRate{1e6};
    double delaySeconds{1e-6}; //!< of the channel
};

/// One run.
struct Scenario
{
    std::string protocol;
    uint32_t seed{1};
    double durationSeconds{0.0};
    double warmUpSeconds{0.0}; //!< what is published before is not measured
    double areaXMetres{0.0};
    double areaYMetres{0.0};
    std::vector<Wall> walls;
    std::vector<NodeSpec> nodes;
    std::vector<MovementFileSpec> movementFiles;

    std::vector<CrashSpec> crashes;
    std::vector<BlackoutSpec> blackouts;
    std::vector<PartitionSpec> partitions;
    std::vector<SleepSpec> sleeps;
    std::vector<BatterySpec> batteries;
    std::vector<SubscriptionSpec> subscriptions; //!< by time; those at first are the nodes'

    std::string radio{"cc2420"}; //!< cc2420, wifi, lr-wpan or any
    WifiSpec wifi;
    LrWpanSpec lrWpan;
    AnySpec any;
    LossSpec loss; //!< of wifi and lr-wpan; Castalia's channel, of the cc2420, follows

    double shadowingSigmaDb{0.0};
    double bidirectionalSigmaDb{0.0};
    bool isShadowingPerCell{false}; //!< shadowing by cell (Castalia's mobile case), else by pair
    double cellMetres{5.0};
    double pathLossExponent{2.4};
    double referenceLossDb{55.0};        //!< at 1 m
    double deliveryThresholdDbm{-100.0}; //!< weaker signals reach nobody
    double positionIntervalSeconds{0.1}; //!< between samples of the positions of moving nodes
    double txPowerDbm{0.0};
    double ccaThresholdDbm{-95.0}; //!< the channel is busy from here on
    uint32_t radioBuffer{16};      //!< frames
    double clockDriftSigma{3e-5};
    double startupSpreadSeconds{0.05}; //!< nodes start at a uniform instant in [0, this)
    double backoffBaseSeconds{0.016};  //!< the k-th backoff in a row is U(0, 1) * k * this
    double retryDelaySeconds{128e-6};  //!< after an assessment that was not valid
    uint32_t macBuffer{32};            //!< frames

    double heartbeatIntervalSeconds{1.0};
    double leaderTimeoutSeconds{3.0};
    double rebroadcastJitterSeconds{0.01};

    Policies policies;
    const mesh::StationHooks* stations{nullptr}; //!< of a protocol that is written in Python
    const BrokerHooks* brokers{nullptr};         //!< of one with brokers on the tree

    bool usesLinkAcks{false}; //!< the device's acknowledgements do for those of sessions
    uint8_t window{1};
    uint16_t maxFrameBytes{1024}; //!< of a frame on the air, PHY and MAC overhead included

    bool literalChildren{false}; //!< MFT-PubSub, protocols.md section 4 ruling 5
    bool replay{true};           //!< first approach: false is the 2016 report's version

    MftPubsub2Spec mftPubsub2;
    MeshSpec mesh;
    MplSpec mpl;
    double epidemicIntervalSeconds{1.0};              //!< between summary vectors
    std::map<std::string, std::string> ownParameters; //!< of a protocol that does not ship
    HandoffSpec handoff;

    bool hasArp{false}; //!< over IP: false fills the ARP caches before the run
    std::vector<std::pair<std::string, std::string>>
        routingAttributes; //!< of ns-3's routing protocol, over those of the protocol
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_SCENARIO_H */
