/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_DAEMON_CONTROL_H
#define MFTPUBSUB_DAEMON_CONTROL_H

#include "content/event.h"
#include "live/file.h"
#include "live/runner.h"
#include "trouble.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace mftpubsub::live
{

/// @throws std::invalid_argument that says what would be right, if a Control cannot have @p path
void CheckSocket(const std::string& path);

/**
 * The daemon's local interface: a Unix socket with lines of text, for applications on this machine.
 *
 *     subscribe FILTER | unsubscribe FILTER | publish {"temp": 21.5} PAYLOAD-IN-HEX | counters
 *
 * Each line is answered by `ok ...` or `error WORDS`. Who has said `events` gets each event from
 * then on as `event PUBLISHER SEQUENCE {"temp": 21.5} PAYLOAD-IN-HEX`: it is done with one when the
 * line is in its socket. Who says `next` instead gets one event, and is done with it when it says
 * `next` again. Events wait while there is nobody, as many as the inbox holds. One with a text that
 * is no UTF-8 is left out, as programs could not read it.
 */
class Control
{
  public:
    /// @param path of the socket; what was left there by a daemon that is gone is replaced
    /// @throws std::system_error, std::runtime_error if it cannot be
    Control(std::string path, Runner& runner, Trouble& trouble, int poll);
    ~Control();

    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    /// Does some of what applications ask; what there is for them is handed over.
    /// @return whether they have asked for more, which the next call is for
    bool Run();

  private:
    struct Client
    {
        File socket;
        std::string asked;       //!< lines, and the beginning of one
        std::string told;        //!< that has not been taken yet
        bool asksMore{false};    //!< after this round
        bool isAtEnd{false};     //!< it asks nothing more, and waits for answers
        bool wantsEvents{false}; //!< now
        bool saysNext{false};    //!< before each event
        bool hasEvent{false};    //!< among what it is told
        std::chrono::steady_clock::time_point since{}; //!< it has that
    };

    void Accept();
    /// @return whether it is still there
    bool Serve(Client& client);
    /// @return whether it has something to get yet
    bool Write(Client& client);
    std::string Answer(Client& client, const std::string& line);
    void WantEvents(Client& client);
    void WantNext(Client& client);
    void HandOver();
    /// Leaves the event out that was taken last.
    void LeaveOut(const EventId& event, const std::string& why);
    void SendAwayWhoStalls();
    bool IsAny(const std::function<bool(const Client&)>& is) const;
    /// Sends those away for whom @p isThere says no.
    void KeepThose(const std::function<bool(Client&)>& isThere);

    std::string m_path;
    Runner& m_runner;
    Trouble& m_trouble;
    int m_poll;
    File m_listening;
    std::optional<struct stat> m_bound; //!< its socket, as a file
    std::list<Client> m_clients;        //!< in order of arrival: who has hung up is noticed first
    uint64_t m_unreadable{0};           //!< events
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_DAEMON_CONTROL_H */
