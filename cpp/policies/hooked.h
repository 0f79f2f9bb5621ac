/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Policies that are written in Python, as C functions.
 */
#ifndef MFTPUBSUB_POLICIES_HOOKED_H
#define MFTPUBSUB_POLICIES_HOOKED_H

#include "policies/policy.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace mftpubsub
{

/// A hook did not answer: the run ends here. Python knows why.
class PolicyFailure : public std::runtime_error
{
  public:
    PolicyFailure();
};

/// The answer of a hook that has failed. It is 0, as ctypes answers for a Python function that
/// raises.
inline constexpr int64_t POLICY_FAILED = 0;

/// The answer "none" of a hook that may give it.
inline constexpr int64_t POLICY_NONE = 1;

/// The answer of a hook that decides 0; the decision 1 is one more, and so on.
inline constexpr int64_t POLICY_FIRST = 2;

/**
 * A method of a Python policy as a C function, int64_t (const NodeView*, ...). It takes the
 * asking node, then what ToHook makes of each part of the question, and answers as above. No
 * exception may leave it.
 */
using HookFunction = void (*)();

/// A hook, by what it decides.
struct PolicyHook
{
    const char* decides; //!< "parent", "parent.advertise"
    HookFunction function;
};

/// The hooks of a run.
struct PolicyHooks
{
    const PolicyHook* hooks{nullptr};
    size_t count{0};
};

/// @return the hook that decides @p what, nullptr if there is none
HookFunction FindHook(const PolicyHooks& hooks, std::string_view what);

// What a hook takes for a part of a question.

template <typename Number>
    requires std::is_arithmetic_v<Number>
std::tuple<Number>
ToHook(Number number)
{
    return number;
}

template <typename View>
std::tuple<const View*>
ToHook(const View* view)
{
    return view;
}

template <typename View>
    requires std::is_class_v<View>
std::tuple<const View*>
ToHook(const View& view)
{
    return &view;
}

inline std::tuple<const char*, size_t>
ToHook(std::string_view text)
{
    return {text.data(), text.size()};
}

template <typename View>
std::tuple<const View*, size_t>
ToHook(const std::vector<View>& views)
{
    return {views.data(), views.size()};
}

/// @return the decision that @p answer of a hook means
/// @throws PolicyFailure for one that means none
template <typename Answer>
Answer
FromHook(int64_t answer)
{
    if constexpr (std::is_enum_v<Answer>)
    {
        return static_cast<Answer>(FromHook<std::underlying_type_t<Answer>>(answer));
    }
    else
    {
        if (std::is_same_v<Answer, NodeId> && answer == POLICY_NONE)
        {
            return static_cast<Answer>(NO_NODE);
        }
        const auto decision = answer - POLICY_FIRST;
        if (decision < 0 || decision > int64_t{std::numeric_limits<Answer>::max()})
        {
            throw PolicyFailure();
        }
        return static_cast<Answer>(decision);
    }
}

/// @return what @p function answers
template <typename... Arguments>
int64_t
AskHook(HookFunction function, const NodeView& me, const std::tuple<Arguments...>& arguments)
{
    const auto hook = reinterpret_cast<int64_t (*)(const NodeView*, Arguments...)>(function);
    return std::apply([&](auto... each) { return hook(&me, each...); }, arguments);
}

/**
 * @return the positions that @p function chooses: it takes, last, an array with a byte for each
 *         element of the last of @p arguments, and sets those of the chosen ones
 */
template <typename... Arguments>
std::vector<size_t>
AskHookForPositions(HookFunction function,
                    const NodeView& me,
                    const std::tuple<Arguments...>& arguments)
{
    std::vector<uint8_t> isChosen(std::get<sizeof...(Arguments) - 1>(arguments));
    FromHook<bool>(AskHook(function, me, std::tuple_cat(arguments, std::tuple(isChosen.data()))));
    std::vector<size_t> chosen;
    for (size_t i = 0; i < isChosen.size(); ++i)
    {
        if (isChosen[i])
        {
            chosen.push_back(i);
        }
    }
    return chosen;
}

template <typename Kind, typename Signature = typename Kind::Signature>
class Hooked;

/// A policy of a kind that asks a hook.
template <typename Kind, typename Answer, typename... Question>
class Hooked<Kind, Answer(Question...)> : public Kind
{
  public:
    explicit Hooked(HookFunction function)
        : m_function(function)
    {
    }

    Answer Decide(const NodeView& me, Question... question) override
    {
        const auto arguments = std::tuple_cat(ToHook(question)...);
        if constexpr (std::is_same_v<Answer, std::vector<size_t>>)
        {
            return AskHookForPositions(m_function, me, arguments);
        }
        else
        {
            return FromHook<Answer>(AskHook(m_function, me, arguments));
        }
    }

  private:
    HookFunction m_function;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_HOOKED_H */
