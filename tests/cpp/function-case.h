/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_TESTS_FUNCTION_CASE_H
#define MFTPUBSUB_TESTS_FUNCTION_CASE_H

#include "ns3/test.h"

#include <functional>
#include <string>
#include <utility>

namespace mftpubsub
{

/// A case that is one function.
class FunctionCase : public ns3::TestCase
{
  public:
    using Function = std::function<void(FunctionCase&)>;

    FunctionCase(const std::string& name, Function function)
        : TestCase(name),
          m_function(std::move(function))
    {
    }

    void Expect(bool holds, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(holds, true, what);
    }

  private:
    void DoRun() override
    {
        m_function(*this);
    }

    Function m_function;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_TESTS_FUNCTION_CASE_H */
