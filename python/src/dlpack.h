// DLPack's structs, as its specification lays them out in memory (versions 0 and 1).
#pragma once

#include <cstdint>

namespace strew::python::dlpack {

enum DeviceType : std::int32_t { cpu = 1, cuda_host = 3, rocm_host = 11 };
enum TypeCode : std::uint8_t { signed_integer = 0, unsigned_integer = 1, floating = 2, bfloat = 4, complex = 5, boolean = 6 };

struct Device {
  std::int32_t type;
  std::int32_t id;
};
struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct DataTensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: dense
  std::uint64_t byte_offset;
};

// The content of a capsule named "dltensor".
struct Managed {
  DataTensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct Version {
  std::uint32_t major, minor;
};
inline constexpr std::uint64_t read_only_flag = 1, is_copied_flag = 2;

// The content of a capsule named "dltensor_versioned".
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  DataTensor tensor;
};

// The struct that `__dlpack_c_exchange_api__` of an array type points to: C functions that exchange tensors without Python calls.
struct ExchangeApi {
  Version version;
  ExchangeApi* previous;
  void* allocate;
  int (*from_object)(void* object, ManagedVersioned** out);
  int (*to_object)(ManagedVersioned* tensor, void** out_object);
  // A view that owns nothing: its shape and strides are valid while the object lives and is not modified. May be null.
  int (*view_object)(void* object, DataTensor* out);
};

}  // namespace strew::python::dlpack
