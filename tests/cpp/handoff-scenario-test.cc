/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What of a hand-off scenario cannot be run, as a user of C++ meets it: Python's own bounds come
 * first.
 */
#include "function-case.h"
#include "worlds/handoff-scenario.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace mftpubsub::handoff_scenario_test
{

namespace
{

/// Two brokers, between which subscribers move.
HandoffScenario
MakeScenario()
{
    HandoffScenario scenario;
    scenario.scheme = "durable";
    scenario.brokers = 2;
    scenario.AddMove(1, 2);
    scenario.AddMove(2, 1);
    scenario.AddLink(1, 2);
    return scenario;
}

/// @return what is said of @p scenario; nothing where it can be run
std::string
GetFault(const HandoffScenario& scenario)
{
    try
    {
        Check(scenario);
        return "";
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
}

/// A number of the scenario, and between what it has to be.
struct Bounds
{
    double HandoffScenario::* member;
    double least;
    double most;
    std::string words; //!< of the refusal
};

void
NumbersHaveBounds(FunctionCase& test)
{
    using S = HandoffScenario;
    const std::string periods = "window, mean stay, event expiry";
    const std::string times = "warm-up, drain, sleep, detection delay, session expiry";
    for (const auto& [member, least, most, words] : {Bounds{&S::window, 1e-6, 1e7, periods},
                                                     {&S::meanConnected, 1e-6, 1e7, periods},
                                                     {&S::eventExpiry, 1e-6, 1e7, periods},
                                                     {&S::warmUp, 0, 1e7, times},
                                                     {&S::drain, 0, 1e7, times},
                                                     {&S::sleep, 0, 1e7, times},
                                                     {&S::detectionDelay, 0, 1e7, times},
                                                     {&S::sessionExpiry, 0, 1e7, times},
                                                     {&S::transferTime, 0, 100, "transfer time"},
                                                     {&S::rate, 1e-6, 1e6, "rate"},
                                                     {&S::interest, 1e-6, 1, "interest"}})
    {
        for (const auto right : {least, most})
        {
            auto scenario = MakeScenario();
            scenario.*member = right;
            test.Expect(GetFault(scenario).empty(), words + " at its bound");
        }
        for (const auto wrong : {std::nextafter(least, -1.0),
                                 std::nextafter(most, 1e9),
                                 std::numeric_limits<double>::quiet_NaN()})
        {
            auto scenario = MakeScenario();
            scenario.*member = wrong;
            test.Expect(GetFault(scenario).starts_with(words + ": "), words + " beyond its bounds");
        }
    }
}

void
CostsHaveBounds(FunctionCase& test)
{
    using C = HandoffCosts;
    for (const auto member :
         {&C::eventMs, &C::deliveredMs, &C::storedMs, &C::controlMs, &C::transferredMs})
    {
        auto scenario = MakeScenario();
        scenario.costs.*member = 1e5;
        test.Expect(GetFault(scenario).empty(), "the highest cost");
        for (const auto wrong : {-1e-9, std::nextafter(1e5, 1e9)})
        {
            scenario.costs.*member = wrong;
            test.Expect(GetFault(scenario) == "costs: 0 to 1e5 ms each", "a cost beyond it");
        }
    }
}

/// What is done to a scenario that can be run, and what is said then; nothing where it still can
/// be.
struct Change
{
    std::string words;
    std::function<void(HandoffScenario&)> change;
};

void
WhatCannotBeRunIsRefused(FunctionCase& test)
{
    using S = HandoffScenario;
    for (const auto& [words, change] : std::vector<Change>{
             {"", [](S&) {}},
             {"brokers: at least 1", [](S& s) { s.brokers = 0; }},
             {"brokers: at least 1", [](S& s) { s.brokers = FIRST_HANDOFF_SUBSCRIBER; }},
             {"subscribers: 1 to 50000", [](S& s) { s.subscribers = 0; }},
             {"", [](S& s) { s.subscribers = 50000; }},
             {"subscribers: 1 to 50000", [](S& s) { s.subscribers = 50001; }},
             {"", [](S& s) { s.rate = 0, s.closedLoop = true; }},
             {"event bytes: 6 to 65535", [](S& s) { s.eventBytes = 5; }},
             {"", [](S& s) { s.eventBytes = 6; }},
             {"", [](S& s) { s.eventBytes = 65535; }},
             {"event bytes: 6 to 65535", [](S& s) { s.eventBytes = 65536; }},
             {"", [](S& s) { s.queueBytes = s.eventBytes; }},
             {"queue bytes: at least one event", [](S& s) { s.queueBytes = s.eventBytes - 1; }},
             {"moves: between brokers 1 to 2", [](S& s) { s.AddMove(0, 1); }},
             {"moves: between brokers 1 to 2", [](S& s) { s.AddMove(1, 0); }},
             {"moves: between brokers 1 to 2", [](S& s) { s.AddMove(3, 1); }},
             {"moves: between brokers 1 to 2", [](S& s) { s.AddMove(1, 3); }},
             {"moves: at least one from every broker", [](S& s) { s.moves = {{1, 2}, {1, 1}}; }},
             {"links: one tree of all brokers", [](S& s) { s.links.clear(); }},
             {"links: one tree of all brokers", [](S& s) { s.AddLink(2, 1); }},
             {"links: between brokers 1 to 2", [](S& s) { s.links = {{1, 3}}; }},
             {"links: between brokers 1 to 2", [](S& s) { s.links = {{0, 1}}; }},
             {"root: a broker, 1 to 2", [](S& s) { s.root = 0; }},
             {"root: a broker, 1 to 2", [](S& s) { s.root = 3; }},
             {"bandwidth: at least 1000 bit/s", [](S& s) { s.bandwidth = 999; }},
             {"bandwidth: at least 1000 bit/s", [](S& s) { s.bandwidth = -1000; }},
             {"", [](S& s) { s.bandwidth = 1000; }}})
    {
        auto scenario = MakeScenario();
        change(scenario);
        const auto told = GetFault(scenario);
        test.Expect(words.empty() ? told.empty() : told.starts_with(words), words + ": " + told);
    }
}

class HandoffScenarioSuite : public ns3::TestSuite
{
  public:
    HandoffScenarioSuite()
        : TestSuite("mftpubsub-handoff-scenario", Type::UNIT)
    {
        Add("Numbers have bounds", NumbersHaveBounds);
        Add("Costs have bounds", CostsHaveBounds);
        Add("What cannot be run is refused", WhatCannotBeRunIsRefused);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

HandoffScenarioSuite g_handoffScenario;

} // namespace

} // namespace mftpubsub::handoff_scenario_test
