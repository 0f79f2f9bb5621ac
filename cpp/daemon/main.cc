/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * mftpubsubd: a node of mft-mesh on a device, without Python and without a simulator.
 *
 *     mftpubsubd FILE          runs until SIGTERM or SIGINT
 *     mftpubsubd --check FILE  says whether the file is right
 *
 * Exit codes: 0 a clean end, 1 a failure, or an interface that is not there, 2 a wrong file or
 * command line.
 */
#include "config.h"
#include "control.h"
#include "json/json-writer.h"
#include "live/missing-interface.h"
#include "live/runner.h"
#include "live/store.h"
#include "live/udp-multicast.h"
#include "trouble.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <system_error>
#include <vector>

using namespace mftpubsub::live;

namespace
{

constexpr int FAILED = 1;
constexpr int WRONG = 2;

/// @return readable when the daemon is to end
File
CatchSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    return File(signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
}

void
Watch(const File& poll, int descriptor)
{
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = descriptor;
    if (epoll_ctl(poll.Get(), EPOLL_CTL_ADD, descriptor, &wanted) != 0)
    {
        throw std::system_error(errno, std::generic_category(), "epoll");
    }
}

/// @return those of @p filters that are not among @p others
std::vector<std::string>
Without(std::vector<std::string> filters, const std::vector<std::string>& others)
{
    std::erase_if(filters,
                  [&others](const auto& each) { return std::ranges::count(others, each) > 0; });
    return filters;
}

/// Subscribes to @p filter. One of @p others makes room if it has none, the longest first.
void
MakeRoom(Runner& runner, const std::string& filter, std::vector<std::string>& others)
{
    while (true)
    {
        try
        {
            runner.Subscribe(filter);
            return;
        }
        catch (const std::length_error&)
        {
            const auto longest = std::ranges::max_element(others, {}, &std::string::size);
            if (longest == others.end())
            {
                throw;
            }
            runner.Unsubscribe(*longest);
            others.erase(longest);
        }
    }
}

/// Filters of the file come first, as who writes it sees no others.
void
Subscribe(Runner& runner, const Config& config, Trouble& trouble)
{
    auto stored = runner.GetFilters();
    auto others = Without(stored, config.subscribe);
    for (const auto& filter : config.subscribe)
    {
        MakeRoom(runner, filter, others);
    }
    const auto& before = runner.GetLeftOut();
    stored.insert(stored.end(), before.begin(), before.end());
    for (const auto& filter : Without(stored, runner.GetFilters()))
    {
        trouble.Say(filter,
                    "the filter " + filter + " of its store " + config.settings.store +
                        " is left out, and is no longer there: a frame has no room for it beside "
                        "the file's and others; `unsubscribe` those that no program needs");
    }
}

void
Serve(const Config& config)
{
    const auto signals = CatchSignals();
    Runner runner(mftpubsub::ToJson(config.settings));
    const File poll(epoll_create1(EPOLL_CLOEXEC));
    Watch(poll, signals.Get());
    Watch(poll, runner.GetDescriptor());
    Trouble trouble(config.settings.id);
    Subscribe(runner, config, trouble);
    std::optional<Control> control;
    if (!config.socket.empty())
    {
        control.emplace(config.socket, runner, trouble, poll.Get());
    }
    std::cerr << "mftpubsubd: node " << config.settings.id << " runs" << std::endl;
    for (bool isAskedMore = false; true;)
    {
        std::array<epoll_event, 16> ready{};
        const auto count = epoll_wait(poll.Get(), ready.data(), ready.size(), isAskedMore ? 0 : -1);
        for (int at = 0; at < count; ++at)
        {
            if (ready[at].data.fd == signals.Get())
            {
                runner.Stop(false);
                std::cerr << "mftpubsubd: node " << config.settings.id << " ends" << std::endl;
                return;
            }
        }
        runner.Run();
        isAskedMore = control && control->Run();
        trouble.Look(runner);
    }
}

/// Its port, and what is at its places. A folder may come later: systemd makes those of its unit.
void
CheckPlaces(const Config& config, const std::string& path)
{
    try
    {
        const UdpMulticast port(config.settings.port);
        CheckStore(config.settings.store, config.settings.id);
    }
    catch (const std::exception& error)
    {
        throw std::invalid_argument(path + ": " + error.what());
    }
    const std::map<std::string, std::filesystem::path> places{{"store", config.settings.store},
                                                              {"trace", config.settings.trace},
                                                              {"socket", config.socket}};
    for (const auto& [key, place] : places)
    {
        const auto folder = place.parent_path();
        std::error_code unseen;
        if (!folder.empty() && !std::filesystem::is_directory(folder, unseen))
        {
            std::cerr << "mftpubsubd: " << path << ": " << key << ": there is no folder "
                      << folder.string() << " yet, which the node needs\n";
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    const bool isCheck = words.size() == 2 && words[0] == "--check";
    if (!isCheck && (words.size() != 1 || words[0].starts_with("-")))
    {
        std::cerr << "usage: mftpubsubd [--check] FILE\n";
        return WRONG;
    }
    try
    {
        const auto config = ReadConfig(words.back());
        if (isCheck)
        {
            CheckPlaces(config, words.back());
        }
        else
        {
            Serve(config);
        }
        return 0;
    }
    catch (const MissingInterface& error)
    {
        std::cerr << "mftpubsubd: " << words.back() << ": " << error.what() << "\n";
        return FAILED; // it may come yet, as a radio does that is plugged in
    }
    catch (const std::invalid_argument& error)
    {
        std::cerr << "mftpubsubd: " << error.what() << "\n";
        return WRONG;
    }
    catch (const std::exception& error)
    {
        std::cerr << "mftpubsubd: " << error.what() << "\n";
        return FAILED;
    }
}
