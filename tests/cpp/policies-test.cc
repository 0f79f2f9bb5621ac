/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The policies that ship, each asked as a protocol asks it; hooks of Python as C functions.
 */
#include "function-case.h"
#include "policies/emma-controller.h"
#include "policies/policies.h"

#include "ns3/test.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::policies_test
{

using namespace std::chrono_literals;

namespace
{

using Candidates = std::vector<Candidate>;

Candidate
Heard(NodeId id, double rssiDbm, int32_t advertised = -1, uint32_t arrival = 0)
{
    Candidate heard;
    heard.id = id;
    heard.rssiDbm = rssiDbm;
    heard.advertised = advertised;
    heard.arrival = arrival;
    return heard;
}

NodeId
Choose(const std::string& name,
       const PolicyParameters& parameters,
       const Candidate* current,
       const Candidates& candidates)
{
    return MakePolicy("parent", name, parameters).parent->Decide({}, current, candidates);
}

void
TheFirstHeardIsTheParent(FunctionCase& test)
{
    const Candidates two{Heard(5, -90, -1, 1), Heard(6, -60, -1, 0)};
    test.Expect(Choose("first-heard", {}, nullptr, two) == 6, "by arrival");
    test.Expect(Choose("first-heard", {}, nullptr, {}) == NO_NODE, "of none, none");
    test.Expect(Choose("first-heard", {}, &two[0], two) == 6, "whatever the present one is");
}

void
TheStrongestIsTheParent(FunctionCase& test)
{
    const Candidates three{Heard(5, -80), Heard(6, -70), Heard(7, -70)};
    test.Expect(Choose("strongest-link", {}, nullptr, three) == 6, "the first among equals");
    test.Expect(Choose("strongest-link", {}, &three[2], three) == 7, "the present among equals");
    test.Expect(Choose("strongest-link", {}, &three[0], three) == 6, "the stronger one");
    test.Expect(Choose("strongest-link", {}, &three[0], {}) == 5, "there is no other");
    test.Expect(Choose("strongest-link", {}, nullptr, {}) == NO_NODE, "of none, none");
}

void
AMarginKeepsTheParent(FunctionCase& test)
{
    const Candidates two{Heard(5, -80), Heard(6, -77)};
    test.Expect(Choose("hysteresis", {{"margin", 3}}, &two[0], two) == 5, "3 dB are not more");
    test.Expect(Choose("hysteresis", {{"margin", 2.9}}, &two[0], two) == 6, "but than 2.9 dB");
    test.Expect(Choose("hysteresis", {{"margin", 9}}, nullptr, two) == 6, "without: the strongest");
    test.Expect(Choose("hysteresis", {{"margin", 9}}, &two[1], two) == 6, "it is the strongest");
}

void
TheSlowestIsTheParent(FunctionCase& test)
{
    const Candidates three{Heard(5, -60, 20), Heard(6, -80, 3), Heard(7, -70, 3)};
    test.Expect(Choose("slow-node-backbone", {}, nullptr, three) == 6, "the first among equals");
    test.Expect(Choose("slow-node-backbone", {}, &three[2], three) == 7, "the present one");
    test.Expect(Choose("slow-node-backbone", {}, &three[0], three) == 6, "a slower one");
    SlowNodeBackbone policy;
    NodeView me;
    const auto advertise = [&](double speed) {
        me.speedMetresPerSecond = speed;
        return *policy.Advertise(me);
    };
    test.Expect(advertise(0) == 0 && advertise(1.04) == 10 && advertise(1.06) == 11, "0.1 m/s");
    test.Expect(advertise(25.5) == 255 && advertise(26) == 255 && advertise(1e6) == 255, "a byte");
    test.Expect(!FirstHeard().Advertise(me) && !StrongestLink().Advertise(me),
                "others say nothing");
}

void
TheOneWithFewChildrenIsTheParent(FunctionCase& test)
{
    const Candidates three{Heard(5, -60, 3), Heard(6, -80, 2), Heard(7, -70, 2)};
    test.Expect(Choose("balanced-fan-out", {}, nullptr, three) == 6, "the first among equals");
    test.Expect(Choose("balanced-fan-out", {}, &three[0], three) == 5, "two besides us there, too");
    const auto four = Heard(8, -60, 4);
    test.Expect(Choose("balanced-fan-out", {}, &four, three) == 6, "three besides us: leave");
    BalancedFanOut policy;
    NodeView me;
    me.children = 7;
    test.Expect(policy.Advertise(me) == 7, "its children");
    me.children = 300;
    test.Expect(policy.Advertise(me) == 255, "in a byte");
}

void
MigrationsMayWaitForRounds(FunctionCase& test)
{
    const auto policy = MakePolicy("migration", "persistence", {{"rounds", 3}}).migration;
    const auto propose = [&](NodeId asks, uint32_t round, NodeId proposed) {
        NodeView me;
        me.id = asks;
        me.round = round;
        return policy->Decide(me, Heard(1, -70), Heard(proposed, -60));
    };
    test.Expect(!propose(9, 1, 2) && !propose(9, 1, 2) && !propose(9, 2, 2), "two rounds");
    test.Expect(!propose(8, 2, 2), "another node's count is its own");
    test.Expect(propose(9, 3, 2) && propose(9, 3, 2) && propose(9, 4, 2), "the third, and on");
    test.Expect(!propose(9, 5, 3), "another proposal");
    test.Expect(!propose(9, 6, 2) && !propose(9, 7, 2) && propose(9, 8, 2), "it begins anew");
    test.Expect(!propose(9, 10, 2), "a round without");
    test.Expect(!propose(9, 11, 2) && !propose(9, 1, 2), "rounds of another leader");
    test.Expect(!propose(9, 2, 2) && propose(9, 3, 2), "count, too");
}

void
MigrationsMayWaitForTime(FunctionCase& test)
{
    NodeView me;
    me.attachedSeconds = 10;
    const auto decide = [&](const std::string& name, const PolicyParameters& parameters) {
        return MakePolicy("migration", name, parameters).migration->Decide(me, {}, {});
    };
    test.Expect(decide("immediate", {}), "at once");
    test.Expect(decide("minimum-stay", {{"seconds", 10}}), "long enough");
    test.Expect(!decide("minimum-stay", {{"seconds", 10.1}}), "not yet");
}

void
LeadersHavePriorities(FunctionCase& test)
{
    NodeView me;
    me.id = 7;
    me.timeNanoseconds = 12'345'678'901;
    me.speedMetresPerSecond = 1.2346;
    const auto decide = [&](const std::string& name) {
        return MakePolicy("leader", name, {}).leader->Decide(me);
    };
    test.Expect(decide("longest-lived") == 12345, "ms since the start");
    test.Expect(decide("lowest-id") == 7, "its id");
    test.Expect(decide("slowest") == 1235, "mm/s, rounded");
    me.speedMetresPerSecond = 1e9;
    test.Expect(decide("slowest") == 0xfffffffe, "one better than nobody's");
}

void
FramesAreTriedAgain(FunctionCase& test)
{
    const auto retry = [](const Policies& policies, std::string_view kind, uint32_t attempts) {
        return policies.retry->Decide({}, 1, kind, attempts);
    };
    const auto fixed = MakePolicy("retry", "fixed", {{"retries", 2}});
    test.Expect(retry(fixed, "PUB", 1) && retry(fixed, "PUB", 2), "two retransmissions");
    test.Expect(!retry(fixed, "PUB", 3), "and no third");
    const auto byKind = MakePolicy("retry", "by-kind", {{"other", 1}, {"PUB", 4}});
    test.Expect(retry(byKind, "PUB", 4) && !retry(byKind, "PUB", 5), "its own number");
    test.Expect(retry(byKind, "SUB", 1) && !retry(byKind, "SUB", 2), "the others'");
    const Policies shipped;
    test.Expect(retry(shipped, "PUB", 3) && !retry(shipped, "PUB", 4), "three by default");
}

void
FailuresEndLinksOrNot(FunctionCase& test)
{
    const auto decide =
        [](const std::string& name, const PolicyParameters& parameters, uint32_t failures) {
            return MakePolicy("failure", name, parameters).failure->Decide({}, 1, "PUB", failures);
        };
    test.Expect(decide("drop-link", {}, 1) == FailureAction::DROP_LINK, "at once");
    test.Expect(decide("keep-link", {}, 9) == FailureAction::KEEP_LINK, "never");
    test.Expect(decide("resend", {{"times", 2}}, 2) == FailureAction::RESEND, "twice again");
    test.Expect(decide("resend", {{"times", 2}}, 3) == FailureAction::DROP_LINK, "then not");
    test.Expect(Policies().failure->Decide({}, 1, "PUB", 1) == FailureAction::DROP_LINK,
                "the default");
}

void
RepairsBeginWithSomebody(FunctionCase& test)
{
    const std::vector<LackingNeighbour> lacking{{4, 9, 30, 0.5}, {5, 2, 20, 0.7}, {6, 2, 10, 0.9}};
    const auto decide = [&](const std::string& name) {
        return MakePolicy("repair", name, {}).repair->Decide({}, lacking);
    };
    test.Expect(decide("longest-waiting") == 4, "the first");
    test.Expect(decide("fewest-lacking") == 5, "the first of those that lack two");
    test.Expect(decide("farthest") == 6, "the last");
    test.Expect(Policies().repair->Decide({}, lacking) == 4, "the default");
}

void
QueuesShip(FunctionCase& test)
{
    const auto drops = [](const std::string& name, const PolicyParameters& parameters) {
        return MakePolicy("queue", name, parameters)
            .queue->Decide({}, 1, {{1, 1, 9.0, 10}, {1, 2, 5.0, 10}});
    };
    using Places = std::vector<size_t>;
    test.Expect(MakePolicy("queue", "unbounded", {}).queue == nullptr, "no policy");
    test.Expect(drops("drop-oldest", {{"capacity", 1}}) == Places{0}, "the oldest");
    test.Expect(drops("drop-newest", {{"capacity", 1}}) == Places{1}, "the newest");
    test.Expect(drops("expiry", {{"max_age", 6}}) == Places{0}, "the old one");
}

void
GroupsOfLatency(FunctionCase& test)
{
    test.Expect(GetLatencyGroup(Instant(0)) == 0 && GetLatencyGroup(Instant(1999us)) == 0, "best");
    test.Expect(GetLatencyGroup(Instant(2ms)) == 1 && GetLatencyGroup(Instant(4999us)) == 1,
                "2 ms");
    test.Expect(GetLatencyGroup(Instant(5ms)) == 2 && GetLatencyGroup(Instant(9999us)) == 2,
                "5 ms");
    test.Expect(GetLatencyGroup(Instant(10ms)) == 3 && GetLatencyGroup(Instant(1s)) == 3, "10 ms");
}

void
TheControllerBalancesAndForgets(FunctionCase& test)
{
    EmmaController controller;
    test.Expect(controller.Choose(11) == NO_NODE, "nothing is measured");
    controller.Measured(11, 2, 1);
    controller.Measured(11, 3, 0);
    test.Expect(controller.Choose(11) == 3, "the better group");
    controller.Measured(11, 2, 0);
    test.Expect(controller.Choose(11) == 2, "the lower id");
    controller.Attached(11, 3);
    test.Expect(controller.Choose(11) == 3, "its own load is none, and it stays");
    controller.Attached(12, 3);
    test.Expect(controller.Choose(11) == 2, "another's is");
    controller.Attached(12, NO_NODE);
    test.Expect(controller.Choose(11) == 3, "it has gone");
    controller.Measured(11, 3, 2);
    test.Expect(controller.Choose(11) == 2, "a new measurement counts");
    controller.Forget(11);
    test.Expect(controller.Choose(11) == NO_NODE, "nothing is measured any more");
}

void
TheControllerKeepsAnUnheardBroker(FunctionCase& test)
{
    EmmaControlled policy;
    NodeView me;
    me.id = 11;
    me.parent = 2;
    const auto present = Heard(2, -60);
    test.Expect(policy.Decide(me, &present, {Heard(3, -95)}) == 2, "its own is in a better group");
    test.Expect(policy.Decide(me, nullptr, {Heard(3, -95)}) == 3, "it is not there any more");
    test.Expect(policy.Decide(me, nullptr, {}) == NO_NODE, "nobody is");
}

NodeId
Ask(EmmaControlled& policy, NodeId client, NodeId parent, uint32_t round)
{
    NodeView me;
    me.id = client;
    me.parent = parent;
    me.round = round;
    me.timeNanoseconds = round * 1'000'000'000LL + client;
    return policy.Decide(me, nullptr, {Heard(2, -60), Heard(3, -60)});
}

void
TheControllerForgetsWhoHasGone(FunctionCase& test)
{
    EmmaControlled policy;
    test.Expect(Ask(policy, 11, 2, 1) == 2, "alone");
    test.Expect(Ask(policy, 12, NO_NODE, 1) == 3, "where nobody is");
    test.Expect(Ask(policy, 12, 2, 4) == 3, "11 may only have missed some heartbeats");
    test.Expect(Ask(policy, 12, 2, 5) == 3, "rounds without 12 do not count");
    test.Expect(Ask(policy, 12, 2, 6) == 2, "11 was not there in three rounds of 12");
    test.Expect(Ask(policy, 11, 2, 7) == 3, "it is back, and finds 12 at 2");
}

/// @return whether making @p what as @p spec is refused with a message that has @p words
bool
IsRefused(const std::string& what, const PolicySpec& spec, const std::string& words)
{
    try
    {
        MakePolicies({{what, spec}});
    }
    catch (const std::invalid_argument& refused)
    {
        return std::string(refused.what()).find(words) != std::string::npos;
    }
    return false;
}

void
UnknownPoliciesAreRefused(FunctionCase& test)
{
    test.Expect(IsRefused("weather", {"fixed", {}}, "no policies decide weather"), "a kind");
    test.Expect(
        IsRefused("retry", {"often", {}}, "no retry policy 'often'; there are by-kind, fixed"),
        "a name");
    test.Expect(IsRefused("retry", {"python", {}}, "its hook is missing"), "a hook");
    const std::string lacks = "the retry policy 'fixed' needs the parameter 'retries'";
    test.Expect(IsRefused("retry", {"fixed", {{"retrys", 3}}}, lacks), "a parameter is missing");
}

int64_t g_answer;

int64_t
AnswerParent(const NodeView*, const Candidate*, const Candidate* candidates, size_t count)
{
    return count == 0 ? POLICY_NONE : POLICY_FIRST + candidates[count - 1].id;
}

int64_t
AnswerAny(const NodeView*)
{
    return g_answer;
}

int64_t
AnswerQueue(const NodeView*, NodeId, const QueuedEvent*, size_t count, uint8_t* chosen)
{
    for (size_t i = 0; i < count; i += 2)
    {
        chosen[i] = 1;
    }
    return g_answer;
}

template <typename Function>
HookFunction
AsHook(Function* function)
{
    return reinterpret_cast<HookFunction>(function);
}

void
HooksDecide(FunctionCase& test)
{
    const std::vector<PolicyHook> hooks{{"parent", AsHook(&AnswerParent)},
                                        {"parent.advertise", AsHook(&AnswerAny)},
                                        {"client", AsHook(&AnswerParent)},
                                        {"leader", AsHook(&AnswerAny)},
                                        {"queue", AsHook(&AnswerQueue)}};
    const PolicySpec python{"python", {}};
    const auto policies = MakePolicies(
        {{"parent", python}, {"client", python}, {"leader", python}, {"queue", python}},
        {hooks.data(), hooks.size()});
    test.Expect(policies.parent->Decide({}, nullptr, {Heard(4, 0), Heard(0, 0)}) == 0, "node 0");
    test.Expect(policies.parent->Decide({}, nullptr, {}) == NO_NODE, "none");
    g_answer = POLICY_FIRST + 255;
    test.Expect(policies.parent->Advertise({}) == 255, "advertised");
    test.Expect(!policies.client->Advertise({}), "without a hook nothing is");
    g_answer = POLICY_NONE;
    test.Expect(!policies.parent->Advertise({}), "nothing is advertised");
    g_answer = POLICY_FIRST + 1;
    test.Expect(policies.leader->Decide({}) == 1, "a number");
    test.Expect(policies.queue->Decide({}, 1, std::vector<QueuedEvent>(3)) ==
                    std::vector<size_t>{0, 2},
                "positions");
}

void
FailedHooksEndTheRun(FunctionCase& test)
{
    const std::vector<PolicyHook> hooks{{"leader", AsHook(&AnswerAny)},
                                        {"parent", AsHook(&AnswerParent)},
                                        {"parent.advertise", AsHook(&AnswerAny)},
                                        {"queue", AsHook(&AnswerQueue)}};
    const PolicySpec python{"python", {}};
    const auto policies = MakePolicies({{"leader", python}, {"parent", python}, {"queue", python}},
                                       {hooks.data(), hooks.size()});
    const auto fails = [](int64_t answer, const auto& ask) {
        g_answer = answer;
        try
        {
            ask();
        }
        catch (const PolicyFailure&)
        {
            return true;
        }
        return false;
    };
    const auto lead = [&] { policies.leader->Decide({}); };
    const auto advertise = [&] { policies.parent->Advertise({}); };
    const auto queue = [&] { policies.queue->Decide({}, 1, std::vector<QueuedEvent>(1)); };
    test.Expect(fails(POLICY_FAILED, lead) && fails(POLICY_FAILED, queue), "it has failed");
    test.Expect(fails(POLICY_NONE, lead), "a priority is not none");
    test.Expect(fails(POLICY_FIRST + 256, advertise), "more than a byte");
    test.Expect(!fails(POLICY_FIRST + 255, advertise), "a byte");
    test.Expect(fails(POLICY_FIRST + 0x100000000, lead), "more than 32 bits");
    test.Expect(!fails(POLICY_FIRST + 0xffffffff, lead), "32 bits");
}

class PoliciesSuite : public ns3::TestSuite
{
  public:
    PoliciesSuite()
        : TestSuite("mftpubsub-policies", Type::UNIT)
    {
        Add("The first heard is the parent", TheFirstHeardIsTheParent);
        Add("The strongest is the parent", TheStrongestIsTheParent);
        Add("A margin keeps the parent", AMarginKeepsTheParent);
        Add("The slowest is the parent", TheSlowestIsTheParent);
        Add("The one with few children is the parent", TheOneWithFewChildrenIsTheParent);
        Add("Migrations may wait for rounds", MigrationsMayWaitForRounds);
        Add("Migrations may wait for time", MigrationsMayWaitForTime);
        Add("Leaders have priorities", LeadersHavePriorities);
        Add("Frames are tried again", FramesAreTriedAgain);
        Add("Failures end links, or not", FailuresEndLinksOrNot);
        Add("Repairs begin with somebody", RepairsBeginWithSomebody);
        Add("Queues ship", QueuesShip);
        Add("Groups of latency", GroupsOfLatency);
        Add("EMMA's controller balances, and forgets", TheControllerBalancesAndForgets);
        Add("EMMA's controller counts the present broker", TheControllerKeepsAnUnheardBroker);
        Add("EMMA's controller forgets who has gone", TheControllerForgetsWhoHasGone);
        Add("Unknown policies are refused", UnknownPoliciesAreRefused);
        Add("Hooks decide", HooksDecide);
        Add("Failed hooks end the run", FailedHooksEndTheRun);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

PoliciesSuite g_policies;

} // namespace

} // namespace mftpubsub::policies_test
