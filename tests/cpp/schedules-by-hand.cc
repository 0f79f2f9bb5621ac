/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Searches by hand, larger than those of the tests (docs/protocols.md has what they gave):
 *
 *   search-schedules random PROTOCOL BROKERS OPERATIONS FIRST-SEED SCHEDULES [unseen] [strict]
 *   search-schedules all PROTOCOL BROKERS SEEN UNSEEN STATES [VERB ...]
 *   search-schedules hand-off SCHEME MOVES FIRST-SEED SCHEDULES [settled] [learnt] [unsubscribing]
 *       [home] [filters] [redirected] [announced] [hard] [drawn] [bounded]
 *   search-schedules mesh FIRST-SEED WORLDS
 *
 * random: schedules with everything in them, with "unseen" also losses of which nobody is told,
 * with "strict" (mft-pubsub-r) limits as small as 1 and events to everybody at the end.
 * mesh: random worlds, with every option and limit of the mesh drawn.
 * hand-off: one subscriber that moves among six brokers, hand-offs overlapping unless settled;
 * hard: three of them and three publishers, and stored events that are slower than the rest;
 * drawn: batches of acknowledgements, and how many publishers there are, by schedule; bounded:
 * buffers of a few events, which loses some by design. all:
 * whatever SEEN commands (of those with these verbs) and UNSEEN ones can do, in every order. A
 * search that meets STATES states stops there, and fails.
 */
#include "search-handoff.h"
#include "search-lab.h"
#include "search-mesh.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace mftpubsub;

namespace
{

int
SearchRandomly(const std::vector<std::string>& words)
{
    RandomOptions options;
    options.protocol = words.at(1);
    options.brokers = std::stoi(words.at(2));
    options.operations = std::stoi(words.at(3));
    options.crashes = true;
    options.filters = true;
    const std::set<std::string> how(words.begin() + 6, words.end());
    options.unseen = how.contains("unseen");
    options.strict = how.contains("strict");
    const auto first = std::stoull(words.at(4));
    const auto last = first + std::stoull(words.at(5)) - 1;
    uint64_t violations = 0;
    for (auto seed = first; seed <= last; ++seed)
    {
        const auto [schedule, outcome] = DrawSchedule(options, seed);
        const auto violation = outcome.GetClass();
        if (!violation.empty() && ++violations <= 3)
        {
            std::cout << Shrink(schedule, violation).ToTranscript("# seed " + std::to_string(seed));
        }
    }
    std::cout << violations << " of " << last - first + 1 << " schedules violate an invariant\n";
    return violations == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Leaves of @p commands those with one of @p verbs; without verbs, all.
void
KeepVerbs(std::vector<std::string>& commands, const std::set<std::string>& verbs)
{
    const auto verb = [](const std::string& command) {
        return command.substr(0, command.find(' '));
    };
    std::set<std::string> known;
    std::ranges::transform(commands, std::inserter(known, known.end()), verb);
    for (const auto& given : verbs)
    {
        if (!known.contains(given))
        {
            std::cerr << "no SEEN command has the verb " << given << "; the verbs are:";
            std::ranges::for_each(known, [](const auto& each) { std::cerr << ' ' << each; });
            std::cerr << "\n";
            throw std::invalid_argument(given);
        }
    }
    std::erase_if(commands, [&](const std::string& command) {
        return !verbs.empty() && !verbs.contains(verb(command));
    });
}

int
SearchAll(const std::vector<std::string>& words)
{
    Schedule start;
    start.options.protocol = words.at(1);
    start.options.root = "b1";
    std::vector<std::string> brokers{"b1"};
    for (int i = 2; i <= std::stoi(words.at(2)); ++i)
    {
        brokers.push_back("b" + std::to_string(i));
        start.options.links.emplace_back("b" + std::to_string(i / 2), brokers.back());
    }
    start.setup = {"subscribe s1 at " + brokers.back() + " where topic = 'f'"};
    auto seen = MakeSeenCommands(brokers);
    KeepVerbs(seen, {words.begin() + std::min<ptrdiff_t>(6, std::ssize(words)), words.end()});
    const auto found = ExploreFreely(
        start,
        {{seen, std::stoi(words.at(3))}, {MakeUnseenCommands(brokers), std::stoi(words.at(4))}},
        std::stoull(words.at(5)));
    std::cout << found.states << " states, " << found.ends << " quiet; "
              << (found.violated ? found.violated->ToTranscript("# " + found.violation)
                  : found.complete
                      ? "no violation\n"
                      : "no violation so far, and not all was searched: cut at the limit\n");
    return found.violated || !found.complete ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
SearchHandoffs(const std::vector<std::string>& words)
{
    HandoffSearch search;
    search.scheme = words.at(1);
    search.moves = static_cast<uint32_t>(std::stoul(words.at(2)));
    search.firstSeed = std::stoull(words.at(3));
    search.schedules = std::stoull(words.at(4));
    const std::set<std::string> how(words.begin() + 5, words.end());
    search.isSettledBetween = how.contains("settled");
    search.knowsGraph = !how.contains("learnt");
    search.unsubscribes = how.contains("unsubscribing");
    search.isRedirected = how.contains("redirected");
    search.hasHomes = how.contains("home");
    search.carriesFilters = how.contains("filters");
    search.isAnnounced = how.contains("announced");
    search.drawsBatches = how.contains("drawn");
    search.drawsQueues = how.contains("bounded");
    if (how.contains("hard"))
    {
        search.subscribers = 3;
        search.publishers = 3;
        search.hasLanes = true;
    }
    const auto found = Search(search);
    for (const auto& [name, schedules] : found.violated)
    {
        std::cout << name << " in " << schedules << ", first by seed " << found.example.at(name)
                  << "\n";
    }
    std::cout << found.schedules << " schedules, " << found.moves << " moves, " << found.messages
              << " messages\n";
    return found.violated.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
SearchMesh(const std::vector<std::string>& words)
{
    const auto first = static_cast<uint32_t>(std::stoul(words.at(1)));
    const auto worlds = static_cast<uint32_t>(std::stoul(words.at(2)));
    uint32_t violations = 0;
    for (uint32_t seed = first; seed - first < worlds; ++seed)
    {
        const auto wrong = MeshWorld(seed).Run();
        if (!wrong.empty() && ++violations <= 10)
        {
            std::cout << "world " << seed << ": " << wrong.front() << std::endl;
        }
    }
    std::cout << violations << " of " << worlds << " worlds violate an invariant\n";
    return violations == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int
main(int argc, char** argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    try
    {
        if (words.at(0) == "hand-off")
        {
            return SearchHandoffs(words);
        }
        if (words.at(0) == "mesh")
        {
            return SearchMesh(words);
        }
        return words.at(0) == "random" ? SearchRandomly(words) : SearchAll(words);
    }
    catch (const std::exception&)
    {
        std::cerr << "usage: search-schedules random PROTOCOL BROKERS OPERATIONS FIRST SCHEDULES "
                     "[unseen] [strict]\n"
                     "       search-schedules all PROTOCOL BROKERS SEEN UNSEEN STATES [VERB ...]\n"
                     "       search-schedules hand-off SCHEME MOVES FIRST SCHEDULES [settled] "
                     "[learnt] [unsubscribing] [home] [filters] [redirected] [announced] [hard] "
                     "[drawn] [bounded]\n"
                     "       search-schedules mesh FIRST WORLDS\n";
        return EXIT_FAILURE;
    }
}
