/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_JSON_FIELDS_H
#define MFTPUBSUB_JSON_FIELDS_H

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>

namespace mftpubsub
{

/// A member of a struct, and its name in JSON.
template <typename Struct, typename Member>
struct Field
{
    const char* name;
    Member Struct::* member;
};

template <typename Struct, typename Member>
Field(const char*, Member Struct::*) -> Field<Struct, Member>; // cppyy's compiler needs to be told

/// The Field of a member, under the member's own name.
#define MFTPUBSUB_FIELD(Struct, member)                                                            \
    Field                                                                                          \
    {                                                                                              \
        #member, &Struct::member                                                                   \
    }

/**
 * The members of a struct, a tuple of Field. Specialized beside a struct that is read or written as
 * JSON, which needs nothing else:
 *
 *     template <>
 *     inline constexpr auto FIELDS<Point> = MakeFields<Point>(MFTPUBSUB_FIELD(Point, x),
 *                                                             MFTPUBSUB_FIELD(Point, y));
 */
template <typename Struct>
inline constexpr std::nullopt_t FIELDS = std::nullopt;

template <typename T>
concept HasFields = !std::is_same_v<decltype(FIELDS<T>), const std::nullopt_t>;

/// Whatever an initializer may be.
struct Anything
{
    template <typename T>
    operator T() const; // NOLINT(google-explicit-constructor): converts implicitly
};

/// @return the number of members of an aggregate: the most initializers that it takes
template <typename Struct, typename... Initializers>
consteval size_t
CountMembers()
{
    if constexpr (requires { Struct{Initializers{}..., Anything{}}; })
    {
        return CountMembers<Struct, Initializers..., Anything>();
    }
    else
    {
        return sizeof...(Initializers);
    }
}

/// The fields of @p Struct: all its members but @p APART that come another way. A member that was
/// forgotten does not compile.
template <typename Struct, size_t APART = 0, typename... Members>
consteval auto
MakeFields(Field<Struct, Members>... fields)
{
    static_assert(sizeof...(Members) + APART == CountMembers<Struct>(),
                  "each member of a struct needs its Field");
    return std::tuple(fields...);
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_JSON_FIELDS_H */
