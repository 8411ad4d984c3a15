"""Files that lie. Every one must be refused with one sentence, at once, without memory for what it claims."""
import io
import os
import resource
import struct
import subprocess
import unittest
import zipfile
import zlib
from pathlib import Path

import numpy as np

from support import STREW, InFolder


def npy(header, data=b"", version=(1, 0), length=None):
    text = header.encode("latin-1") if isinstance(header, str) else header
    size = len(text) if length is None else length
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version[0] == 1 else "<I", size) + text + data


def dict_of(shape="(2,)", descr="'<f4'", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def local(name=b"x.npy", content=b"", method=0, flags=0, crc=None, size=None, stored=None, descriptor=b""):
    """A member of an archive, and its entry of the directory without the offset. With a descriptor, the local header has no sizes."""
    stored = content if stored is None else stored
    crc = zlib.crc32(content) if crc is None else crc
    size = len(content) if size is None else size
    known = (crc, len(stored), size) if flags & 8 == 0 else (0, 0, 0)
    fields = struct.pack("<5H3L2H", 20, flags, method, 0, 0, *known, len(name), 0)
    entry = b"PK\1\2" + struct.pack("<6H3L5H2L", 20, 20, flags, method, 0, 0, crc, len(stored), size, len(name), 0, 0, 0, 0, 0, 0) + name
    return b"PK\3\4" + fields + name + stored + descriptor, entry


def archive(*members, entries=None, disks=0):
    body, directory = b"", b""
    for data, entry in members:
        directory += entry[:42] + struct.pack("<L", len(body)) + entry[46:]
        body += data
    count = len(members) if entries is None else entries
    return body + directory + struct.pack("<4s4H2LH", b"PK\5\6", disks, disks, count, count, len(directory), len(body), 0)


def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def deflated(content):
    encoder = zlib.compressobj(9, zlib.DEFLATED, -15)
    return encoder.compress(content) + encoder.flush()


TWO = np.ones(2, "<f4").tobytes()
HEADERS = {
    # What it is: the file, and a part of the sentence.
    "empty": (b"", "is empty"),
    "short magic": (b"\x93NUM", "neither a .npy nor a .npz file"),
    "only magic": (b"\x93NUMPY", "ends within the header"),
    "magic and version": (b"\x93NUMPY\1\0", "ends within the header"),
    "version 9": (npy(dict_of(), TWO, (9, 0)), "version 9.0"),
    "version 1.1": (npy(dict_of(), TWO, (1, 1)), "version 1.1"),
    "version 0": (npy(dict_of(), TWO, (0, 0)), "version 0.0"),
    "header of 4 GiB": (b"\x93NUMPY\2\0\xf0\xff\xff\xff", "declares a header of 4294967280 bytes"),
    "header beyond the end": (npy(dict_of(), b"", length=60000), "declares a header of 60000 bytes"),
    "header of no bytes": (npy("", TWO), "has no"),
    "huge header": (npy(dict_of().rstrip() + " " * 20000, TWO, (2, 0)), "the most is 10000"),
    "zero in the header": (npy(b"{'descr': '<u2', 'fo\0\0\0\0n_order': False, 'shape': (2,), }", TWO[:4]), "unknown entry \"fo\\x00\\x00"),
    "zero instead of a header": (npy(b"\0" * 118), "has no"),
    "deep nesting": (npy("{'descr': " + "[" * 3000 + "}", TWO), "structured"),
    "nested shape": (npy(dict_of("((2,),)"), TWO), "something other than sizes"),
    "truncated data": (npy(dict_of("(1000,)"), TWO), "declares 4000 bytes of elements (float32, shape [1000]), but 8 bytes follow"),
    "one byte too few": (npy(dict_of(), TWO[:-1]), "but 7 bytes follow"),
    "one byte too many": (npy(dict_of(), TWO + b"\0"), "but 9 bytes follow"),
    "a second array": (saved(np.ones(2)) * 2, "bytes follow it"),
    "negative size": (npy(dict_of("(-1,)"), TWO), "negative size: -1"),
    "negative sizes": (npy(dict_of("(-1, -2)"), TWO), "negative size"),
    "product wraps": (npy(dict_of(f"({2**32}, {2**32})"), TWO), "does not fit 64 bits"),
    "bytes wrap": (npy(dict_of(f"({2**62},)"), TWO), "does not fit 64 bits"),
    "product wraps beside a zero": (npy(dict_of(f"(0, {2**62}, 8)"), b""), "does not fit 64 bits"),
    "size of 65 bits": (npy(dict_of(f"({2**64},)"), TWO), "a size that does not fit 64 bits"),
    "bool in the shape": (npy(dict_of("(True,)"), TWO), "something other than sizes"),
    "float in the shape": (npy(dict_of("(2.0,)"), TWO), "no tuple"),
    "shape without a comma": (npy(dict_of("(2)"), TWO), "no tuple"),
    "shape as a list": (npy(dict_of("[2]"), TWO), 'has no "("'),
    "shape that does not end": (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,", TWO), "other than sizes"),
    "65 dimensions": (npy(dict_of("(" + "1," * 65 + ")"), TWO[:4]), "more than 64 dimensions"),
    "leading zero": (npy(dict_of("(02,)"), TWO), "begins with 0"),
    "missing entry": (npy("{'descr': '<f4', 'shape': (2,)}", TWO), 'no entry "fortran_order"'),
    "extra entry": (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", TWO), 'unknown entry "x"'),
    "two entries": (npy("{'descr': '<f4', 'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", TWO), 'two entries "descr"'),
    "text after the dict": (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} + x", TWO), "goes on after its end"),
    "no dict": (npy("[1, 2]", TWO), 'has no "{"'),
    "order that is no bool": (npy(dict_of(order="0"), TWO), "neither True nor False"),
    "objects": (npy(dict_of(descr="'|O'"), TWO), "Python objects, which are never loaded"),
    "structured": (npy(dict_of(descr="[('a', '<f4')]"), TWO), "structured dtype"),
    "dtype that does not end": (npy("{'descr': '<f4", TWO), "does not end"),
    "long double": (npy(dict_of("(1,)", "'<f16'"), b"\0" * 16), '"<f16", which is none of Strew\'s'),
    "dates": (npy(dict_of("(1,)", "'<M8[ns]'"), b"\0" * 8), "none of Strew's"),
    "no dtype": (npy(dict_of(descr="''"), TWO), "byte order"),
    "no byte order": (npy(dict_of(descr="'f4'"), TWO), "byte order"),
    "byte order of many bytes": (npy(dict_of(descr="'|f4'"), TWO), "lacks a byte order"),
    "only a byte order": (npy(dict_of(descr="'<'"), TWO), "none of Strew's"),
    "void of no bytes": (npy(dict_of("(1000000000,)", "'|V0'")), "none of Strew's"),
    "text of no bytes": (npy(dict_of("(1000000000,)", "'|S0'")), "text of 0 characters"),
    "text of 2^63 characters": (npy(dict_of("(1,)", f"'<U{2**63}'")), "characters"),
    "text that wraps": (npy(dict_of("(1,)", f"'<U{2**62}'")), "characters"),
    "text with a sign": (npy(dict_of("(1,)", "'<U-1'")), "none of Strew's"),
    "no Unicode": (npy(dict_of("(1,)", "'<U1'"), struct.pack("<I", 0x110000)), "1114112, which is no Unicode character"),
    "surrogate": (npy(dict_of("(1,)", "'<U1'"), struct.pack("<I", 0xD800)), "no Unicode character"),
}

ONE = saved(np.ones(2, "f4"))
TEXT = npy(dict_of("(20000000,)", "'|S1'"), b"\0" * 20_000_000)


def two(here, there):
    """A member whose local header is that of another one."""
    return here[0], there[1]


def overlapping():
    """Two entries of the directory for one member."""
    whole = archive(local(content=ONE), local(b"y.npy", ONE))
    size = len(local(content=ONE)[0])
    return whole.replace(struct.pack("<L", size) + b"y.npy", struct.pack("<L", 0) + b"y.npy")


def nested():
    """A stored member that contains another one."""
    inner, entry = local(b"y.npy", ONE)
    outer, outer_entry = local(content=npy(dict_of(f"({len(inner)},)", "'|u1'"), inner))
    at = outer.index(inner)
    directory = outer_entry[:42] + struct.pack("<L", 0) + outer_entry[46:] + entry[:42] + struct.pack("<L", at) + entry[46:]
    return outer + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, len(directory), len(outer), 0)


ARCHIVES = {
    "only an end": (archive(), "has no arrays"),
    "end cut off": (archive(local(content=ONE))[:-1], "does not end like one"),
    "only a member": (local(content=ONE)[0], "does not end like one"),
    "wrong checksum": (archive(local(content=ONE, crc=1)), "checksum is wrong"),
    "wrong checksum, deflated": (archive(local(content=ONE, stored=deflated(ONE), method=8, crc=1)), "checksum is wrong"),
    "encrypted": (archive(local(content=ONE, flags=1)), "is encrypted"),
    "method 12": (archive(local(content=ONE, method=12)), "method 12"),
    "split": (archive(local(content=ONE), disks=1), "split archive"),
    "more entries than there are": (archive(local(content=ONE), entries=2), "ends too early"),
    "fewer entries than there are": (archive(local(content=ONE), local(b"y.npy", ONE), entries=1), "goes on after its last entry"),
    "stored in two sizes": (archive(local(content=ONE, size=len(ONE) + 1)), "two sizes"),
    "array larger than its member": (archive(local(content=npy(dict_of("(1000,)"), TWO))), "declares 4000 bytes"),
    "header larger than its member": (archive(local(content=npy(dict_of(), TWO, length=65535)[:80])), "declares a header of 65535 bytes"),
    "member of 10 bytes": (archive(local(content=b"\x93NUMPY\1\0\xff\xff")), "declares a header of 65535 bytes"),
    "member of 3 bytes": (archive(local(content=b"abc")), "no .npy file"),
    "empty member": (archive(local(content=b"")), "no .npy file"),
    "empty deflated member": (archive(local(content=b"", stored=b"", method=8)), "no .npy file"),
    "1 GiB from 100 bytes": (archive(local(stored=b"x" * 100, method=8, size=1 << 30)), "more than 100 compressed bytes can"),
    "member of 4 GiB": (archive((local()[0], local(size=0xFFFFFFFE)[1])), "two sizes"),
    "member beyond the end": (archive((local()[0], local(stored=b"\0" * 1000)[1])), "reaches into its directory"),
    "two entries of 4 GiB": (archive(*[(data, entry[:20] + struct.pack("<L", 0xFFFFFFFE) + entry[24:]) for data, entry in [local(content=ONE, method=8)] * 2]),
                             "several arrays"),
    "compressed bytes of 4 GiB": (archive(*[(data, entry[:20] + struct.pack("<L", 0xFFFFFFFE) + entry[24:]) for data, entry in [local(content=ONE, method=8)]]),
                                  "reaches into its directory"),
    "no zip64 sizes": (archive(local(content=ONE, size=0xFFFFFFFF)), "two sizes"),
    "garbage that inflates": (archive(local(content=ONE, stored=b"\xff" * 200, method=8)), "make no sense"),
    "inflates to less": (archive(local(content=ONE, stored=deflated(ONE[:-4]), method=8)), "shorter than it claims"),
    "inflates to more": (archive(local(content=ONE, stored=deflated(ONE + b"x"), method=8)), "longer than it claims"),
    "bytes after the deflated ones": (archive(local(content=ONE, stored=deflated(ONE) + b"x", method=8)), "bytes follow"),
    "deflated cut off": (archive(local(content=ONE, stored=deflated(ONE)[:-3], method=8)), "end too early"),
    "array larger than what inflates": (archive(local(content=npy(dict_of("(1000,)"), TWO), stored=deflated(npy(dict_of("(1000,)"), TWO)), method=8)),
                                        "declares 4000 bytes"),
    "directory elsewhere": (archive(local(content=ONE))[:-6] + struct.pack("<LH", 10, 0), "directory whose size is wrong"),
    "directory of 4 GiB": (archive(local(content=ONE))[:-10] + struct.pack("<LLH", 0xFFFFFFF0, 0, 0), "directory whose size is wrong"),
    "names a member twice": (archive((local(b"a.npy", ONE)[0], local(b"x.npy", ONE)[1])), "names a member in two ways"),
    "methods that differ": (archive((local(content=ONE, method=8)[0], local(content=ONE)[1])), "two methods"),
    "overlapping members": (overlapping(), "members that overlap"),
    "a member in another": (nested(), "members that overlap"),
    "checksums that differ": (archive(two(local(content=ONE, crc=1), local(content=ONE))), "two checksums"),
    "sizes that differ": (archive(two(local(content=ONE, size=5), local(content=ONE))), "two sizes"),
    "flags that differ": (archive(two(local(content=ONE, flags=8), local(content=ONE))), "flags that contradict"),
    "names in two codes": (archive(two(local(content=ONE, flags=0x800), local(content=ONE))), "flags that contradict"),
    "no record of sizes": (archive(local(content=ONE, flags=8)), "no record of sizes"),
    "a wrong record of sizes": (archive(local(content=ONE, flags=8, descriptor=struct.pack("<4L", 0x08074B50, zlib.crc32(ONE), len(ONE), 1))), "no record of sizes"),
    "strings that fill the memory": (archive(local(content=TEXT, stored=deflated(TEXT), method=8)), "its 20000000 strings would take 660000000 bytes of memory"),
    "a zip64 record that is none": (archive(local(content=ONE))[:-22] + struct.pack("<4sLQL", b"PK\6\7", 0, 4, 1) + archive(local(content=ONE))[-22:], "zip64"),
    "zip64 record beyond the end": (archive(local(content=ONE))[:-22] + struct.pack("<4sLQL", b"PK\6\7", 0, 2**63, 1) + archive(local(content=ONE))[-22:], "outside"),
}


class Hostile(InFolder):
    def check(self, name, content, part, member=""):
        Path(name).write_bytes(content)

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (5, 5))

        result = subprocess.run([STREW, "run", "pytorch.gather", f"input={name}{member}", "dim=0", "index=[0]", "-o", "y.npy"], capture_output=True, text=True,
                                preexec_fn=limit)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn(f"strew: {name.split(':')[0]}", result.stderr)
        self.assertIn(part, result.stderr)
        self.assertEqual(self.names(), [name])

    def test_headers(self):
        for what, (content, part) in HEADERS.items():
            with self.subTest(what):
                self.check("x.npy", content, part)

    def test_archives(self):
        for what, (content, part) in ARCHIVES.items():
            with self.subTest(what):
                self.check("x.npz", content, part, member=":x" if "overlap" in part else "")

    def test_records_of_sizes(self):
        for mark in (b"", struct.pack("<L", 0x08074B50)):
            for sizes in ("<3L", "<LQQ"):
                for stored, method in ((ONE, 0), (deflated(ONE), 8)):
                    record = mark + struct.pack(sizes, zlib.crc32(ONE), len(stored), len(ONE))
                    members = [local(name, ONE, method, 8, stored=stored, descriptor=record) for name in (b"x.npy", b"y.npy")]
                    Path("x.npz").write_bytes(archive(*members))
                    for name in "xy":
                        self.done("run", "pytorch.gather", f"input=x.npz:{name}", "dim=0", "index=[0]")

    def test_every_beginning_of_a_file(self):
        with zipfile.ZipFile("d.npz", "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("x.npy", ONE)
        for content in (ONE, Path("d.npz").read_bytes()):
            for size in range(0, len(content), 7):
                Path("x").write_bytes(content[:size])
                with self.subTest(size=size):
                    self.refused(2, "run", "pytorch.gather", "input=x", "dim=0", "index=[0]")

    def test_names_that_are_no_arrays(self):
        os.mkdir("folder")
        os.mkfifo("pipe")
        os.symlink("nowhere", "link")
        np.save("x.npy", np.ones(3))
        np.savez("d.npz", a=np.ones(1), b=np.ones(2))
        for name, part in (("folder", "is a folder"), ("pipe", "no regular file"), ("/dev/zero", "no regular file"), ("link", "cannot be opened"),
                           ("none.npy", "cannot be opened"), ("", "input: the value is empty"), ("d.npz", "one of a, b"), ("d.npz:c", 'no array named "c"; it has a, b'),
                           ("x.npy.npz:x", "cannot be opened")):
            with self.subTest(name):
                self.assertIn(part, self.refused(2, "run", "pytorch.gather", f"input={name}", "dim=0", "index=[0]"))
        os.rename("x.npy", "x.npz")
        self.assertIn("no .npz file", self.refused(2, "run", "pytorch.gather", "input=x.npz:x", "dim=0", "index=[0]"))

    def test_two_arrays_of_a_name(self):
        Path("d.npz").write_bytes(archive(local(content=ONE), local(content=ONE)))
        self.assertIn("more than one array", self.refused(2, "run", "pytorch.gather", "input=d.npz:x", "dim=0", "index=[0]"))

    def test_control_characters_are_not_printed(self):
        self.assertIn("\\x1b[31m", self.refused(2, "run", "pytorch.gather", "input=\x1b[31m.npy", "dim=0", "index=[0]"))


if __name__ == "__main__":
    unittest.main()
