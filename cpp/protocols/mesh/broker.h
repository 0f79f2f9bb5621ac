/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_BROKER_H
#define MFTPUBSUB_PROTOCOLS_MESH_BROKER_H

#include "content/id-map.h"
#include "policies/queue-policy.h"
#include "protocols/mesh/block-mixer.h"
#include "protocols/mesh/deadlines.h"
#include "protocols/mesh/distances.h"
#include "protocols/mesh/filter-answers.h"
#include "protocols/mesh/frame-fit.h"
#include "protocols/mesh/gathering.h"
#include "protocols/mesh/mixer.h"
#include "protocols/mesh/pace.h"
#include "protocols/mesh/repairs.h"
#include "protocols/mesh/settled.h"
#include "protocols/mesh/small-states.h"
#include "protocols/mesh/speaker.h"
#include "protocols/mesh/station.h"
#include "protocols/mesh/subscriber-sets.h"
#include "protocols/mesh/word-table.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

namespace mftpubsub::mesh
{

/// The decisions that a broker leaves to policies.
struct BrokerPolicies
{
    std::shared_ptr<QueuePolicy> queue; //!< none: unbounded
    std::shared_ptr<RepairPolicy> repair{std::make_shared<LongestWaiting>()};
    NodeDescriber describe{[] { return NodeView(); }}; //!< the broker, for them
};

/**
 * A broker of the mesh, as a state machine without I/O (docs/protocols.md).
 *
 * It keeps the events that it has heard and the words of all subscribers, forwards what is new
 * unless others have done so, and hands on what a neighbour's STATE lacks or a subscriber's NACK
 * asks for. There are no next hops, so none can be wrong.
 *
 * broker.cc has what it hears and answers, broker-heartbeats.cc what it says of itself,
 * broker-events.cc the way of events, broker-mixing.cc their sums, broker-blocks.cc those of
 * blocks, broker-approach.cc the way of those that few want, broker-claims.cc who brings them to
 * whom, broker-scoping.cc what becomes of those that nobody wants, and broker-store.cc what is
 * forgotten.
 */
class Broker : public Speaker
{
  public:
    Broker(const Context& context, BrokerPolicies policies);

    void Start(Instant now);
    /// @param link how far away the sender is, in hops
    void Receive(Instant now, const Frame& frame, double link, Output& output);

    /// The publisher on this device has published an event.
    void Publish(Instant now, const EventPtr& event, Output& output);

    /// Has an event of a former life, which goes to neighbours whose STATE lacks it. Until it hears
    /// a word again it cannot know who wants the event, and does not forget it.
    void Recall(Instant now, const EventPtr& event, Instant since, Output& output);

    /// The subscriber on this device says its word.
    void Say(Instant now, const Word& word);

    Instant Due(Turn turn) const override;
    std::optional<Outgoing> Build(Instant now, Turn turn) override;

    /// @return the pairs that Build has matched since the last call
    std::vector<Pair> TakeMatches();

    const Summary& GetHas() const
    {
        return m_known.has;
    }

    const WordTable& GetWords() const
    {
        return m_words;
    }

    /// @return whether the event of this @p id, which it may not hold, is owed to nobody whose word
    /// it has
    bool IsSettled(EventId id) const
    {
        return m_settled.Has(id);
    }

    bool Holds(EventId id) const
    {
        return m_store.contains(id);
    }

    /// @return the events that it holds, and who wanted them when they came
    std::vector<Wanted> GetWanted() const;

    size_t CountHeld() const
    {
        return m_store.size();
    }

    /// @return how many things it remembers of events and of other brokers
    size_t CountRemembered() const;

  private:
    /// Of an event that is on its way to a few.
    struct Way
    {
        NodeId from{NO_NODE};                 //!< who brought it
        uint32_t sent{0};                     //!< so often
        bool hasWaited{false};                //!< for a broker that is nearer, in vain
        bool isLeft{false};                   //!< to others, after all
        uint32_t asked{0};                    //!< so often what has become of it
        std::map<NodeId, Bearing> bearings{}; //!< to those who want it
        uint32_t before{0};                   //!< copies heard when it was sent
        uint32_t told{0}; //!< heard from others of an arrival that is to be told
    };

    /// An event in the store.
    struct Held
    {
        CarriedEvent carried;
        Instant since{0};
        FilterAnswers answers; //!< whether new words want it
        Subscribers wanted;    //!< by these, when it came
        Subscribers open;      //!< who want it and may not have got it
        uint32_t copies{0};    //!< heard from brokers
        bool isAnswered{true}; //!< its publisher has heard a broker say it, perhaps

        bool isForAll{true}; //!< not on its way to a few
        Way way;
    };

    using Store = std::map<EventId, Held>;

    struct Neighbour
    {
        uint32_t life{0};
        Instant heardAt{0};
        SummaryPart has;
        FrameFit<EventId> fit; //!< of repairs
    };

    /// A NACK to be answered.
    struct Question
    {
        NodeId subscriber{NO_NODE};
        Nack nack;
        Instant heardAt{0};
        size_t frames{0};       //!< of the answer: a weak link takes several small ones
        std::set<EventId> sent; //!< in these
    };

    /// Of the events that are held those of which a subscriber has said that it is done with them.
    /// They are not open for it: what it says again need not be looked at again.
    struct Done
    {
        uint32_t timestamp{0}; //!< of its word
        Instant heardAt{0};
        Summary events;
    };

    /// Of all events, stored or not.
    struct Known
    {
        Summary has;
        Summary missing;        //!< what a neighbour had and it had not ...
        Instant checkAt{NEVER}; //!< ... and should have by now
        IdMap<Done> done;       //!< of those in the store
        FilterNumbers filters;  //!< that have asked for them
    };

    /// New events on their way.
    struct Forwarding
    {
        Deadlines<EventId> at;
        Mixer mixer;           //!< sends some of them in sums
        BlockMixer blockMixer; //!< sends sums of blocks
        Pace pace;             //!< of those that are published here
        Gathering gathering;   //!< of these, for blocks
        std::set<EventId> own; //!< which wait for both ...
        Instant ownAt{0};      //!< ... so long for more of a block
    };

    /// What neighbours lack, and how large frames to them may be.
    struct Repairing
    {
        Repairs repairs;
        SmallStates smallStates;
        Instant at{NEVER};
    };

    struct Heartbeats
    {
        Instant at{NEVER};
        Instant interval{0}; //!< at present
        Instant stateSentAt{0};
        EventId tellFrom{SummaryPart::BEGIN};  //!< where the next STATE begins, if it is a part ...
        EventId smallFrom{SummaryPart::BEGIN}; //!< ... and the next small one
        std::optional<EventId> awaited;        //!< a neighbour waits for this
        bool wasAwaited{false};                //!< the latest part began with such
        bool isSmallNext{false};               //!< since the latest one was large
        uint32_t agreed{0};   //!< STATEs since one was due that told what it had to tell ...
        Summary told;         //!< ... which was this
        bool isSilent{false}; //!< the latest one was needless
    };

    /// What others ask for.
    struct Answers
    {
        std::deque<Question> questions;           //!< NACKs
        std::map<NodeId, FrameFit<EventId>> fits; //!< of the answers to subscribers
        std::map<EventId, bool> isPublishers;     //!< of settled events: does their publisher ask?
        Instant at{NEVER};
        Deadlines<EventId> arrivals; //!< that are told back to where events came from
        Deadlines<EventId> taken;    //!< that are in better hands than who sends them knows

        Instant Due() const
        {
            return std::min(at, arrivals.GetEarliest());
        }
    };

    /// What may leave the store when it has been settled for long.
    struct Forgettable
    {
        std::deque<std::pair<Instant, EventId>> settled; //!< since when
        std::set<EventId> recalled; //!< until the word of another device is heard
    };

    // What was heard

    void Hear(Instant now, const Header& from, const Heartbeat&, double link, Output& output);
    void Hear(Instant now, const Header& from, const Pub&, double link, Output& output);
    void Hear(Instant now, const Header& from, const Rep&, double link, Output& output);
    void Hear(Instant now, const Header& from, const Nack&, double link, Output& output);
    void Hear(Instant now, const Header& from, const Hello&, double link, Output& output);
    void Hear(Instant now, const Header& from, const Sub&, double link, Output& output);
    void Hear(Instant now, const Header& from, const Bsub&, double link, Output& output);
    void Hear(Instant now, const Header& from, const BsubHashes&, double link, Output& output);
    void Hear(Instant now, const Header& from, const Mix&, double link, Output& output);
    void Hear(Instant now, const Header& from, const Taken&, double link, Output& output);
    void Hear(Instant now, const Header& from, const BlockMix&, double link, Output& output);

    // Rule 1: heartbeats
    State MakeState(Instant now, size_t budget);
    State MakeSmallState();
    State MakeState(size_t& budget) const;
    std::vector<EventId> GetOnTheWay() const;
    Summary GetTold(const State& state) const;
    void Tell(State& state, size_t budget, EventId& from) const;
    std::optional<State> StateToTakeAlong(Instant now, size_t bytesTaken, size_t most);
    std::optional<Outgoing> BuildHeartbeat(Instant now);
    void ScheduleHeartbeat(Instant now);
    void StateSent(Instant now);
    void Changed(Instant now);
    void HearStateAlong(Instant now,
                        const Header& from,
                        const std::optional<State>& state,
                        size_t eventBytes,
                        double link);
    void HearState(Instant now, const Header& from, const State& state, double link);
    void NoteMissing(Instant now, const State& state);
    void CheckMissing(Instant now);

    // Rule 2: new events
    void NotePaths(Instant now, const std::vector<CarriedEvent>& events, double link);
    void HearEvents(Instant now,
                    const Header& from,
                    const std::vector<CarriedEvent>& events,
                    bool isRepair,
                    Output& output);
    void HearCopy(Instant now, Held& held, const CarriedEvent& carried, NodeId from);
    Held* Keep(Instant now, const CarriedEvent& carried, NodeId from, Output& output);
    bool SomebodyLacks(Instant now, EventId id) const;
    CarriedEvent OneHopOn(const Held& held) const;
    std::vector<EventId> ChooseForwards(Instant now);
    Instant DueOwn() const;
    void ReleaseOwn(Instant now);
    std::optional<Outgoing> BuildForwards(Instant now);

    // Rule 3: repair
    std::vector<Store::iterator> FindHeld(const Summary& events);
    void HearFate(Neighbour& neighbour,
                  const SummaryPart& has,
                  const std::vector<Store::iterator>& lacking) const;
    void RepairSoon(Instant now,
                    NodeId neighbour,
                    double hops,
                    std::vector<Store::iterator> lacking);
    void RepairLater(Instant now);
    size_t MostTo(NodeId neighbour, const Neighbour& its) const;
    bool AddRepairs(Rep& rep, size_t& bytes, size_t most, const std::set<EventId>& events);
    std::optional<Outgoing> BuildRepair(Instant now);

    // Rule 10: sums
    bool MayMix() const;
    bool IsMixing() const;
    bool CanBeMixed(EventId id) const;
    size_t CountBrokersAround(Instant now) const;
    std::optional<Outgoing> BuildMix(Instant now);
    std::optional<Outgoing> BuildMixedRepair(Instant now);
    Outgoing MakeMix(Instant now, const Summary& events, size_t sums);

    // Rule 12: sums of blocks
    std::optional<Outgoing> BuildOwnBlock(Instant now);
    std::optional<Outgoing> BuildBlockMix(Instant now);
    std::optional<Outgoing> BuildRepairOfAlone(Instant now, const Repairs::First& first);
    std::optional<Outgoing> BuildBlockRepair(Instant now);
    std::vector<Store::iterator> TakeInBlocks(Instant now,
                                              const Question& question,
                                              std::vector<Store::iterator>& asked,
                                              Summary& covered) const;
    std::optional<Outgoing> BuildBlockAnswer(Question& question,
                                             const std::vector<Store::iterator>& asked);
    Outgoing TakeStateAlong(Instant now, BlockMix mix);

    // Rule 4: answers to NACKs
    std::optional<Outgoing> BuildAnswer(Instant now);
    bool IsSmall(const Question& question) const;
    std::vector<Store::iterator> FindAsked(const Question& question,
                                           const WordTable::Entry& word,
                                           const Summary& lacking);
    size_t FitAnswer(const Question& question, const std::vector<Store::iterator>& asked);

    // Rule 7: what few want, or nobody
    bool HintsFit(const CarriedEvent& carried, size_t subscribers) const;
    bool IsForFew(Instant now, size_t subscribers) const;
    void Scope(Instant now, EventId id, Held& held, const CarriedEvent& carried, NodeId from);
    static Bearing GetBearing(const Held& held, NodeId subscriber);
    Path GetPath(const Held& held) const;
    IdSet ChooseCharge(Instant now, const Held& held) const;
    IdSet GetUntaken(const Held& held) const;
    IdSet GetNobodys(const Held& held) const;
    void Take(Instant now, Held& held, const IdSet& charge);
    void NoteClaims(Held& held, const Path& path, bool areBrokers) const;
    bool IsFar(const Claim& claim) const;
    Path GetAsked(const Held& held, const Pub& pub, bool isOpen, NodeId publisher) const;
    std::vector<Claim> MakeClaims(Instant now, const Held& held, const IdSet& charge) const;
    double Progress(Instant now, const Held& held, NodeId subscriber) const;
    void ApproachSoon(Instant now, EventId id, const Held& held);
    bool Approaches(Instant now, EventId id, Held& held);
    void HearPath(Instant now, EventId id, Held& held, const Path& path, NodeId from);
    bool IsAsked(Instant now, const Held& held, const Path& path) const;
    static bool HasEndedBeyond(const Held& held, const Path& path);
    bool IsInBetterHands(const Held& held, const Path& path) const;
    void TellOfBetterHands(Instant now, EventId id, const Held& held, const Path& path);
    std::optional<Outgoing> BuildTaken();
    void HearPublisher(Instant now, const Pub& pub, NodeId from);
    void LeaveToOthers(Instant now, EventId id, Held& held);
    static void AskAgain(Held& held);
    void Settle(Instant now, EventId id);
    void Narrow(Instant now, EventId id, Held& held, Subscribers open);
    void Serve(Instant now, EventId id, Held& held, const IdSet& served);
    void HearSubscriber(Instant now, NodeId subscriber, uint32_t timestamp, const Summary& done);
    void HearHello(Instant now, NodeId subscriber, const Hello& hello);
    void HearWords(Instant now, const std::vector<Word>& words, NodeId from);
    void NoLongerWants(Instant now, NodeId subscriber);
    void Unsettle(Instant now, const std::vector<WordTable::NewFilter>& news);
    void Reopen(EventId id, Held& held, const IdSet& subscribers);
    void HearSettled(Instant now, const Header& from, const State& state);
    void AnswerSoon(Instant now, EventId id, bool isPublishers);
    void HearAnswers(const State& state);
    void TellBack(Instant now, EventId id, Held& held, const IdSet& arrived);
    void HearArrivals(const State& state, NodeId from);

    // Rule 6: what leaves the store
    void ApplyPolicy(Instant now, Output& output);
    bool KnowsOthers() const;
    void MayForget(Instant now, EventId id);
    void ForgetSettled(Instant now);
    void ForgetNeighbours(Instant now);
    void Erase(Store::iterator at);

    const Context& m_context;
    BrokerPolicies m_policies;
    Store m_store;
    Known m_known;
    SubscriberSets m_sets;
    WordTable m_words;
    IdMap<Neighbour> m_neighbours;
    Forwarding m_forwarding;
    Repairing m_repairing;
    Heartbeats m_heartbeats;
    Settled m_settled;
    Forgettable m_forgettable;
    Distances m_distances;
    Answers m_answers;
    std::vector<Pair> m_matches;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_BROKER_H */
