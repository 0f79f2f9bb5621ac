/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * mftpubsubd: a node of mft-mesh on a device, without Python and without a simulator.
 *
 *     mftpubsubd FILE          runs until SIGTERM or SIGINT
 *     mftpubsubd --check FILE  says whether the file is right
 *
 * Exit codes: 0 a clean end, 1 a failure, 2 a wrong file or command line.
 */
#include "config.h"
#include "control.h"
#include "json/json-writer.h"
#include "live/runner.h"
#include "trouble.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
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

void
Subscribe(Runner& runner, const std::vector<std::string>& filters)
{
    for (const auto& filter : filters)
    {
        try
        {
            runner.Subscribe(filter);
        }
        catch (const std::length_error& error)
        {
            throw std::invalid_argument(std::string("subscribe: ") + error.what());
        }
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
    Subscribe(runner, config.subscribe);
    std::optional<Control> control;
    if (!config.socket.empty())
    {
        control.emplace(config.socket, runner, poll.Get());
    }
    std::cerr << "mftpubsubd: node " << config.settings.id << " runs" << std::endl;
    Trouble trouble(config.settings.id);
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
        if (!isCheck)
        {
            Serve(config);
        }
        return 0;
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
