/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_JSON_JSON_READER_H
#define MFTPUBSUB_JSON_JSON_READER_H

#include "json/fields.h"

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mftpubsub
{

/**
 * Reads JSON (RFC 8259) into structs that have FIELDS, without a tree in between.
 *
 * Throws std::invalid_argument that says where the text is not what was to be read, as
 * "scenario.nodes[3].publisher.rateHz: missing".
 *
 * Strict: an object has each field of its struct once, in any order, and no other; numbers fit
 * their members; a number is a double if it has a point or an exponent, else whole. Text is UTF-8,
 * and \\u escapes become it.
 */
class JsonReader
{
  public:
    /// @param name what messages call the whole
    JsonReader(std::string_view text, std::string name);

    /// Reads the whole text. @throws std::invalid_argument
    template <typename T>
    T ReadAll()
    {
        T value{};
        Read(value);
        End();
        return value;
    }

  private:
    using Scalar = std::variant<int64_t, double, std::string, bool>;

    void Read(bool& value);
    void Read(double& value);
    void Read(std::string& value);
    void Read(Scalar& value);

    template <std::integral T>
    void Read(T& value)
    {
        ReadNumber(value, "a whole number in the member's range");
    }

    template <typename T>
    void Read(std::vector<T>& values)
    {
        values.clear();
        ReadArray([&](size_t) { Read(values.emplace_back()); });
    }

    template <typename First, typename Second>
    void Read(std::pair<First, Second>& value)
    {
        size_t count = 0;
        ReadArray([&](size_t index) {
            count = index + 1;
            index == 0 ? Read(value.first) : index == 1 ? Read(value.second) : Fail("a pair");
        });
        if (count != 2)
        {
            Fail("a pair");
        }
    }

    template <typename T>
    void Read(std::map<std::string, T>& values)
    {
        values.clear();
        ReadObject([&](const std::string& key) {
            const auto [entry, isNew] = values.try_emplace(key);
            if (!isNew)
            {
                Fail("given once");
            }
            Read(entry->second);
        });
    }

    template <HasFields T>
    void Read(T& object)
    {
        constexpr auto COUNT = std::tuple_size_v<std::remove_cvref_t<decltype(FIELDS<T>)>>;
        ReadMembers(&object, ListMembers<T>(std::make_index_sequence<COUNT>()));
    }

    /// A member of any struct: one function reads all structs, as code made for each takes long to
    /// compile.
    struct Member
    {
        const char* name;
        void (*read)(JsonReader& reader, void* object);
    };

    template <typename T, size_t... I>
    static std::array<Member, sizeof...(I)> ListMembers(std::index_sequence<I...>)
    {
        return {Member{std::get<I>(FIELDS<T>).name, [](JsonReader& reader, void* object) {
                           reader.Read(static_cast<T*>(object)->*std::get<I>(FIELDS<T>).member);
                       }}...};
    }

    void ReadMembers(void* object, std::span<const Member> members);

    template <typename Number>
    void ReadNumber(Number& value, const char* wanted)
    {
        const auto text = TakeNumber();
        const auto end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        if (text.empty() || result.ec != std::errc() || result.ptr != end)
        {
            Fail(wanted, text);
        }
    }

    void ReadArray(const std::function<void(size_t index)>& readItem);
    void ReadObject(const std::function<void(const std::string& key)>& readMember);

    /// Calls @p read, which reads the part of the present place that is called @p step.
    void Within(const std::string& step, const std::function<void()>& read);

    /// @return the next character that is no space; 0 at the end
    char Peek();
    void Take(char wanted);
    bool TryTake(char wanted);
    bool TryTake(std::string_view word);
    std::string_view TakeNumber();
    void TakeEscape(std::string& text);
    /// @return what a \\u escape says, from the u on
    uint32_t TakeCode();
    void RequireField(bool isRead, const char* name);
    void End();
    [[noreturn]] void Fail(const std::string& wanted);
    [[noreturn]] void Fail(const std::string& wanted, std::string_view found);

    std::string_view m_rest;
    std::string m_place;
};

/// @return what the JSON @p text says, which messages call @p name. @throws std::invalid_argument
template <typename T>
T
FromJson(std::string_view text, const std::string& name)
{
    return JsonReader(text, name).ReadAll<T>();
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_JSON_JSON_READER_H */
