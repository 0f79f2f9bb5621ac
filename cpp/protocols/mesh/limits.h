/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_LIMITS_H
#define MFTPUBSUB_PROTOCOLS_MESH_LIMITS_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace mftpubsub::mesh
{

using Instant = std::chrono::nanoseconds;

/// @return @p seconds as an Instant
constexpr Instant
Seconds(double seconds)
{
    return std::chrono::duration_cast<Instant>(std::chrono::duration<double>(seconds));
}

/// Most entries of a list that a frame counts in a byte.
inline constexpr size_t MAX_COUNT = 255;

/// Most publishers in a SUMMARY, which counts them in seven bits.
inline constexpr size_t MAX_PUBLISHERS = 127;

/// Smallest frame that carries any STATE: a header of 10 B, 8 B around two parts of SUMMARYs with a
/// run of any numbers in each (26 B), and an event that a publisher asks for.
inline constexpr size_t MIN_FRAME_BYTES = 76;

/// How much a frame names. What is beyond is for a later frame: nothing depends on these but how
/// soon it is said.
struct FrameLimits
{
    size_t publishers{MAX_PUBLISHERS}; //!< in a SUMMARY
    size_t events{MAX_COUNT};          //!< in a PUB or REP
    size_t words{MAX_COUNT};           //!< in a SUB
    uint32_t halvings{4};              //!< for a weak link: 63 B where 1009 B fit into a frame
    size_t small{126};                 //!< where large ones are lost: each second STATE and BSUB
    size_t stamps{MAX_COUNT};          //!< in a BSUB
    size_t hashes{128};                //!< in a BSUB of these: 4 B each, half of the largest frame
    size_t answers{16};                //!< in a STATE: 6 B each, more than publishers ask in 0.1 s
    size_t open{32};                   //!< in a STATE: 9 B each, a third of the largest frame
    size_t distances{16}; //!< in a STATE or PUB, the nearest: further ones guide nobody
};

/// One frame at a time, and the measure of load.
struct SenderLimits
{
    Instant gap{Seconds(0.003)}; //!< at most, between frames, so that others get a word in
    double weight{0.125};        //!< of the newest wait in the average, as TCP's for round trips
    Instant usualWait{Seconds(0.010)}; //!< in the MAC without load: two frames of 150 B
    double load{10};                   //!< at most: times stretch to some 10 s
    Instant echo{Seconds(1.0)}; //!< numbers of frames are compared within: a byte lasts longer
};

/// Rules 1, 3 and 4: what a broker says of itself, and hands on.
struct BrokerLimits
{
    Instant firstHeartbeat{Seconds(1.0)}; //!< at most: devices that start together speak apart
    double heartbeatJitter{0.1};          //!< of the interval, either way
    double heartbeatLoad{3};              //!< more load does not stretch it: it is what mends
    int neighbourHeartbeats{3};           //!< who is not heard for so many may have gone
    Instant statePause{Seconds(1.0)};     //!< PUB and REP take STATE along if none was sent for it
    Instant ageMargin{Seconds(1.0)};     //!< by which an event may seem older than a filter it fits
    int stalledForwards{3};              //!< times longer: others may know better where to send it
    Instant repairJitter{Seconds(0.06)}; //!< a few frames' time: one of several repairs first
    Instant repairGap{Seconds(0.05)};    //!< for others to repair, and for what is new
    size_t repairs{12};                  //!< events that one STATE asks for: a frame and a half
};

/// Rules 7 and 8: what few want, or nobody. docs/decisions/mesh.md tells what was tried.
struct ScopeLimits
{
    // Until an event goes on to a few: flat, more the less it gets on, and at random
    Instant approach{Seconds(0.02)};
    Instant approachSpread{Seconds(0.15)};
    Instant approachJitter{Seconds(0.03)};
    Instant searchJitter{Seconds(0.4)}; //!< where nobody knows: the first copies are heard
    double bestProgress{1.2};           //!< hops that an event gets on at most
    double progress{0.2};               //!< hops by which somebody is nearer to be worth a frame
    Instant custody{Seconds(1.0)};      //!< until it is sent again: a search takes as long
    uint32_t openings{0};               //!< so often it is sent again as it was, sooner ...
    Instant openAfter{Seconds(0.35)};   //!< ... and then searched for
    uint32_t sent{3};                   //!< so often; then it is for everybody
    double far{std::numeric_limits<double>::infinity()}; //!< hops: who is so far is searched for
                                                         //!< last, as who is nearer knows more
    double blur{0};     //!< hops by which two may measure one way differently
    double behind{0.3}; //!< hops by which an event is in better hands ...
    double near{3};     //!< ... of who is so far away: near a subscriber several are of use
    Instant takenFrom{Seconds(0.005)};   //!< until who does not know it is told so ...
    Instant takenTo{Seconds(0.04)};      //!< ... and at most: another one may tell it
    Instant othersFrom{Seconds(30)};     //!< who leaves it to others waits so long to hear ...
    Instant othersTo{Seconds(40)};       //!< ... that it has arrived, and asks ...
    uint32_t asks{0};                    //!< ... so often; then it is for everybody
    Instant othersHop{0};                //!< so much later for each hop: who is nearer asks first
    Instant greeted{Seconds(0.3)};       //!< a subscriber that is here lacks what is held for this
    Instant greeting{Seconds(0.06)};     //!< and is given it within this
    Instant wordMargin{Seconds(5.0)};    //!< a word may be older than it says by waits in MACs
    double ageDrift{1e-3};               //!< of a time that has gone by, between two clocks
    Instant answer{Seconds(0.01)};       //!< until a STATE answers, at least ...
    Instant answerWithin{Seconds(0.13)}; //!< ... and so much more: a few frames' time
    double freshness{0.6};               //!< of it, for who has said a STATE lately
    Instant arrivalFrom{Seconds(0.005)}; //!< until an arrival is told back ...
    Instant arrivalTo{Seconds(0.04)};    //!< ... and at most
};

/// When events were settled, as it is remembered.
struct SettledLimits
{
    Instant grain{Seconds(1.0)}; //!< what is settled within this is so at the same time ...
    double blur{0.5};            //!< ... or within this share of its age ...
    size_t epochs{32};           //!< ... of so many such times: half an hour; before, all is one
};

/// Distances to subscribers.
struct DistanceLimits
{
    Instant hop{Seconds(4.0)};   //!< a node may move by a hop in so long: 30 m at 8 m/s
    double unknown{60};          //!< hops; what is further away is somewhere
    Instant sought{Seconds(60)}; //!< distances are told for so long after an event for a few
};

/// Rule 13: places of subscribers. What has another value without places is in their stead.
struct PlaceLimits
{
    double aheadDegrees{30};   //!< either way of where an event goes: most of these hear each other
    double near{1.3};          //!< hops to a place around which all are ahead
    Instant kept{Seconds(60)}; //!< places of who is not sought
    size_t told{32};           //!< at most, the newest: of two publishers' events for ten
    double moved{0.1};         //!< of the distance from here: a place is told again ...
    Instant again{Seconds(10)};      //!< ... or after this
    Instant arrivalTo{Seconds(0.6)}; //!< ScopeLimits::arrivalTo: several arrivals go together
    double progress{0.4};            //!< ScopeLimits::progress ...
    double bestProgress{1.6};        //!< ... ScopeLimits::bestProgress ...
    uint32_t openings{2};            //!< ... ScopeLimits::openings, and so much more of sent ...
    double far{3};                   //!< ... ScopeLimits::far ...
    double blur{0.3};                //!< ... ScopeLimits::blur: a frame says half hops ...
    uint32_t asks{1};                //!< ... ScopeLimits::asks ...
    Instant othersHop{Seconds(1)};   //!< ... ScopeLimits::othersHop: news come sooner ...
    double unknown{1000};            //!< ... and DistanceLimits::unknown: further than any network
};

/// Rule 5: words.
struct WordLimits
{
    Instant first{Seconds(0.3)};     //!< at most, until a subscriber says its word
    Instant retry{Seconds(0.25)};    //!< until it says it again, twice as long each time ...
    uint32_t retries{3};             //!< ... so often; then when it hears a STATE
    Instant gap{Seconds(1.0)};       //!< between words that STATEs provoke
    Instant doubtFrom{Seconds(1.0)}; //!< after a STATE that may be of a table without its word;
    Instant doubtTo{Seconds(2.0)};   //!< tables may agree by then
    int doubtCompared{10};           //!< times longer if brokers compared tables by hashes ...
    Instant compared{Seconds(10)};   //!< ... so lately: they bring a word along
    Instant forward{Seconds(0.5)};   //!< a new word within this, with others: they come together
    Instant lacking{Seconds(0.1)};   //!< a word that a neighbour lacks within this
    Instant bsubFrom{Seconds(0.1)};  //!< until BSUB tells of other words;
    Instant bsubTo{Seconds(0.5)};    //!< somebody else's may do; while new words come it waits ...
    Instant bsubBy{Seconds(10)};     //!< ... so long at most
    uint32_t doubtGap{32};           //!< ids between doubts: 2 B each, less than a frame of its own
    Instant hashesGap{Seconds(3)};   //!< between BSUBs of hashes, for others to answer
    uint32_t largeBsubs{3};          //!< between small ones, if one cannot tell of all words
};

/// Rule 4 and HELLO: subscribers.
struct SubscriberLimits
{
    Instant nackJitter{Seconds(0.05)};
    Instant nackGap{Seconds(0.2)};   //!< between NACKs, for the answer and its repetition
    Instant nackRetry{Seconds(1.0)}; //!< without an answer
    uint32_t nacksInVain{3};         //!< then brokers may not know its word
    Instant arrived{Seconds(0.015)}; //!< until HELLO tells that a broker's event has arrived,
    Instant arrivedDirectly{Seconds(0.03)}; //!< or its publisher's
    Instant helloFrom{Seconds(45)};         //!< between HELLOs that tell what may be forgotten:
    Instant helloTo{Seconds(75)};           //!< some 2 % of all frames
};

/// Rule 10: sums of events. docs/decisions/mesh.md tells what was tried.
struct MixLimits
{
    double load{3};                //!< of the channel, from which on brokers mix
    size_t fewest{16};             //!< events of late, where many words make it busy, too
    double copies{4};              //!< sums that brokers around send for each event, all together
    Instant wait{Seconds(0.2)};    //!< at most, for more events
    Instant window{Seconds(4)};    //!< what is older is left to repairs
    Instant around{Seconds(4)};    //!< who was heard within this takes a share
    size_t sums{7};                //!< in a frame: of events of 100 B they fill it
    size_t events{80};             //!< in each of them
    double longest{0.25};          //!< of a frame: what is longer goes as it is
    Instant repaired{Seconds(30)}; //!< what was had before is repaired as it is: others forget it
    Instant known{Seconds(120)};   //!< events that were heard are kept for so long ...
    size_t mostKnown{512};         //!< ... or so many, to take them out of sums
    Instant stuck{Seconds(1)};     //!< sums wait for others for less where the mesh keeps up ...
    Instant unsolved{Seconds(10)}; //!< ... and for so long at most ...
    size_t mostUnsolved{1024};     //!< ... or so many
};

/// Rule 11: how fast new events may come. docs/decisions/mesh.md tells what was tried.
struct PaceLimits
{
    size_t stuck{4};            //!< sums: more say that the mesh is given more than it carries ...
    double load{8};             //!< ... under this load: repairs leave others with sums, too
    Instant period{Seconds(1)}; //!< at least, between changes
    Instant slowed{Seconds(5)}; //!< at least, from slower to slower: stuck sums last for a while
    double less{0.85};          //!< times what was sent lately, as after a mark of ECN (RFC 8511)
    double more{0.2};           //!< faster by so much a second
    double least{0.5};          //!< events/s
    double weight{0.3};         //!< of the newest rate in the average
};

/// Rule 12: sums of blocks, where sums of events do not keep up. docs/decisions/mesh.md tells what
/// was tried.
struct BlockLimits
{
    size_t many{100};            //!< events that are heard make publishers gather blocks ...
    size_t fewest{56};           //!< ... or so many where there are some ...
    size_t often{40};            //!< ... or so many of its own, or half ...
    Instant counted{Seconds(4)}; //!< ... within this
    Instant heard{Seconds(2)};   //!< after the latest sum that was heard there are others
    Instant gather{Seconds(6)};  //!< at most, for more events of a block
    double part{0.86};           //!< of a frame, of a block at most: eight events of 100 B
    Instant unheard{Seconds(1)}; //!< until a block goes again that no sum has named, then twice ...
    double share{0.4};           //!< of the air that sums of brokers around take, all together
    double mostCredit{10};       //!< sums, one for each that said something new, at most
    double idle{6};              //!< times longer pauses without credit
    Instant window{Seconds(30)}; //!< sums are of what is younger: the rest is repaired ...
    size_t repairs{3};           //!< ... by so many sums at most for a STATE or NACK ...
    size_t atOnce{8};            //!< ... each in place of so many events at least
    size_t blocks{100};          //!< in a sum, known ones and as many others
    Instant known{Seconds(300)}; //!< blocks are kept for so long ...
    size_t mostKnown{1024};      //!< ... or so many
    size_t mostMet{4096};        //!< their names are kept for longer, so that none is new again
    Instant stuck{Seconds(10)};  //!< sums wait for others for less where the mesh keeps up ...
    Instant unsolved{Seconds(120)}; //!< ... and for so long at most ...
    size_t mostUnsolved{512};       //!< ... or so many
};

/// Where a policy gives events up: most of these shall be at their publishers, before they cost
/// air.
struct GivingUpLimits
{
    double patience{10};       //!< s: what is given up earlier is in no sum, since sums take time
    Instant stuck{Seconds(1)}; //!< in place of BlockLimits::stuck ...
    Instant unsolved{Seconds(60)}; //!< ... and of BlockLimits::unsolved
    Instant slowed{Seconds(2)};    //!< in place of PaceLimits::slowed ...
    double less{0.7};              //!< ... of PaceLimits::less ...
    double more{0.05};             //!< ... and of PaceLimits::more
};

/// Publishers without a broker.
struct PublisherLimits
{
    Instant retry{Seconds(0.4)};        //!< until an event goes again, twice as long each time ...
    uint32_t retries{3};                //!< ... so often; then after STATEs
    double retryJitter{0.25};           //!< of it, either way
    Instant retryGap{Seconds(0.1)};     //!< between frames of events that were sent before
    Instant stateJitter{Seconds(0.05)}; //!< after a STATE
};

/**
 * Every constant of the mesh's machines beside Options. None is a key of scenarios: they were set
 * with the radio and the traffic of the thesis in mind, and correctness depends on none of them, as
 * searches show that draw them (mesh-search-test). Some must not be 0 (checked-options.h).
 */
struct Limits
{
    FrameLimits frame;
    SenderLimits sender;
    BrokerLimits broker;
    ScopeLimits scope;
    SettledLimits settled;
    DistanceLimits distance;
    PlaceLimits place;
    WordLimits word;
    MixLimits mix;
    PaceLimits pace;
    BlockLimits block;
    GivingUpLimits givingUp;
    SubscriberLimits subscriber;
    PublisherLimits publisher;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_LIMITS_H */
