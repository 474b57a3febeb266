// SPDX-License-Identifier: Apache-2.0
#include "formats/csv.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>

#include "files.h"

namespace orthodict {
namespace {

RowMatrix<double> parsed(const std::string& text) { return to_matrix(formats::parse_csv(text, "x.csv")); }

std::string parse_error(const std::string& text) {
  return test::message_of([&] { static_cast<void>(formats::parse_csv(text, "x.csv")); });
}

const RowMatrix<double> kTwoByTwo{{1.0, 2.5}, {-3.0, 4e-7}};

TEST(DataCsv, EverySeparatorIsFound) {
  EXPECT_EQ(parsed("1,2.5\n-3,4e-7\n"), kTwoByTwo);
  EXPECT_EQ(parsed("1\t2.5\n-3\t4e-7\n"), kTwoByTwo);
  EXPECT_EQ(parsed("1;2.5\n-3;4e-7\n"), kTwoByTwo);
  EXPECT_EQ(parsed("  1   2.5\n -3\t4e-7  \n"), kTwoByTwo);
  EXPECT_EQ(parsed("1, 2.5\n-3 , +4e-7"), kTwoByTwo);
  EXPECT_EQ(parsed("1\n2\n3").rows(), 3);
}

TEST(DataCsv, HeaderCommentsBlankLinesQuotesCrlfAndMarkAreUnderstood) {
  EXPECT_EQ(parsed("a,b\n1,2.5\n-3,4e-7\n"), kTwoByTwo);
  EXPECT_EQ(parsed("\xEF\xBB\xBF\"a, \"\"b\"\"\";c\r\n\r\n# note, with commas\r\n\"1\";\"2.5\"\r\n-3;4e-7\r\n"),
            kTwoByTwo);
  EXPECT_EQ(parsed("# 1\n  # 2\n\n1,2.5\n   \n-3,4e-7\n\n"), kTwoByTwo);
}

TEST(DataCsv, NanAndInfAreNumbers) {
  const RowMatrix<double> matrix = parsed("nan,inf\nNaN,-Infinity\n");
  EXPECT_TRUE(std::isnan(matrix(0, 0)));
  EXPECT_TRUE(std::isnan(matrix(1, 0)));
  EXPECT_EQ(matrix(0, 1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(matrix(1, 1), -std::numeric_limits<double>::infinity());
}

TEST(DataCsv, ErrorsNameLineAndColumn) {
  EXPECT_MENTIONS(parse_error("a,b\n1,2\n\n3\n"), "x.csv: line 4 has 1 fields, line 1 has 2");
  EXPECT_MENTIONS(parse_error("1,2\n3,x\n"), "line 2, column 2: \"x\" isn't a number");
  EXPECT_MENTIONS(parse_error("1,2\n3,\n"), "line 2, column 2: empty field");
  EXPECT_MENTIONS(parse_error("1,,2\n"), "line 1, column 2: empty field");
  EXPECT_MENTIONS(parse_error("1;2\n3,5;4\n"), "line 2, column 1: \"3,5\"");
  EXPECT_MENTIONS(parse_error("1,2\n3,1e999\n"), "out of range for double");
  EXPECT_MENTIONS(parse_error("1,2\n\"3,4\n"), "line 2: unclosed quote");
  EXPECT_MENTIONS(parse_error("1,2\n\"3\"4,5\n"), "line 2: unclosed quote");
  EXPECT_MENTIONS(parse_error("1,2\n3,0x10\n"), "\"0x10\"");
  EXPECT_MENTIONS(parse_error("1,2\n3,+-4\n"), "\"+-4\"");
}

TEST(DataCsv, TextWithoutNumbersIsAnError) {
  EXPECT_MENTIONS(parse_error(""), "no numbers");
  EXPECT_MENTIONS(parse_error("\n# only\n"), "no numbers");
  EXPECT_MENTIONS(parse_error("a,b\n"), "after the header in line 1");
  EXPECT_MENTIONS(parse_error("\xFF\xFE"
                              "1"),
                  "UTF-16");
  EXPECT_MENTIONS(parse_error(std::string("1,2\n\0\1\2,3\n", 10)), "line 2");
}

TEST(DataCsv, TheLocaleDoesNotMatter) {
  const std::string saved = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // has no effect if the locale isn't installed
  EXPECT_EQ(parsed("1,2.5\n-3,4e-7\n"), kTwoByTwo);
  std::setlocale(LC_ALL, saved.c_str());
}

TEST(DataCsv, TruncationAnywhereNeverCrashes) {
  const std::string whole = "\"a\",\"b\"\r\n1,2.5\r\n# c\r\n\"-3\",4e-7\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      EXPECT_EQ(formats::parse_csv(whole.substr(0, size), "x.csv").columns(), 2);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kData);
    }
  }
}

}  // namespace
}  // namespace orthodict
