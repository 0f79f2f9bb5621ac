/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A node on the network of this machine, for any loop of events: Python's and the daemon's.
 */
#ifndef MFTPUBSUB_LIVE_RUNNER_H
#define MFTPUBSUB_LIVE_RUNNER_H

#include "live/missing-interface.h" // cppyy knows an exception by its class

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mftpubsub::live
{

/**
 * A live::Node with sockets and clock. Texts are UTF-8; an event as it goes over the air is in
 * hexadecimal digits.
 *
 * Functions throw std::invalid_argument for what cannot be, std::logic_error for what its roles do
 * not allow, and std::runtime_error (std::system_error) for what the system refuses.
 */
class Runner
{
  public:
    /**
     * Opens files and sockets, and starts the node.
     *
     * @param settings JSON of live::Settings
     * @param hooks address of a protocol in Python, 0: none; of BrokerHooks if it is
     * PYTHON_BROKERS, else of mesh::StationHooks
     * @throws MissingInterface for an interface that is not there
     */
    explicit Runner(const std::string& settings, uint64_t hooks = 0);
    ~Runner();

    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    /// @return a descriptor that is readable when there is something to do
    int GetDescriptor() const;

    /// Does what there is to do by now, and does not wait.
    void Run();

    /// @param event of which attributes and payload count
    /// @return its sequence number
    uint32_t Publish(const std::string& event);

    void Subscribe(const std::string& filter);
    void Unsubscribe(const std::string& filter);
    std::vector<std::string> GetFilters() const;

    /// @return filters of the store that do not fit into a frame: they are dropped
    const std::vector<std::string>& GetLeftOut() const;

    /// @return the next event for the application, which is done with the one before; empty: none
    std::string Take();

    /// It is done with the event that it has taken last, if there is one.
    void AcknowledgeTaken();

    /// It is not done with the event that it has taken last: that is the next one again.
    void GiveBack();

    /// Writes the files; nothing may follow.
    /// @param isDone whether the application is done with the event that it has taken last
    void Stop(bool isDone);

    /// @return counters as a JSON object
    std::string GetCounters() const;

    // For experiments on one machine

    /// @param nodes the only ones that it hears
    void SetReach(const std::vector<uint16_t>& nodes);
    void SetLoss(double share);

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_RUNNER_H */
