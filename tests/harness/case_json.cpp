// Reads and writes cases. The only file that knows the JSON library.
#include "harness/case_json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/text.h"
#include "harness/elements.h"

namespace strew::harness {
using namespace internal;
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& sentence) { throw std::runtime_error("case: " + sentence); }

Dtype dtype_named(const std::string& word) {
  for (const DtypeInfo& row : dtypes) {
    if (row.name == word) return row.dtype;
  }
  refuse("no dtype \"" + word + "\"");
}

// A decimal goes through a double, as in every reader of these files: writers make sure that it survives.
double real_of(const Json& x) {
  if (x.is_number()) return x.get<double>();
  const auto word = x.get<std::string>();
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (word == "Infinity") return std::numeric_limits<double>::infinity();
  if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
  refuse("no number \"" + word + "\"");
}

// The low 64 bits of an integer, which JSON keeps signed or unsigned.
std::uint64_t integer_bits(const Json& x) {
  if (x.is_boolean()) return x.get<bool>() ? 1 : 0;
  if (x.is_number_unsigned()) return x.get<std::uint64_t>();
  if (x.is_number_integer()) return static_cast<std::uint64_t>(x.get<std::int64_t>());
  refuse("expected an integer, got " + x.dump());
}

void store_json(Dtype dtype, std::byte* at, const Json& x) {
  switch (dtype_info(dtype).kind) {
    case DtypeKind::floating: store_real(dtype, at, real_of(x)); break;
    case DtypeKind::complex:
      store_real(dtype, at, real_of(x.at(0)));
      store_real(dtype, at + size_of(dtype) / 2, real_of(x.at(1)));
      break;
    default: store_integer(dtype, at, integer_bits(x));
  }
}

Buffer parse_buffer(Dtype dtype, const Json& data) {
  Buffer buffer = zeros(dtype, static_cast<std::int64_t>(data.size()));
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (dtype == Dtype::string) {
      buffer.strings[i] = data[i].get<std::string>();
    } else {
      store_json(dtype, buffer.bytes.data() + static_cast<std::int64_t>(i) * size_of(dtype), data[i]);
    }
  }
  return buffer;
}

Dims parse_dims(const Json& list) {
  Dims dims;
  for (const Json& x : list) dims.push_back(x.get<std::int64_t>());
  return dims;
}

TensorSpec parse_tensor(const Json& t) {
  TensorSpec tensor;
  const Dtype dtype = dtype_named(t.at("dtype").get<std::string>());
  tensor.shape = parse_dims(t.at("shape"));
  tensor.data = t.contains("data") ? parse_buffer(dtype, t["data"]) : Buffer{dtype, {}, {}};
  if (t.contains("strides")) tensor.strides = parse_dims(t["strides"]);
  tensor.offset = t.value("offset", std::int64_t{0});
  tensor.shares = t.value("shares", std::string());
  return tensor;
}

Values parse_values(const Json& t) {
  TensorSpec tensor = parse_tensor(t);
  if (element_count(tensor.shape) != tensor.data.size()) refuse("a result of another size than its shape");
  return {std::move(tensor.shape), std::move(tensor.data)};
}

Number parse_number(const Json& x) {
  if (x.is_boolean()) return x.get<bool>();
  if (x.is_array()) return std::complex<double>(real_of(x.at(0)), real_of(x.at(1)));
  if (x.is_number_unsigned()) return x.get<std::uint64_t>();
  if (x.is_number_integer()) return x.get<std::int64_t>();
  return real_of(x);
}

// {"key": [0, {"slice": [null, 5, 2]}, "...", null, {"dtype": ..}]}; null in the list is a new axis.
KeyPart parse_part(const Json& x) {
  if (x.is_null()) return numpy::NewAxis{};
  if (x.is_string()) return numpy::Ellipsis{};
  if (!x.is_object()) return x.get<std::int64_t>();
  if (!x.contains("slice")) return parse_tensor(x);
  const auto end = [&](std::size_t i) {
    const Json& part = x["slice"].at(i);
    return part.is_null() ? std::optional<std::int64_t>() : part.get<std::int64_t>();
  };
  return numpy::Slice{end(0), end(1), end(2)};
}

KeySpec parse_key(const Json& list) {
  KeySpec key;
  for (const Json& x : list) key.push_back(parse_part(x));
  return key;
}

decltype(CaseArgument::value) parse_value(const Json& x) {
  if (x.is_string()) return x.get<std::string>();
  if (x.is_array()) return parse_dims(x);
  if (x.is_object() && x.contains("dtype")) return parse_tensor(x);
  if (x.is_object() && x.contains("key")) return parse_key(x["key"]);
  return parse_number(x.is_object() ? x.at("scalar") : x);
}

Json dims_json(const Dims& dims) { return Json(std::vector<std::int64_t>(dims.begin(), dims.end())); }

// Numbers are printed by element_text, so that their decimals are ours and not the library's.
Json buffer_json(const Buffer& buffer) {
  if (buffer.dtype == Dtype::string) return buffer.strings;
  std::string list = "[";
  for (std::int64_t i = 0; i < buffer.size(); ++i) list += cat(i == 0 ? "" : ",", element_text(buffer, i));
  return Json::parse(list + "]");
}

Json tensor_json(const TensorSpec& tensor) {
  Json t{{"dtype", to_string(tensor.data.dtype)}, {"shape", dims_json(tensor.shape)}};
  if (tensor.shares.empty()) {
    t["data"] = buffer_json(tensor.data);
  } else {
    t["shares"] = tensor.shares;
  }
  if (tensor.strides || !tensor.shares.empty()) {
    t["strides"] = dims_json(strides_of(tensor));
    t["offset"] = tensor.offset;
  }
  return t;
}

Json values_json(const Values& values) { return tensor_json({values.shape, values.data, {}, 0, {}}); }

Json real_json(double x) {
  std::byte bytes[sizeof x];
  store_as(bytes, x);
  return Json::parse(real_text(Dtype::float64, bytes));
}

struct ValueJson {
  Json operator()(const TensorSpec& tensor) const { return tensor_json(tensor); }
  Json operator()(const std::string& word) const { return word; }
  Json operator()(const Dims& dims) const { return dims_json(dims); }
  Json operator()(const Number& number) const { return std::visit(*this, number); }
  Json operator()(const KeySpec& key) const {
    Json list = Json::array();
    for (const KeyPart& part : key) list.push_back(std::visit(*this, part));
    return {{"key", list}};
  }
  Json operator()(const numpy::Slice& x) const {
    const auto end = [](std::optional<std::int64_t> part) { return part ? Json(*part) : Json(); };
    return {{"slice", Json::array({end(x.start), end(x.stop), end(x.step)})}};
  }
  Json operator()(numpy::Ellipsis) const { return "..."; }
  Json operator()(numpy::NewAxis) const { return {}; }
  Json operator()(bool x) const { return x; }
  Json operator()(std::int64_t x) const { return x; }
  Json operator()(std::uint64_t x) const { return x; }
  Json operator()(double x) const {
    Json number = real_json(x);
    return number.is_string() ? Json{{"scalar", number}} : number;
  }
  Json operator()(const std::complex<double>& x) const { return {{"scalar", Json::array({real_json(x.real()), real_json(x.imag())})}}; }
};

Json answer_json(const Answer& answer) {
  if (answer.result) return {{"result", values_json(*answer.result)}};
  return {{"error", {{"code", to_string(*answer.code)}, {"message", answer.message}}}};
}

}  // namespace

Case parse_case(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    Case c;
    c.id = json.at("id").get<std::string>();
    c.system = json.at("system").get<std::string>();
    c.op = json.at("op").get<std::string>();
    for (const auto& [name, value] : json.at("args").items()) {
      if (!value.is_null()) c.args.push_back({name, parse_value(value)});
    }
    if (json.contains("result")) c.result = parse_values(json["result"]);
    if (json.contains("error")) c.error = json["error"].at("message").get<std::string>();
    c.unspecified = json.contains("unspecified");
    c.unsupported = json.contains("unsupported");
    c.disputed = json.contains("disputed");
    if (json.contains("overruled")) c.overruled = json["overruled"].is_string() ? json["overruled"].get<std::string>() : "yes";
    return c;
  } catch (const Json::exception& failure) {
    refuse(failure.what());
  }
}

std::string print_case(const Case& c, const Answer* answer) {
  Json json{{"id", c.id}, {"system", c.system}, {"op", c.op}, {"args", Json::object()}};
  for (const CaseArgument& argument : c.args) json["args"][argument.name] = std::visit(ValueJson{}, argument.value);
  if (c.result) json["result"] = values_json(*c.result);
  if (c.error) json["error"] = {{"message", *c.error}};
  if (answer != nullptr) json["answer"] = answer_json(*answer);
  return json.dump();
}

}  // namespace strew::harness
