// SPDX-License-Identifier: Apache-2.0
#include "formats/csv.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>

#include "files.h"
#include "orthodict/table.h"

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

TEST(DataCsv, NamesOfRowsAreNoNumbers) {
  EXPECT_EQ(parsed("gene,a,b\nb0001,1,2.5\nb0002,-3,4e-7\n"), kTwoByTwo);
  EXPECT_EQ(parsed(",a,b\n0,1,2.5\n1,-3,4e-7\n"), kTwoByTwo);                 // pandas
  EXPECT_EQ(parsed("\"a\" \"b\"\n\"1\" 1 2.5\n\"2\" -3 4e-7\n"), kTwoByTwo);  // R
  EXPECT_EQ(parsed("\ta\tb\nthr L\t1\t2.5\n\"thr, A\"\t-3\t4e-7\n"), kTwoByTwo);
  EXPECT_EQ(parsed("a,b\n1,2.5\n-3,4e-7\n"), kTwoByTwo);
}

TEST(DataCsv, NamesAreReadToo) {
  const TableNames names =
      formats::parse_csv_names("gene,\"a,1\",\"say \"\"b\"\"\"\nb0001,1,2.5\n\"thr, L\",-3,4\n", "x.csv");
  EXPECT_EQ(names.rows, (std::vector<std::string>{"b0001", "thr, L"}));
  EXPECT_EQ(names.columns, (std::vector<std::string>{"a,1", "say \"b\""}));
  EXPECT_EQ(names.corner, "gene");
  const TableNames of_r = formats::parse_csv_names("a b\nr 1 2\n7 3 4\n", "x.txt");
  EXPECT_EQ(of_r.rows, (std::vector<std::string>{"r", "7"}));
  EXPECT_EQ(of_r.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(of_r.corner, "");
  const TableNames header = formats::parse_csv_names("a,b\n1,2\n", "x.csv");
  EXPECT_TRUE(header.rows.empty());
  EXPECT_EQ(header.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(formats::parse_csv_names("1,2\n3,4\n", "x.csv").empty());
}

// A value that is missing in the first line doesn't make names of a column of numbers.
TEST(DataCsv, AColumnWithNumbersIsNotOneOfNames) {
  EXPECT_MENTIONS(parse_error("a,b\nN/A,2\n3,4\n"), "line 3, column 1: \"3\" is no name");
  EXPECT_MENTIONS(parse_error("gene,a\nb1,2\nb2,x\n"), "line 3, column 2: \"x\" isn't a number");
  EXPECT_MENTIONS(parse_error("gene,a\nb1,2\nb2,3,4\n"), "line 3 has 3 fields, line 1 has 2");
}

class CsvTables : public test::FolderTest {};

TEST_F(CsvTables, AreWrittenWithTheirNames) {
  const TableNames names{.rows = {"b0001", "thr, L", "say \"b\""}, .columns = {"atom0", "atom 1"}, .corner = "gene"};
  const RowMatrix<double> values{{1, 2.5}, {-3, 4e-7}, {0, 1}};
  for (const std::string name : {"t.csv", "t.tsv"}) {
    const std::string file = path(name);
    const auto writer = open_table_writer(file, ElementType::kF64, 3, 2, names);
    writer->append(values);
    writer->commit();
    EXPECT_EQ(to_matrix(read_array(file)), values);
    const TableNames read = read_table_names(file);
    EXPECT_EQ(read.rows, names.rows);
    EXPECT_EQ(read.columns, names.columns);
    EXPECT_EQ(read.corner, "gene");
  }
  const auto open_npy = [&] { static_cast<void>(open_table_writer(path("t.npy"), ElementType::kF64, 3, 2, names)); };
  EXPECT_MENTIONS(test::message_of(open_npy, Fault::kOption), "only .csv and .tsv");
  EXPECT_TRUE(read_table_names(path("nothing.npy")).empty());
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
