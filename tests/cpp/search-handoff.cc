/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "search-handoff.h"

#include "lab/handoff/handoff-lab.h"

#include <algorithm>
#include <random>
#include <set>

namespace mftpubsub
{

namespace
{

constexpr uint32_t BROKERS = 6;
constexpr uint64_t SETTLE_LIMIT = 100000;
constexpr uint64_t EVENT_BYTES = 40; //!< more than an event of the laboratory takes in a buffer

std::string
Broker(uint64_t index)
{
    return "b" + std::to_string(index + 1);
}

/// What a schedule draws beside its operations.
struct Drawn
{
    uint32_t ackBatch{1};
    uint32_t publishers{1};
};

Drawn
Draw(const HandoffSearch& search, uint64_t seed)
{
    if (!search.drawsBatches)
    {
        return {1, search.publishers};
    }
    std::mt19937_64 random(~seed);
    const auto ackBatch = static_cast<uint32_t>(random() % 12 + 1);
    return {ackBatch, static_cast<uint32_t>(random() % BROKERS + 1)};
}

HandoffLabOptions
MakeOptions(const HandoffSearch& search, uint64_t seed)
{
    const auto [ackBatch, publishers] = Draw(search, seed);
    HandoffLabOptions options;
    options.scheme = search.scheme;
    options.ackBatch = ackBatch;
    if (search.drawsQueues)
    {
        options.queueBytes = (1 + seed % 8) * EVENT_BYTES;
    }
    options.hasLanes = search.hasLanes;
    options.home = search.hasHomes;
    options.filtersInReconnect = search.carriesFilters;
    options.root = Broker(seed % BROKERS);
    for (uint32_t publisher = 0; publisher < publishers; ++publisher)
    {
        options.publishers.push_back(Broker(publisher));
    }
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
/// @return who unsubscribed before its end
std::set<std::string>
Run(const HandoffSearch& search, uint64_t seed, HandoffLab& lab, uint64_t& moves)
{
    std::mt19937_64 random(seed);
    const auto publishers = Draw(search, seed).publishers;
    std::set<std::string> left;
    uint32_t events = 0;
    const auto draw = [&](uint64_t number) { return number == 1 ? 0 : random() % number; };
    const auto publish = [&] {
        lab.Publish("e" + std::to_string(++events), Broker(draw(publishers)));
    };
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
    // What a broker that was never visited missed, these never bring: visit all first.
    const auto visitsAll = search.scheme == "durable" || search.scheme == "mqtt-session";
    const auto visit = [&](const std::string& name, uint64_t first) {
        for (auto broker = first; broker < BROKERS; ++broker)
        {
            lab.Disconnect(name);
            lab.Connect(name, Broker(broker));
        }
    };
    const auto redirect = [&](const std::string& name) {
        for (uint32_t broker = 0; broker < BROKERS; ++broker)
        {
            lab.Ping(name, Broker(broker), 20);
        }
        lab.Ping(name, Broker(random() % BROKERS), 1);
        lab.Balance();
    };
    for (uint32_t subscriber = 1; subscriber <= search.subscribers; ++subscriber)
    {
        const auto name = "s" + std::to_string(subscriber);
        lab.Subscribe(name, visitsAll ? "b1" : Broker(random() % BROKERS), "");
        if (visitsAll)
        {
            visit(name, 1);
        }
    }
    lab.Settle(SETTLE_LIMIT);
    for (uint32_t move = 0; move < search.moves; ++move)
    {
        const auto name = "s" + std::to_string(1 + draw(search.subscribers));
        publish();
        interleave();
        if (search.leavesMeanwhile && (left.contains(name) || random() % 3 == 0))
        {
            if (left.insert(name).second)
            {
                lab.Unsubscribe(name);
            }
            continue;
        }
        if (search.isRedirected)
        {
            redirect(name);
            ++moves;
            continue;
        }
        if (search.isAnnounced)
        {
            lab.MoveOut(name, true);
        }
        else
        {
            lab.Disconnect(name);
        }
        interleave();
        if (search.isSettledBetween)
        {
            lab.Settle(SETTLE_LIMIT);
        }
        lab.Connect(name, Broker(random() % BROKERS));
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
    lab.Settle(SETTLE_LIMIT);
    for (uint32_t subscriber = 1; subscriber <= search.subscribers; ++subscriber)
    {
        const auto name = "s" + std::to_string(subscriber);
        if (visitsAll)
        {
            visit(name, 0);
        }
        if (search.unsubscribes && !left.contains(name))
        {
            lab.Unsubscribe(name);
        }
    }
    lab.Settle(SETTLE_LIMIT);
    return left;
}

} // namespace

HandoffFindings
Search(const HandoffSearch& search)
{
    HandoffFindings findings;
    for (uint64_t index = 0; index < search.schedules; ++index)
    {
        const auto seed = search.firstSeed + index;
        auto options = MakeOptions(search, seed);
        options.isLogging = false;
        HandoffLab lab(options);
        const auto left = Run(search, seed, lab, findings.moves);
        ++findings.schedules;
        findings.messages += lab.CountMessages();
        std::set<std::string> classes;
        const auto isWaived = [&](const std::string& violation) {
            return std::ranges::any_of(left, [&](const std::string& name) {
                return violation.starts_with("lost: " + name + " "); // it did not wait for it
            });
        };
        for (const auto& violation : lab.FindViolations())
        {
            if (isWaived(violation))
            {
                continue;
            }
            classes.insert(violation.substr(0, violation.find(':')));
        }
        if (lab.CountDuplicates() > 0)
        {
            classes.insert("duplicate");
        }
        if (lab.CountDisorder() > 0)
        {
            classes.insert("disorder");
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
    HandoffLab lab(MakeOptions(search, seed));
    uint64_t moves = 0;
    Run(search, seed, lab, moves);
    std::vector<std::string> lines;
    for (const auto& line : lab.TakeLog())
    {
        lines.push_back(line.text);
    }
    for (const auto& violation : lab.FindViolations())
    {
        lines.push_back(violation);
    }
    return lines;
}

} // namespace mftpubsub
