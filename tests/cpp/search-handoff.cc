/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "search-handoff.h"

#include "lab/handoff-lab.h"

#include <random>
#include <set>

namespace mftpubsub
{

namespace
{

constexpr uint32_t BROKERS = 6;
constexpr uint64_t SETTLE_LIMIT = 100000;

std::string
Broker(uint64_t index)
{
    return "b" + std::to_string(index + 1);
}

HandoffLabOptions
MakeOptions(const HandoffSearch& search)
{
    HandoffLabOptions options;
    options.scheme = search.scheme;
    // G figure 3, of which the thick lines are a tree for those schemes that route
    options.links = {{"b1", "b2"}, {"b2", "b3"}, {"b3", "b4"}, {"b3", "b5"}, {"b3", "b6"}};
    if (search.knowsGraph)
    {
        options.neighbours = options.links;
        options.neighbours.insert(options.neighbours.end(),
                                  {{"b1", "b6"}, {"b2", "b6"}, {"b4", "b6"}});
    }
    return options;
}

/// One schedule: moves, publications and steps, drawn at random.
void
Run(const HandoffSearch& search, uint64_t seed, HandoffLab& lab, uint64_t& moves)
{
    std::mt19937_64 random(seed);
    uint32_t events = 0;
    const auto publish = [&] { lab.Publish("e" + std::to_string(++events), "b1"); };
    const auto interleave = [&] {
        while (random() % 3 != 0)
        {
            if (random() % 3 == 0)
            {
                publish();
            }
            else
            {
                lab.StepChoice(random());
            }
        }
    };
    if (search.scheme == "durable")
    {
        // What a broker that was never visited missed, durable never brings: visit all first.
        lab.Subscribe("s1", "b1", "");
        for (uint64_t broker = 1; broker < BROKERS; ++broker)
        {
            lab.Disconnect("s1");
            lab.Connect("s1", Broker(broker));
        }
    }
    else
    {
        lab.Subscribe("s1", Broker(random() % BROKERS), "");
    }
    lab.Settle(SETTLE_LIMIT);
    for (uint32_t move = 0; move < search.moves; ++move)
    {
        publish();
        interleave();
        lab.Disconnect("s1");
        interleave();
        if (search.isSettledBetween)
        {
            lab.Settle(SETTLE_LIMIT);
        }
        lab.Connect("s1", Broker(random() % BROKERS));
        ++moves;
        interleave();
        if (search.isSettledBetween)
        {
            lab.Settle(SETTLE_LIMIT);
        }
    }
    while (lab.StepChoice(random()))
    {
    }
    publish();
    if (search.scheme == "durable")
    {
        for (uint64_t broker = 0; broker < BROKERS; ++broker)
        {
            lab.Disconnect("s1");
            lab.Connect("s1", Broker(broker));
        }
    }
    if (search.unsubscribes)
    {
        lab.Unsubscribe("s1");
    }
    lab.Settle(SETTLE_LIMIT);
}

} // namespace

HandoffFindings
Search(const HandoffSearch& search)
{
    HandoffFindings findings;
    for (uint64_t index = 0; index < search.schedules; ++index)
    {
        const auto seed = search.firstSeed + index;
        HandoffLab lab(MakeOptions(search));
        Run(search, seed, lab, findings.moves);
        ++findings.schedules;
        findings.messages += lab.CountMessages();
        std::set<std::string> classes;
        for (const auto& violation : lab.FindViolations())
        {
            classes.insert(violation.substr(0, violation.find(':')));
        }
        if (lab.CountDuplicates() > 0)
        {
            classes.insert("duplicate");
        }
        for (const auto& name : classes)
        {
            ++findings.violated[name];
            findings.example.emplace(name, seed);
        }
    }
    return findings;
}

std::vector<std::string>
Replay(const HandoffSearch& search, uint64_t seed)
{
    HandoffLab lab(MakeOptions(search));
    uint64_t moves = 0;
    Run(search, seed, lab, moves);
    auto lines = lab.TakeLog();
    for (const auto& violation : lab.FindViolations())
    {
        lines.push_back(violation);
    }
    return lines;
}

} // namespace mftpubsub
