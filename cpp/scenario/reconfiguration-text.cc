/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario/reconfiguration-text.h"

#include "scenario/reconfiguration-draw.h"
#include "scenario/simulator-lease.h"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace mftpubsub
{

using namespace reconfiguration;

namespace
{

/// What a text says.
struct Request
{
    uint64_t seed{1};
    WorldRun run;
    WorldOptions options; //!< of a drawn world: one with a policy
    std::vector<Edge> links;
    std::vector<std::pair<NodeId, Patterns>> wants;
    std::vector<ReconfigurationWorld::Change> changes;
};

using Reader = std::function<void(std::istream& values, Request& request)>;

/// @return what reads the value of @p member
template <typename Owner, typename Value>
Reader
Read(Owner Request::* owner, Value Owner::* member)
{
    return [owner, member](auto& values, auto& request) { values >> (request.*owner).*member; };
}

template <typename Value>
Reader
ReadDispatching(Value DispatchingOptions::* member)
{
    return [member](auto& values, auto& request) { values >> request.run.dispatching.*member; };
}

Reader
ReadChange(bool breaks)
{
    return [breaks](auto& values, auto& request) {
        auto& change = request.changes.emplace_back();
        change.breaks = breaks;
        values >> change.seconds >> change.id >> change.link.first >> change.link.second;
    };
}

void
ReadLink(std::istream& values, Request& request)
{
    auto& link = request.links.emplace_back();
    values >> link.first >> link.second;
}

void
ReadWants(std::istream& values, Request& request)
{
    auto& [node, patterns] = request.wants.emplace_back();
    values >> node;
    for (Pattern pattern = 0; values >> pattern;)
    {
        patterns.push_back(pattern);
    }
    values.clear(values.rdstate() & ~std::ios::failbit);
    std::sort(patterns.begin(), patterns.end());
}

const std::map<std::string, Reader>&
GetReaders()
{
    using O = WorldOptions;
    const auto option = [](auto member) { return Read(&Request::options, member); };
    static const std::map<std::string, Reader> readers{
        {"protocol", Read(&Request::run, &WorldRun::protocol)},
        {"bin", Read(&Request::run, &WorldRun::binSeconds)},
        {"seed", [](auto& values, auto& request) { values >> request.seed; }},
        {"sub-bits", ReadDispatching(&DispatchingOptions::subBits)},
        {"unsubscribe-after", ReadDispatching(&DispatchingOptions::unsubscribeAfter)},
        {"subscribe-after", ReadDispatching(&DispatchingOptions::subscribeAfter)},
        {"dispatchers", option(&O::dispatchers)},
        {"link", ReadLink},
        {"wants", ReadWants},
        {"break", ReadChange(true)},
        {"replace", ReadChange(false)},
        {"degree", option(&O::degree)},
        {"is-balanced", option(&O::isBalanced)},
        {"patterns", option(&O::patterns)},
        {"patterns-per-client", option(&O::patternsPerClient)},
        {"subscribers", option(&O::subscribers)},
        {"core", option(&O::core)},
        {"swap-hz", option(&O::swapHz)},
        {"characters", option(&O::characters)},
        {"publish-hz", option(&O::publishHz)},
        {"seconds", option(&O::seconds)},
        {"policy", option(&O::policy)},
        {"reconfiguration-hz", option(&O::reconfigurationHz)},
        {"repair-seconds", option(&O::repairSeconds)},
        {"begin-seconds", option(&O::beginSeconds)},
        {"end-seconds", option(&O::endSeconds)},
    };
    return readers;
}

Request
Parse(const std::string& text)
{
    Request request;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
    {
        std::istringstream values(line);
        std::string key;
        values >> key;
        const auto reader = GetReaders().find(key);
        if (reader == GetReaders().end())
        {
            throw std::invalid_argument("unknown key in '" + line + "'");
        }
        reader->second(values, request);
        if (values.fail() || !(values >> std::ws).eof())
        {
            throw std::invalid_argument("cannot read '" + line + "'");
        }
    }
    return request;
}

ReconfigurationWorld
MakeGivenWorld(const Request& request)
{
    ReconfigurationWorld world;
    const size_t count = request.options.dispatchers;
    world.tree = Forest(count);
    for (const auto& [one, other] : request.links)
    {
        world.tree.Add(one, other);
    }
    world.wanted.resize(count);
    world.isCore.assign(count, true);
    for (const auto& [node, patterns] : request.wants)
    {
        world.wanted.at(node) = patterns;
    }
    world.changes = request.changes;
    return world;
}

/// Writes JSON.
class Writer
{
  public:
    Writer()
    {
        m_text.precision(12);
    }

    template <typename Values>
    void Member(const std::string& name, const Values& values)
    {
        Begin(name);
        m_text << '[';
        for (size_t index = 0; index < values.size(); ++index)
        {
            m_text << (index > 0 ? "," : "");
            Value(values[index]);
        }
        m_text << ']';
    }

    void Member(const std::string& name, uint64_t value)
    {
        Begin(name);
        m_text << value;
    }

    /// A member that is an object: what @p write writes.
    template <typename Write>
    void Object(const std::string& name, const Write& write)
    {
        Begin(name);
        m_text << '{';
        m_isFirst = true;
        write();
        m_text << '}';
        m_isFirst = false;
    }

    std::string Get() const
    {
        return "{" + m_text.str() + "}";
    }

  private:
    void Begin(const std::string& name)
    {
        m_text << (m_isFirst ? "" : ",") << '"' << name << "\":";
        m_isFirst = false;
    }

    void Value(const std::string& value)
    {
        m_text << '"' << value << '"';
    }

    template <typename Number>
    void Value(Number value)
    {
        m_text << value;
    }

    std::ostringstream m_text;
    bool m_isFirst{true};
};

std::string
ToJson(const WorldResult& result)
{
    Writer json;
    json.Object("messages", [&] {
        ForEachKind([&](size_t index, std::string_view name) {
            const auto& entry = result.ledger.GetEntries()[index];
            if (entry.count > 0)
            {
                json.Member(std::string(name),
                            std::vector{static_cast<double>(entry.count),
                                        static_cast<double>(entry.withPatterns),
                                        entry.cost});
            }
        });
    });
    json.Member("involved", result.involved);
    json.Member("event_hops", result.eventHops);
    json.Member("good_event_hops", result.goodEventHops);
    json.Member("expected", result.expected);
    json.Member("delivered", result.delivered);
    json.Member("traffic", result.traffic);
    json.Member("faults", result.faults);
    return json.Get();
}

} // namespace

std::string
RunReconfiguration(const std::string& text)
{
    const auto request = Parse(text);
    const SimulatorLease lease(request.seed);
    const auto world =
        request.options.policy.empty() ? MakeGivenWorld(request) : DrawWorld(request.options);
    return ToJson(RunWorld(world, request.run));
}

} // namespace mftpubsub
