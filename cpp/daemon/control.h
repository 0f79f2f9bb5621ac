/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_DAEMON_CONTROL_H
#define MFTPUBSUB_DAEMON_CONTROL_H

#include "live/file.h"
#include "live/runner.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mftpubsub::live
{

/**
 * The daemon's local interface: a Unix socket with lines of text, for applications on this machine.
 *
 *     subscribe FILTER | unsubscribe FILTER | publish {"temp": 21.5} PAYLOAD-IN-HEX | counters
 *
 * Each line is answered by `ok ...` or `error WORDS`. Who has said `events` gets each event from
 * then on as `event PUBLISHER SEQUENCE {"temp": 21.5} PAYLOAD-IN-HEX`. Events wait while there is
 * nobody, as many as the inbox holds.
 */
class Control
{
  public:
    /// @param path of the socket; what was left there by a daemon that is gone is replaced
    /// @throws std::system_error, std::runtime_error if it cannot be
    Control(std::string path, Runner& runner, int poll);
    ~Control();

    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    /// Does what applications ask; what there is for them is handed over.
    void Run();

  private:
    struct Client
    {
        File socket;
        std::string asked; //!< the beginning of a line
        std::string told;  //!< that has not been taken yet
        bool wantsEvents{false};
    };

    void Accept();
    /// @return whether it is still there
    bool Serve(Client& client);
    bool Write(Client& client) const;
    std::string Answer(Client& client, const std::string& line);
    void HandOver();
    /// Sends those away for whom @p isThere says no.
    void KeepThose(const std::function<bool(Client&)>& isThere);

    std::string m_path;
    Runner& m_runner;
    int m_poll;
    File m_listening;
    std::map<int, Client> m_clients;
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_DAEMON_CONTROL_H */
