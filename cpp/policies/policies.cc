/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/policies.h"

#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>

namespace mftpubsub
{

namespace
{

/// A parent policy that asks hooks.
class HookedParent : public Hooked<ParentPolicy>
{
  public:
    HookedParent(HookFunction choose, HookFunction advertise)
        : Hooked(choose),
          m_advertise(advertise)
    {
    }

    std::optional<uint8_t> Advertise(const NodeView& me) override
    {
        const auto answer = m_advertise ? AskHook(m_advertise, me, {}) : POLICY_NONE;
        return answer == POLICY_NONE ? std::nullopt : std::optional(FromHook<uint8_t>(answer));
    }

  private:
    HookFunction m_advertise; //!< none: it advertises nothing
};

template <typename Kind>
std::shared_ptr<Kind>
MakeHooked(const std::string& what, const PolicyHooks& hooks)
{
    const auto decide = FindHook(hooks, what);
    if (!decide)
    {
        throw std::invalid_argument("the " + what + " policy is Python's, and its hook is missing");
    }
    if constexpr (std::is_same_v<Kind, ParentPolicy>)
    {
        return std::make_shared<HookedParent>(decide, FindHook(hooks, what + ".advertise"));
    }
    else
    {
        return std::make_shared<Hooked<Kind>>(decide);
    }
}

template <typename Kind>
std::shared_ptr<Kind>
MakeShipped(const std::string& what, const PolicySpec& spec)
{
    const auto found = Kind::SHIPPED.find(spec.name);
    if (found == Kind::SHIPPED.end())
    {
        std::string shipped;
        for (const auto& [name, make] : Kind::SHIPPED)
        {
            shipped += (shipped.empty() ? "" : ", ") + name;
        }
        throw std::invalid_argument("no " + what + " policy '" + spec.name + "'; there are " +
                                    shipped);
    }
    try
    {
        return found->second(spec.parameters);
    }
    catch (const std::out_of_range& missing)
    {
        throw std::invalid_argument("the " + what + " policy '" + spec.name +
                                    "' needs the parameter '" + missing.what() + "'");
    }
}

/// Makes the member @p field of @p policies what @p spec says, if it is what decides @p what.
/// @return whether it is
template <typename Kind>
bool
Set(Policies& policies,
    const Field<Policies, std::shared_ptr<Kind>>& field,
    const std::string& what,
    const PolicySpec& spec,
    const PolicyHooks& hooks)
{
    if (what != field.name)
    {
        return false;
    }
    policies.*field.member =
        spec.name == PYTHON_POLICY ? MakeHooked<Kind>(what, hooks) : MakeShipped<Kind>(what, spec);
    return true;
}

/// @return what policies decide
std::string
NameKinds()
{
    std::string names;
    const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
    std::apply([&](const auto&... kinds) { (add(kinds.name), ...); }, FIELDS<Policies>);
    return names;
}

} // namespace

Policies
MakePolicies(const PolicySpecs& specs, const PolicyHooks& hooks)
{
    Policies policies;
    for (const auto& asked : specs) // clang 14 captures no structured binding
    {
        const auto isSet = std::apply(
            [&](const auto&... kinds) {
                return (Set(policies, kinds, asked.first, asked.second, hooks) || ...);
            },
            FIELDS<Policies>);
        if (!isSet)
        {
            throw std::invalid_argument("no policies decide " + asked.first + "; they decide " +
                                        NameKinds());
        }
    }
    return policies;
}

Policies
MakePolicy(const std::string& what, const std::string& name, const PolicyParameters& parameters)
{
    return MakePolicies({{what, {name, parameters}}});
}

} // namespace mftpubsub
