// A program with templates, inlining, exceptions and code of the standard library: something to look up addresses in.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace store {

using Value = std::variant<long, double, std::string>;

struct Record {
  std::string key;
  std::vector<Value> values;
};

class Table {
 public:
  virtual ~Table() = default;
  virtual void insert(Record record) = 0;
  virtual const Record *find(const std::string &key) const = 0;
  virtual std::size_t size() const = 0;
};

template <typename Map>
class MapTable : public Table {
 public:
  void insert(Record record) override {
    if (record.key.empty()) throw std::invalid_argument("a record without a key");
    auto key = record.key;
    records_.insert_or_assign(std::move(key), std::move(record));
  }

  const Record *find(const std::string &key) const override {
    auto found = records_.find(key);
    return found == records_.end() ? nullptr : &found->second;
  }

  std::size_t size() const override { return records_.size(); }

 private:
  Map records_;
};

using OrderedTable = MapTable<std::map<std::string, Record>>;
using HashedTable = MapTable<std::unordered_map<std::string, Record>>;

double number(const Value &value) {
  return std::visit(
      [](const auto &held) -> double {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return std::stod(held);
        } else {
          return static_cast<double>(held);
        }
      },
      value);
}

double total(const Record &record) {
  return std::accumulate(record.values.begin(), record.values.end(), 0.0,
                         [](double sum, const Value &value) { return sum + number(value); });
}

}  // namespace store

namespace {

std::vector<std::string> words(const std::string &text) {
  static const std::regex word("[[:alpha:]]+|[[:digit:]]+(\\.[[:digit:]]*)?");
  return {std::sregex_token_iterator(text.begin(), text.end(), word), std::sregex_token_iterator()};
}

store::Record record(const std::string &line) {
  auto parts = words(line);
  if (parts.empty()) throw std::runtime_error("nothing in: " + line);
  store::Record result{parts[0], {}};
  std::transform(parts.begin() + 1, parts.end(), std::back_inserter(result.values),
                 [](const std::string &part) -> store::Value {
                   if (part.find('.') != std::string::npos) return std::stod(part);
                   return std::stol(part);
                 });
  return result;
}

std::string report(const std::vector<std::unique_ptr<store::Table>> &tables, const std::string &key) {
  std::ostringstream text;
  for (const auto &table : tables) {
    if (const auto *found = table->find(key)) text << key << ' ' << store::total(*found) << " of " << table->size();
  }
  return text.str();
}

}  // namespace

int main(int count, char **arguments) {
  std::vector<std::unique_ptr<store::Table>> tables;
  tables.push_back(std::make_unique<store::OrderedTable>());
  tables.push_back(std::make_unique<store::HashedTable>());
  std::vector<std::string> lines(arguments + 1, arguments + count);
  std::stable_sort(lines.begin(), lines.end(), [](const auto &a, const auto &b) { return a.size() < b.size(); });
  try {
    for (const auto &line : lines) {
      for (auto &table : tables) table->insert(record(line));
    }
    for (const auto &line : lines) std::cout << report(tables, words(line).at(0)) << '\n';
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
