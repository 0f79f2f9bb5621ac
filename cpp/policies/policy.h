/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_POLICY_H
#define MFTPUBSUB_POLICIES_POLICY_H

#include "policies/node-view.h"

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace mftpubsub
{

template <typename Signature>
class Policy;

/// A decision that the sources leave open. All nodes of a run share one policy.
template <typename Answer, typename... Question>
class Policy<Answer(Question...)>
{
  public:
    using Signature = Answer(Question...);

    virtual ~Policy() = default;

    /// @param me the node that asks
    virtual Answer Decide(const NodeView& me, Question... question) = 0;
};

/// Parameters of a policy that ships, by name.
using PolicyParameters = std::map<std::string, double>;

/// The policies of a kind that ship, by name. A maker throws std::out_of_range for a parameter that
/// is missing (Find).
template <typename Kind>
using Makers = std::map<std::string, std::function<std::shared_ptr<Kind>(const PolicyParameters&)>>;

/// @throws std::out_of_range, which says its name, if @p parameters lacks it
inline double
Find(const PolicyParameters& parameters, const std::string& name)
{
    const auto found = parameters.find(name);
    if (found == parameters.end())
    {
        throw std::out_of_range(name);
    }
    return found->second;
}

/// @return the maker of a @p Shipped policy whose constructor takes the parameters @p names
template <typename Shipped, typename... Names>
auto
Make(Names... names)
{
    return [=](const PolicyParameters& parameters) {
        return std::make_shared<Shipped>(Find(parameters, names)...);
    };
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_POLICY_H */
