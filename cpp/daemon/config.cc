/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "config.h"

#include "content/filter.h"
#include "control.h"
#include "live/clocks.h"
#include "live/hex.h"
#include "live/node.h"
#include "protocols/mesh/station.h"
#include "utf8.h"

#include <charconv>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>

namespace mftpubsub::live
{

namespace
{

using Setter = std::function<void(Config&, const std::string&)>;

std::string
Trim(const std::string& text)
{
    constexpr auto SPACE = " \t\r";
    const auto begin = text.find_first_not_of(SPACE);
    return begin == std::string::npos
               ? ""
               : text.substr(begin, text.find_last_not_of(SPACE) + 1 - begin);
}

std::vector<std::string>
Split(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
    {
        words.push_back(word);
    }
    return words;
}

template <typename Number>
Number
Parse(const std::string& text, Number least, Number most)
{
    Number value{};
    const auto* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end || !(value >= least && value <= most))
    {
        std::ostringstream wanted;
        wanted << "a number from " << +least << " to " << +most << ", not '" << text << "'";
        throw std::invalid_argument(wanted.str());
    }
    return value;
}

uint8_t
ParseRoles(const std::string& text)
{
    static const std::map<std::string, uint8_t> ROLES{{"broker", mesh::BROKER},
                                                      {"subscriber", mesh::SUBSCRIBER},
                                                      {"publisher", mesh::PUBLISHER}};
    uint8_t roles = 0;
    for (const auto& word : Split(text))
    {
        const auto found = ROLES.find(word);
        if (found == ROLES.end())
        {
            throw std::invalid_argument("some of broker, subscriber, publisher, not '" + word +
                                        "'");
        }
        roles |= found->second;
    }
    return roles;
}

std::string
ReadKey(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string key((std::istreambuf_iterator<char>(file)), {});
    if (key.empty())
    {
        throw std::invalid_argument("a file with the key; " + path +
                                    " cannot be read, or is empty");
    }
    return ToHex(AsBytes(key));
}

/// @return how a key of seconds is read into a member of the mesh's settings
Setter
MakeSeconds(double MeshSettings::* member, double least)
{
    return [member, least](Config& config, const std::string& text) {
        config.settings.mesh.*member = Parse(text, least, 1e6);
    };
}

/// @return how a key of a text is read into a member of the settings
Setter
MakeText(std::string Settings::* member)
{
    return [member](Config& config, const std::string& text) { config.settings.*member = text; };
}

const std::map<std::string, Setter>&
GetSetters()
{
    static const std::map<std::string, Setter> SETTERS{
        {"id",
         [](Config& c, const std::string& t) {
             c.settings.id = Parse<uint16_t>(t, 0, NO_NODE - 1);
         }},
        {"roles", [](Config& c, const std::string& t) { c.settings.roles = ParseRoles(t); }},
        {"protocol", MakeText(&Settings::protocol)},
        {"network", MakeText(&Settings::network)},
        {"key_file", [](Config& c, const std::string& t) { c.settings.keyHex = ReadKey(t); }},
        {"store", MakeText(&Settings::store)},
        {"trace", MakeText(&Settings::trace)},
        {"inbox",
         [](Config& c, const std::string& t) {
             c.settings.inbox = Parse<uint32_t>(t, 2, 10'000'000);
         }},
        {"group", [](Config& c, const std::string& t) { c.settings.port.group = t; }},
        {"port",
         [](Config& c, const std::string& t) {
             c.settings.port.port = Parse<uint16_t>(t, 1, UINT16_MAX);
         }},
        {"interfaces",
         [](Config& c, const std::string& t) { c.settings.port.interfaces = Split(t); }},
        {"rate",
         [](Config& c, const std::string& t) { c.settings.port.rate = Parse(t, 1.0, 1e12); }},
        {"hops",
         [](Config& c, const std::string& t) {
             c.settings.port.hops = Parse<uint8_t>(t, 0, UINT8_MAX);
         }},
        {"max_frame",
         [](Config& c, const std::string& t) {
             c.settings.port.maxFrameBytes = Parse<uint16_t>(t, 200, 65000);
         }},
        {"heartbeat_interval",
         [](Config& c, const std::string& t) {
             c.settings.mesh.heartbeatSeconds = Parse(t, 0.01, 1e6);
             c.settings.overlay.heartbeatSeconds = c.settings.mesh.heartbeatSeconds;
         }},
        {"leader_timeout",
         [](Config& c, const std::string& t) {
             c.settings.overlay.leaderTimeoutSeconds = Parse(t, 0.02, 1e6);
         }},
        {"heartbeat_max", MakeSeconds(&MeshSettings::heartbeatMaxSeconds, 0.01)},
        {"forget_after", MakeSeconds(&MeshSettings::forgetAfterSeconds, 0)},
        {"socket",
         [](Config& c, const std::string& t) {
             CheckSocket(t);
             c.socket = t;
         }},
        {"subscribe", [](Config& c, const std::string& t) {
             CheckUtf8(t, "the filter");
             c.subscribe.push_back(Filter::Parse(t).GetText());
         }}};
    return SETTERS;
}

void
ReadLine(Config& config, const std::string& line, std::set<std::string>& given)
{
    const auto equals = line.find('=');
    const auto key = Trim(line.substr(0, equals));
    const auto setter = GetSetters().find(key);
    if (equals == std::string::npos || setter == GetSetters().end())
    {
        std::string keys;
        for (const auto& [name, unused] : GetSetters())
        {
            keys += (keys.empty() ? "" : ", ") + name;
        }
        throw std::invalid_argument("'" + line + "' is no line KEY = VALUE; keys are " + keys);
    }
    if (!given.insert(key).second && key != "subscribe")
    {
        throw std::invalid_argument(key + ": is given twice");
    }
    try
    {
        setter->second(config, Trim(line.substr(equals + 1)));
    }
    catch (const std::exception& error)
    {
        throw std::invalid_argument(key + ": " + error.what());
    }
}

/// The store may have other filters: these make room.
/// @throws std::invalid_argument if there is no such node, or it has no room for the filters
void
CheckNode(const Config& config, const std::string& path)
{
    auto settings = config.settings;
    settings.store.clear();
    settings.trace.clear();
    auto where = path + ": ";
    try
    {
        Node node(settings, nullptr, [](std::span<const uint8_t>) { return true; }, ReadClocks());
        where += "subscribe: ";
        for (const auto& filter : config.subscribe)
        {
            node.Subscribe(Instant(0), Filter::Parse(filter));
        }
    }
    catch (const std::logic_error& error)
    {
        throw std::invalid_argument(where + error.what());
    }
}

} // namespace

Config
ReadConfig(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        throw std::invalid_argument(path + ": cannot be read");
    }
    Config config;
    config.settings.network = "mftpubsub";
    std::set<std::string> given;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number)
    {
        line = Trim(line);
        if (line.empty() || line[0] == '#')
        {
            continue;
        }
        try
        {
            ReadLine(config, line, given);
        }
        catch (const std::invalid_argument& error)
        {
            throw std::invalid_argument(path + ":" + std::to_string(number) + ": " + error.what());
        }
    }
    for (const auto* key : {"id", "roles"})
    {
        if (!given.contains(key))
        {
            throw std::invalid_argument(path + ": " + key + " is missing");
        }
    }
    CheckNode(config, path);
    return config;
}

} // namespace mftpubsub::live
