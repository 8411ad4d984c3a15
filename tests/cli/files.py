"""Arrays in .npy and .npz files: what the command reads and writes is compared with what NumPy reads and writes."""
import io
import os
import resource
import struct
import subprocess
import unittest
import zipfile
from pathlib import Path

import numpy as np

from support import STREW, InFolder

NUMBERS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def values(dtype, shape, seed=0):
    """Any bit patterns, NaNs among them; True and False."""
    random = np.random.default_rng(seed)
    count = int(np.prod(shape, dtype=np.int64))
    if np.dtype(dtype).kind == "b":
        return random.integers(0, 2, shape).astype("?")
    if np.dtype(dtype).kind == "U":
        letters = list("abcxyz äß€語𝄞")
        return np.array(["".join(random.choice(letters, random.integers(0, 4))) for _ in range(count)], dtype).reshape(shape)
    if np.dtype(dtype).kind == "S":
        return np.frombuffer(random.bytes(count * np.dtype(dtype).itemsize), dtype).reshape(shape)
    return np.frombuffer(random.bytes(count * np.dtype(dtype).itemsize), dtype).reshape(shape)


class Reading(InFolder):
    # A gather of every row in reverse order: each element is read and written once.
    def assert_read(self, name, array, write=np.save):
        write("x.npy", array)
        np.save("i.npy", np.arange(len(array))[::-1].reshape(-1, 1))
        self.done("run", "onnx.gather_nd", f"data={name}", "indices=i.npy", "-o", "y.npy", "-f", "-q")
        result = np.load("y.npy")
        self.assertEqual(result.dtype, array.dtype.newbyteorder("="))
        self.assertEqual(result.tobytes(), np.ascontiguousarray(array[::-1]).astype(result.dtype).tobytes())

    def test_every_dtype_in_both_orders_of_bytes_and_of_memory(self):
        for code in NUMBERS:
            for order in "<>":
                for memory in "CF":
                    array = values(code, (4, 3, 5)).astype(np.dtype(code).newbyteorder(order), order=memory)
                    if np.dtype(code).kind in "fc":  # a copy to the other byte order keeps the bits of NaNs
                        array = np.asarray(values(code, (4, 3, 5)), order=memory).byteswap().view(np.dtype(code).newbyteorder(order))
                    with self.subTest(code=code, order=order, memory=memory):
                        self.assert_read("x.npy", array)

    def test_all_versions(self):
        for version in ((1, 0), (2, 0), (3, 0)):
            def write(name, array):
                with open(name, "wb") as file:
                    np.lib.format.write_array(file, array, version=version)

            with self.subTest(version=version):
                self.assert_read("x.npy", values("f4", (3, 2)), write)

    def test_members_of_archives(self):
        for save in (np.savez, np.savez_compressed):
            for code in ("f8", ">i4", "?", "U3"):
                array = values(code, (5, 7)) if code != ">i4" else np.arange(35).reshape(5, 7).astype(code)
                with self.subTest(save=save.__name__, code=code):
                    self.assert_read("d.npz:x", array, lambda _, a: save("d.npz", x=a, other=np.ones(3)))
        self.assert_read("d.npz:x.npy", values("f4", (5, 7)), lambda _, a: np.savez("d.npz", x=a))
        self.assert_read("d.npz", values("f4", (5, 7)), lambda _, a: np.savez("d.npz", x=a))  # the only one
        self.assert_read("d.npz:a b/ü", values("f4", (5, 7)), lambda _, a: np.savez("d.npz", **{"a b/ü": a, "b": a}))

    def test_large_members(self):
        array = values("f8", (1000, 321))
        self.assert_read("d.npz:x", array, lambda _, a: np.savez_compressed("d.npz", x=a))
        self.assert_read("d.npz:x", np.zeros_like(array), lambda _, a: np.savez_compressed("d.npz", x=a))  # deflates by the most there is

    def test_archives_of_64_bits(self):
        array = values("f4", (6,))

        def write(_, array):
            with zipfile.ZipFile("d.npz", "w") as archive, archive.open("x.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array)

        self.assert_read("d.npz:x", array, write)
        content = bytearray(Path("d.npz").read_bytes())
        end = content.rindex(b"PK\5\6")
        _, _, _, _, entries, size, offset, _ = struct.unpack("<4s4H2LH", content[end:])
        end64 = struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, size, offset)
        locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
        last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
        Path("d.npz").write_bytes(content[:end] + end64 + locator + last)
        np.testing.assert_array_equal(np.load("d.npz")["x"], array)  # NumPy's reader agrees that this is an archive
        self.assert_read("d.npz:x", array, lambda *_: None)

    def test_archives_written_to_a_pipe(self):
        class Pipe(io.RawIOBase):
            def __init__(self):
                self.content = b""

            def writable(self):
                return True

            def write(self, data):
                self.content += bytes(data)
                return len(data)

        array = values("f4", (5, 7))
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            for zip64 in (False, True):
                with self.subTest(method=method, zip64=zip64):
                    pipe = Pipe()
                    with zipfile.ZipFile(pipe, "w", method) as archive:
                        for name in ("x.npy", "y.npy"):
                            with archive.open(name, "w", force_zip64=zip64) as member:
                                np.lib.format.write_array(member, array)
                    self.assert_read("d.npz:x", array, lambda *_: Path("d.npz").write_bytes(pipe.content))

    def test_comment_of_an_archive(self):
        with zipfile.ZipFile("d.npz", "w") as archive:
            archive.comment = b"PK\5\6 a comment that looks like an end" * 3
            with archive.open("x.npy", "w") as member:
                np.lib.format.write_array(member, np.arange(3))
        self.assert_read("d.npz", np.arange(3), lambda *_: None)

    def test_text(self):
        for code in ("U3", ">U3", "S5"):
            array = values(code.lstrip(">"), (6,))
            with self.subTest(code=code):
                np.save("x.npy", array.astype(code))
                self.done("run", "onnx.gather_nd", "data=x.npy", "indices=[[0],[1],[2],[3],[4],[5]]", "-o", "y.npy", "-f")
                read = np.load("y.npy")
                expected = array.tolist()
                self.assertEqual([x.encode() for x in read.tolist()] if read.dtype.kind == "U" and code == "S5" else read.tolist(), expected)

    def test_compressed_text(self):
        array = np.full(1_000_000, "ab", "U2")
        np.savez_compressed("d.npz", x=array)
        self.done("run", "numpy.add_at", "a=d.npz", "indices=[0]", 'b="c"', "-o", "y.npy", "-q")
        read = np.load("y.npy")
        self.assertEqual((read[0], read[-1], len(read)), ("abc", "ab", 1_000_000))

    def test_bfloat16_as_ml_dtypes_writes_it(self):
        bits = np.array([0x3F80, 0x4000, 0x7FC0, 0x8000, 0x0001], "<u2")  # 1, 2, NaN, -0, the smallest subnormal
        for descr in ("<V2", "|V2"):
            with open("x.npy", "wb") as file:
                np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": (5,)})
                file.write(bits.tobytes())
            out = self.done("run", "onnx.gather_elements", "data=x.npy", "indices=[4,3,2,1,0]", "-o", "y.npy", "-f")
            self.assertEqual(out, "y.npy: bfloat16, shape [5]\n")
            header = Path("y.npy").read_bytes()
            self.assertIn(b"'descr': '<V2'", header)
            self.assertEqual(header[-10:], bits[::-1].tobytes())

    def test_shapes(self):
        for shape in ((), (0,), (1,), (0, 3), (3, 0), (2, 0, 3), (1,) * 32):
            for order in "CF":
                with self.subTest(shape=shape, order=order):
                    np.save("x.npy", np.ones(shape, order=order))
                    self.done("run", "numpy.add_at", "a=x.npy", "indices=...", "b=1.5", "-o", "y.npy", "-f")
                    result = np.load("y.npy")
                    self.assertEqual((result.shape, result.tolist()), (shape, np.full(shape, 2.5).tolist()))

    def test_an_unaligned_array(self):
        array = np.arange(5.0)
        with open("x.npy", "wb") as file:
            header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}"
            file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + array.tobytes())
        self.assert_read("x.npy", array, lambda *_: None)

    def test_long_headers(self):
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}"
        for size in (255, 256, 257, 1000, 9999):
            Path("x.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", size) + header.ljust(size).encode() + np.arange(2.0).tobytes())
            with self.subTest(size=size):
                self.assert_read("x.npy", np.arange(2.0), lambda *_: None)

    def test_as_many_dimensions_as_there_can_be(self):
        header = "{'descr': '<f8', 'fortran_order': True, 'shape': (" + "1," * 62 + "2, 3)}"
        Path("x.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + np.arange(6.0).tobytes())
        self.assertEqual(self.done("run", "numpy.add_at", "a=x.npy", "indices=...", "b=0", "--json"),
                         '{"operator": "numpy.add_at", "dtype": "float64", "shape": [' + "1, " * 62 + '2, 3], "values": '
                         + "[" * 62 + "[[0,2,4],[1,3,5]]" + "]" * 62 + "}\n")

    def test_every_member_of_an_archive(self):
        arrays = {f"a{i}": values("f4", (i + 1, 3), i) for i in range(20)}
        for save in (np.savez, np.savez_compressed):
            save("d.npz", **arrays)
            for name in ("a0", "a7", "a19"):
                with self.subTest(save=save.__name__, name=name):
                    self.assert_read(f"d.npz:{name}", arrays[name], lambda *_: None)

    def test_other_layouts_of_a_valid_header(self):
        for header in (
            "{'shape': (2,), 'fortran_order': False, 'descr': '<f8'}",
            '{"descr":"<f8","fortran_order":True,"shape":(2,),}\n',
            "  { 'descr' : '<f8' ,\t'fortran_order': False, 'shape': ( 2 , ) } \n",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2L,), }",
        ):
            with self.subTest(header=header), open("x.npy", "wb") as file:
                file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + np.arange(2.0).tobytes())
            self.assert_read("x.npy", np.arange(2.0), lambda *_: None)


class Writing(InFolder):
    def test_the_bytes_are_numpys(self):
        for code in NUMBERS:
            for shape in ((5,), (2, 3), (1, 2, 3, 4), (100, 3)):
                np.save("x.npy", values(code, shape))
                self.done("run", "numpy.put_along_axis", "arr=x.npy", f"indices={np.zeros((1,) * len(shape), int).tolist()}",
                          f"values={'true' if code == '?' else 1}", "axis=0", "-o", "y.npy", "-f")
                expected = np.load("x.npy")
                np.put_along_axis(expected, np.zeros((1,) * len(shape), int), 1, 0)
                np.save("z.npy", expected)
                with self.subTest(code=code, shape=shape):
                    self.assertEqual(Path("y.npy").read_bytes(), Path("z.npy").read_bytes())

    def test_text_is_as_wide_as_the_longest(self):
        self.done("run", "onnx.scatter_elements", 'data=["a","b","c"]', "indices=[1]", 'updates=["語語語語"]', "-o", "y.npy")
        result = np.load("y.npy")
        self.assertEqual((result.dtype, result.tolist()), (np.dtype("<U4"), ["a", "語語語語", "c"]))

    def test_bytes_that_are_no_utf8_stay_bytes(self):
        np.save("x.npy", np.array([b"\xff\xfe", b"a"]))
        self.done("run", "onnx.gather_elements", "data=x.npy", "indices=[1,0]", "-o", "y.npy")
        self.assertEqual(np.load("y.npy").tolist(), [b"a", b"\xff\xfe"])


class Memory(InFolder):
    def test_files_need_no_memory_of_their_own(self):
        count = 16 << 20
        with open("x.npy", "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
            file.truncate(file.tell() + 8 * count)

        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20))  # half of the array

        subprocess.run([STREW, "run", "pytorch.scatter_add", "input=x.npy", "dim=0", f"index=[5,{count - 1},5]", "src=[1,2,3]", "threads=1",
                        "-o", "y.npy", "-q"], check=True, preexec_fn=limit, timeout=60)
        result = np.load("y.npy", mmap_mode="r")
        self.assertEqual((result.shape, result[5], result[-1], np.count_nonzero(result)), ((count,), 4.0, 2.0, 2))
        self.assertEqual(os.stat("y.npy").st_size, os.stat("x.npy").st_size)


if __name__ == "__main__":
    unittest.main()
