/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "search-lab.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <unordered_set>

namespace mftpubsub
{

namespace
{

constexpr uint64_t ENDLESS = 3000; //!< steps after which messages are taken to circulate for ever

std::string
CutClass(const std::string& violation)
{
    return violation.substr(0, violation.find(':'));
}

/// The words of a command; the condition after "where" is one word.
std::vector<std::string>
Split(const std::string& command)
{
    std::vector<std::string> words;
    std::istringstream text(command);
    std::string word;
    while (text >> word)
    {
        words.push_back(word);
        if (word == "where")
        {
            std::getline(text >> std::ws, word);
            words.push_back(word);
        }
    }
    return words;
}

LabEvent
OfTopic(const std::string& topic)
{
    LabAttribute attribute;
    attribute.name = "topic";
    attribute.text = topic;
    return LabEvent{{attribute}};
}

void
DoCommand(TreeLab& lab, const std::vector<std::string>& words)
{
    const auto& verb = words.at(0);
    if (verb == "subscribe")
    {
        const auto isNew = words.at(2) == "at";
        lab.Subscribe(words[1], isNew ? words.at(3) : "", words.back());
    }
    else if (verb == "unsubscribe")
    {
        lab.Unsubscribe(words.at(1), words.back());
    }
    else if (verb == "publish") // publish P at B topic='x'
    {
        const auto& topic = words.at(4);
        lab.Publish(words[1], words.at(3), OfTopic(topic.substr(7, topic.size() - 8)));
    }
    else if (verb == "connect")
    {
        lab.Connect(words.at(1), words.at(2));
    }
    else if (verb == "disconnect")
    {
        lab.Disconnect(words.at(1), words.at(2));
    }
    else if (verb == "migrate")
    {
        lab.Migrate(words.at(1), words.at(3));
    }
    else if (verb == "move")
    {
        lab.Move(words.at(1), words.at(3));
    }
    else if (verb == "crash")
    {
        lab.Crash(words.at(1));
    }
    else if (verb == "restart" && words.back() == "silently")
    {
        lab.RestartSilently(words.at(1));
    }
    else if (verb == "restart")
    {
        lab.Restart(words.at(1));
    }
    else if (verb == "drop")
    {
        lab.Drop(words.at(1), words.at(2));
    }
    else if (verb == "deny")
    {
        lab.Deny(words.at(1), words.at(2));
    }
    else if (verb == "lose")
    {
        lab.Lose(words.at(1), words.at(2));
    }
    else if (verb == "slip")
    {
        lab.Slip(words.at(1), words.at(3));
    }
    else if (verb == "step")
    {
        lab.StepLink(words.at(1), words.at(2));
    }
    else if (verb == "settle")
    {
        lab.Settle(ENDLESS);
    }
    else
    {
        throw std::logic_error("no command: " + verb);
    }
}

/// Publishes one event of each topic at every broker, of which each is awaited.
/// @return what has not come, or not once
std::vector<std::string>
Probe(TreeLab& lab)
{
    std::vector<std::string> violations;
    for (const auto& broker : lab.GetBrokers())
    {
        for (const auto* topic : {"f0", "f1"})
        {
            const auto event = lab.Publish("probe-" + broker, broker, OfTopic(topic));
            lab.Settle(ENDLESS);
            for (const auto& subscriber : lab.FindWanting(OfTopic(topic)))
            {
                const auto copies = std::ranges::count(lab.GetDelivered(subscriber), event);
                if (copies != 1)
                {
                    violations.push_back("undelivered: " + event + " to " + subscriber + ", " +
                                         std::to_string(copies) + " copies");
                }
            }
        }
    }
    return violations;
}

Outcome
Finish(TreeLab& lab, bool probed = false)
{
    Outcome outcome;
    try
    {
        lab.Settle(ENDLESS);
        outcome.violations = lab.FindViolations();
        if (probed && outcome.violations.empty())
        {
            outcome.violations = Probe(lab);
        }
    }
    catch (const std::runtime_error& error)
    {
        outcome.violations.push_back(std::string("endless: ") + error.what());
    }
    outcome.sent = lab.CountSent();
    return outcome;
}

} // namespace

std::string
Schedule::ToTranscript(const std::string& comment) const
{
    std::string text = comment + "\n\nlab " + options.protocol + " root=" + options.root;
    for (const auto& [one, other] : options.links)
    {
        text += " " + one + "-" + other;
    }
    text += "\n";
    for (const auto& command : setup)
    {
        text += command + "\n";
    }
    text += "settle quietly\n\n";
    for (const auto& command : commands)
    {
        text += command + "\n";
    }
    return text + "settle\nviolations\n";
}

std::string
Outcome::GetClass() const
{
    return violations.empty() ? "" : CutClass(violations.front());
}

bool
RunCommand(TreeLab& lab, const std::string& command)
{
    try
    {
        DoCommand(lab, Split(command));
        return true;
    }
    catch (const LabError&)
    {
        return false;
    }
}

TreeLab
SetUp(const Schedule& schedule)
{
    TreeLab lab(schedule.options);
    lab.SetLogging(false);
    for (const auto& command : schedule.setup)
    {
        if (!RunCommand(lab, command))
        {
            throw std::logic_error("bad setup: " + command);
        }
    }
    lab.Settle(ENDLESS);
    return lab;
}

Outcome
RunSchedule(const Schedule& schedule)
{
    auto lab = SetUp(schedule);
    const auto before = lab.CountSent();
    try
    {
        for (const auto& command : schedule.commands)
        {
            RunCommand(lab, command);
        }
    }
    catch (const std::runtime_error& error)
    {
        return {{std::string("endless: ") + error.what()}, lab.CountSent() - before};
    }
    auto outcome = Finish(lab, schedule.probed);
    outcome.sent -= before;
    return outcome;
}

namespace
{

/// Draws a random schedule by running it.
class RandomScheduler
{
  public:
    RandomScheduler(const RandomOptions& options, uint64_t seed)
        : m_options(options),
          m_random(seed)
    {
    }

    DrawnSchedule DrawAll()
    {
        m_schedule.options.protocol = m_options.protocol;
        m_schedule.options.root = "b1";
        m_schedule.probed = m_options.strict;
        if (m_options.strict)
        {
            m_schedule.options.addressing.early = 1 + static_cast<size_t>(Draw(3));
            m_schedule.options.addressing.copies = 1 + static_cast<size_t>(Draw(4));
        }
        for (int i = 2; i <= m_options.brokers; ++i)
        {
            m_schedule.options.links.emplace_back(Name('b', Draw(i - 1) + 1), Name('b', i));
        }
        for (int i = 1; i <= m_options.subscribers; ++i)
        {
            m_schedule.setup.push_back("subscribe " + Name('s', i) + " at " + AnyBroker() +
                                       " where topic = 'f" + std::to_string(Draw(2)) + "'");
        }
        m_lab = std::make_unique<TreeLab>(SetUp(m_schedule));
        const auto before = m_lab->CountSent();
        for (int i = 0; i < m_options.operations; ++i)
        {
            Attempt([this] { return Operation(); });
            Pause();
        }
        Heal();
        auto outcome = Finish(*m_lab, m_schedule.probed);
        outcome.sent -= before;
        return {m_schedule, outcome};
    }

  private:
    int Draw(int below)
    {
        return static_cast<int>(m_random() % static_cast<uint64_t>(below));
    }

    static std::string Name(char kind, int number)
    {
        return kind + std::to_string(number);
    }

    std::string AnyBroker()
    {
        return Name('b', Draw(m_options.brokers) + 1);
    }

    std::string AnySubscriber()
    {
        return Name('s', Draw(m_options.subscribers) + 1);
    }

    /// @return who has something under way to whom
    std::string AnyUnderWay()
    {
        const auto pending = m_lab->GetPending();
        const auto& [from, to] =
            pending[static_cast<size_t>(Draw(static_cast<int>(pending.size())))];
        return from + " " + to;
    }

    std::string AnyTopic()
    {
        return "topic = 'f" + std::to_string(Draw(2)) + "'";
    }

    std::string Operation()
    {
        std::vector<std::function<std::string()>> kinds{
            [this] { return "migrate " + AnyBroker() + " to " + AnyBroker(); }};
        if (m_options.partitions)
        {
            kinds.push_back([this] { return "disconnect " + AnyBroker() + " " + AnyBroker(); });
            kinds.push_back([this] { return "connect " + AnyBroker() + " " + AnyBroker(); });
        }
        if (m_options.moves)
        {
            kinds.push_back([this] { return "move " + AnySubscriber() + " to " + AnyBroker(); });
        }
        if (m_options.crashes)
        {
            kinds.push_back([this] { return "crash " + AnyBroker(); });
            kinds.push_back([this] { return "restart " + AnyBroker(); });
        }
        if (m_options.filters)
        {
            kinds.push_back(
                [this] { return "subscribe " + AnySubscriber() + " where " + AnyTopic(); });
            kinds.push_back(
                [this] { return "unsubscribe " + AnySubscriber() + " where " + AnyTopic(); });
        }
        if (m_options.unseen)
        {
            if (!m_lab->GetPending().empty())
            {
                kinds.push_back([this] { return "drop " + AnyUnderWay(); });
                kinds.push_back([this] { return "deny " + AnyUnderWay(); });
            }
            kinds.push_back([this] { return "lose " + AnyBroker() + " " + AnyBroker(); });
            kinds.push_back([this] { return "restart " + AnyBroker() + " silently"; });
            kinds.push_back([this] { return "slip " + AnySubscriber() + " to " + AnyBroker(); });
        }
        if (m_options.events)
        {
            kinds.push_back([this] {
                return "publish p1 at " + AnyBroker() + " topic='f" + std::to_string(Draw(2)) + "'";
            });
        }
        return kinds[static_cast<size_t>(Draw(static_cast<int>(kinds.size())))]();
    }

    /// Draws until a command makes sense.
    template <typename DrawCommand>
    void Attempt(DrawCommand draw)
    {
        for (int attempt = 0; attempt < 50; ++attempt)
        {
            const auto command = draw();
            if (RunCommand(*m_lab, command))
            {
                m_schedule.commands.push_back(command);
                return;
            }
        }
    }

    void Step()
    {
        m_schedule.commands.push_back("step " + AnyUnderWay());
        RunCommand(*m_lab, m_schedule.commands.back());
    }

    /// Lets some messages arrive, or all of them.
    void Pause()
    {
        const auto steps = m_options.overlapping ? Draw(8) : static_cast<int>(ENDLESS);
        for (int i = 0; i < steps; ++i)
        {
            if (m_lab->GetPending().empty())
            {
                return;
            }
            Step();
        }
    }

    /// Brings every broker back and all of them together.
    void Heal()
    {
        for (const auto& broker : m_lab->GetBrokers())
        {
            if (RunCommand(*m_lab, "restart " + broker))
            {
                m_schedule.commands.push_back("restart " + broker);
                Pause();
            }
        }
        for (int i = 0; i < 4 * m_options.brokers * m_options.brokers; ++i)
        {
            const auto command = "connect " + AnyBroker() + " " + AnyBroker();
            if (RunCommand(*m_lab, command))
            {
                m_schedule.commands.push_back(command);
                Pause();
            }
        }
        for (uint64_t i = 0; i < ENDLESS && !m_lab->GetPending().empty(); ++i)
        {
            Step();
        }
    }

    RandomOptions m_options;
    std::mt19937_64 m_random;
    Schedule m_schedule;
    std::unique_ptr<TreeLab> m_lab;
};

} // namespace

DrawnSchedule
DrawSchedule(const RandomOptions& options, uint64_t seed)
{
    return RandomScheduler(options, seed).DrawAll();
}

Schedule
Shrink(Schedule schedule, const std::string& violation)
{
    const auto fails = [&violation](const Schedule& candidate) {
        return RunSchedule(candidate).GetClass() == violation;
    };
    for (auto chunk = std::max<size_t>(1, schedule.commands.size() / 2); chunk > 0; chunk /= 2)
    {
        for (bool shorter = true; shorter;)
        {
            shorter = false;
            for (size_t at = schedule.commands.size(); at > 0;)
            {
                const auto from = at > chunk ? at - chunk : 0;
                auto candidate = schedule;
                const auto begin = candidate.commands.begin();
                candidate.commands.erase(begin + static_cast<ptrdiff_t>(from),
                                         begin + static_cast<ptrdiff_t>(at));
                if (fails(candidate))
                {
                    schedule = std::move(candidate);
                    shorter = true;
                }
                at = from;
            }
        }
    }
    auto lab = SetUp(schedule); // commands that make no sense were never part of it
    std::erase_if(schedule.commands,
                  [&lab](const auto& command) { return !RunCommand(lab, command); });
    return schedule;
}

namespace
{

/// A state of the search: how it was reached is kept apart, for the report.
struct Node
{
    std::shared_ptr<const TreeLab> lab;
    size_t next{0};  //!< index of the next command
    size_t trail{0}; //!< index of the step that led here
};

struct Step
{
    size_t before{0};
    std::string command;
};

std::vector<std::string>
Retrace(const std::vector<Step>& trail, size_t at)
{
    std::vector<std::string> commands;
    for (; at > 0; at = trail[at].before)
    {
        commands.push_back(trail[at].command);
    }
    std::ranges::reverse(commands);
    return commands;
}

/// Orders of deliveries that commute matter only where a command may come between them.
std::vector<size_t>
FindChoices(const TreeLab& lab, size_t pending, bool reduces)
{
    if (reduces)
    {
        return lab.GetPersistentChoices();
    }
    std::vector<size_t> all(pending);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

} // namespace

Exploration
Explore(const Schedule& schedule, uint64_t limit, bool reduces)
{
    Exploration result;
    std::unordered_set<size_t>
        visited; // hashes of 64 bits: 10^7 states collide with odds of 1:10^5
    std::vector<Step> trail(1);
    std::deque<Node> open;
    open.push_back({std::make_shared<const TreeLab>(SetUp(schedule)), 0, 0});
    const auto enter = [&](const Node& from, std::unique_ptr<TreeLab> lab, std::string command) {
        const auto next = from.next + (command.starts_with("step ") ? 0 : 1);
        const auto digest = std::to_string(next) + '\n' + lab->GetDigest();
        if (visited.insert(std::hash<std::string>{}(digest)).second)
        {
            trail.push_back({from.trail, std::move(command)});
            open.push_back(
                {std::shared_ptr<const TreeLab>(std::move(lab)), next, trail.size() - 1});
        }
    };
    while (!open.empty() && !result.violated)
    {
        const auto node = open.front();
        open.pop_front();
        if (++result.states >= limit)
        {
            result.complete = false;
            return result;
        }
        const auto pending = node.lab->GetPending();
        const auto isSpent = node.next == schedule.commands.size();
        for (const auto i : FindChoices(*node.lab, pending.size(), isSpent && reduces))
        {
            auto lab = std::make_unique<TreeLab>(*node.lab);
            lab->StepChoice(i);
            enter(node, std::move(lab), "step " + pending[i].first + " " + pending[i].second);
        }
        if (!isSpent)
        {
            auto lab = std::make_unique<TreeLab>(*node.lab);
            const auto& command = schedule.commands[node.next];
            RunCommand(*lab, command);
            enter(node, std::move(lab), command);
        }
        else if (pending.empty())
        {
            ++result.ends;
            const auto violations = node.lab->FindViolations();
            if (!violations.empty())
            {
                result.violation = CutClass(violations.front());
                result.violated = schedule;
                result.violated->commands = Retrace(trail, node.trail);
            }
        }
    }
    return result;
}

namespace
{

/// Depth-first search through what commands and deliveries can do.
class FreeSearch
{
  public:
    FreeSearch(const Schedule& start,
               const std::vector<Vocabulary>& vocabularies,
               uint64_t limit,
               bool reduces)
        : m_start(start),
          m_vocabularies(vocabularies),
          m_limit(limit),
          m_reduces(reduces)
    {
    }

    Exploration Search()
    {
        Budgets budgets;
        for (const auto& vocabulary : m_vocabularies)
        {
            budgets.push_back(vocabulary.budget);
        }
        Visit(SetUp(m_start), budgets);
        return m_result;
    }

  private:
    using Budgets = std::vector<int>; //!< commands left of each vocabulary

    static std::string Describe(const Budgets& budgets)
    {
        std::string text;
        for (const auto budget : budgets)
        {
            text += std::to_string(budget) + " ";
        }
        return text;
    }

    void Visit(const TreeLab& lab, const Budgets& budgets)
    {
        if (m_result.violated || !m_result.complete)
        {
            return;
        }
        const auto state = std::hash<std::string>{}(Describe(budgets) + lab.GetDigest());
        if (m_onPath.contains(state)) // messages can go round: do they even if none is kept back?
        {
            JudgeCircle(lab);
        }
        if (!m_visited.insert(state).second)
        {
            return;
        }
        if (++m_result.states >= m_limit)
        {
            m_result.complete = false;
            return;
        }
        const auto pending = lab.GetPending();
        if (pending.empty())
        {
            ++m_result.ends;
            Judge(lab.FindViolations());
        }
        m_onPath.insert(state);
        const auto isSpent = std::ranges::all_of(budgets, [](int left) { return left == 0; });
        for (const auto i : FindChoices(lab, pending.size(), isSpent && m_reduces))
        {
            TreeLab next(lab);
            next.StepChoice(i);
            Follow("step " + pending[i].first + " " + pending[i].second, next, budgets);
        }
        for (size_t i = 0; i < m_vocabularies.size(); ++i)
        {
            if (budgets[i] > 0)
            {
                auto left = budgets;
                --left[i];
                TryAll(lab, m_vocabularies[i].commands, left);
            }
        }
        m_onPath.erase(state);
    }

    void TryAll(const TreeLab& lab, const std::vector<std::string>& commands, const Budgets& left)
    {
        for (const auto& command : commands)
        {
            TreeLab next(lab);
            if (RunCommand(next, command))
            {
                Follow(command, next, left);
            }
        }
    }

    void JudgeCircle(TreeLab lab)
    {
        const auto outcome = Finish(lab);
        if (outcome.GetClass() == "endless")
        {
            Judge(outcome.violations);
        }
    }

    void Follow(const std::string& command, const TreeLab& next, const Budgets& budgets)
    {
        m_path.push_back(command);
        Visit(next, budgets);
        m_path.pop_back();
    }

    void Judge(const std::vector<std::string>& violations)
    {
        if (!violations.empty())
        {
            m_result.violation = CutClass(violations.front());
            m_result.violated = m_start;
            m_result.violated->commands = m_path;
        }
    }

    const Schedule& m_start;
    const std::vector<Vocabulary>& m_vocabularies;
    uint64_t m_limit;
    bool m_reduces;
    Exploration m_result;
    std::unordered_set<size_t> m_visited;
    std::unordered_set<size_t> m_onPath;
    std::vector<std::string> m_path;
};

} // namespace

Exploration
ExploreFreely(const Schedule& start,
              const std::vector<Vocabulary>& vocabularies,
              uint64_t limit,
              bool reduces)
{
    return FreeSearch(start, vocabularies, limit, reduces).Search();
}

std::vector<std::string>
MakeSeenCommands(const std::vector<std::string>& brokers)
{
    std::vector<std::string> commands{"unsubscribe s1 where topic = 'f'",
                                      "subscribe s1 where topic = 'g'"};
    for (const auto& one : brokers)
    {
        commands.push_back("crash " + one);
        commands.push_back("restart " + one);
        commands.push_back("move s1 to " + one);
        commands.push_back("publish p" + one + " at " + one + " topic='f'");
        for (const auto& other : brokers)
        {
            commands.push_back("migrate " + one + " to " + other);
            commands.push_back("connect " + one + " " + other);
            commands.push_back("disconnect " + one + " " + other);
        }
    }
    return commands;
}

std::vector<std::string>
MakeUnseenCommands(const std::vector<std::string>& brokers)
{
    std::vector<std::string> commands;
    for (const auto& one : brokers)
    {
        commands.push_back("restart " + one + " silently");
        commands.push_back("slip s1 to " + one);
        commands.push_back("drop s1 " + one);
        commands.push_back("drop " + one + " s1");
        for (const auto& other : brokers)
        {
            commands.push_back("drop " + one + " " + other);
            commands.push_back("deny " + one + " " + other);
            commands.push_back("lose " + one + " " + other);
        }
    }
    return commands;
}

} // namespace mftpubsub
