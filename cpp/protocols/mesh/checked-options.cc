/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/checked-options.h"

#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace mftpubsub::mesh
{

namespace
{

/// What is at least @c least; with @c isMore more than that.
struct Bound
{
    std::string_view name; //!< of a member of Options; times are in seconds
    double value{0};
    double least{1};
    bool isMore{false};
};

double
InSeconds(Instant time)
{
    return std::chrono::duration<double>(time).count();
}

Bound
MoreThanZero(std::string_view name, double value)
{
    return {name, value, 0, true};
}

} // namespace

const Options&
Checked(const Options& options)
{
    const auto& limits = options.limits;
    const auto count = [](std::string_view name, size_t value) {
        return Bound{name, static_cast<double>(value)};
    };
    for (const auto& [name, value, least, isMore] :
         {count("limits.frame.publishers", limits.frame.publishers),
          count("limits.frame.events", limits.frame.events),
          count("limits.frame.words", limits.frame.words),
          count("limits.frame.stamps", limits.frame.stamps),
          count("limits.frame.answers", limits.frame.answers),
          count("limits.broker.repairs", limits.broker.repairs),
          count("limits.block.repairs", limits.block.repairs),
          count("limits.block.atOnce", limits.block.atOnce),
          count("limits.block.mostMet", limits.block.mostMet),
          Bound{"limits.sender.load", limits.sender.load},
          Bound{"limits.broker.heartbeatLoad", limits.broker.heartbeatLoad},
          MoreThanZero("heartbeat", InSeconds(options.heartbeat)),
          MoreThanZero("heartbeatMax", InSeconds(options.heartbeatMax)),
          MoreThanZero("limits.sender.usualWait", InSeconds(limits.sender.usualWait)),
          MoreThanZero("limits.distance.hop", InSeconds(limits.distance.hop)),
          MoreThanZero("limits.pace.period", InSeconds(limits.pace.period)),
          MoreThanZero("limits.pace.least", limits.pace.least),
          MoreThanZero("limits.block.unheard", InSeconds(limits.block.unheard)),
          MoreThanZero("limits.block.share", limits.block.share)})
    {
        if (isMore ? !(value > least) : !(value >= least))
        {
            std::ostringstream text;
            text << "mft-mesh: " << name << " is " << value << "; it has to be "
                 << (isMore ? "more than " : "at least ") << least;
            throw std::invalid_argument(text.str());
        }
    }
    return options;
}

} // namespace mftpubsub::mesh
