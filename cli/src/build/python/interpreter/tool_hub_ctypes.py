"""A stand-in for the module `ctypes`: a sandbox calls no native code.

It has the types of C with their sizes, for which packages such as sympy import the module.
"""

# In bytes, as WebAssembly has them.
SIZES = {
    "c_bool": 1, "c_byte": 1, "c_char": 1, "c_double": 8, "c_float": 4, "c_int": 4, "c_int16": 2, "c_int32": 4,
    "c_int64": 8, "c_int8": 1, "c_long": 4, "c_longlong": 8, "c_short": 2, "c_size_t": 4, "c_ssize_t": 4, "c_ubyte": 1,
    "c_uint": 4, "c_uint16": 2, "c_uint32": 4, "c_uint64": 8, "c_uint8": 1, "c_ulong": 4, "c_ulonglong": 8,
    "c_ushort": 2, "c_void_p": 4,
}  # fmt: skip

globals().update({name: type(name, (), {"size": size}) for name, size in SIZES.items()})


def sizeof(kind):
    return kind.size
