"""Plain tensor files (*.safetensors) taken apart and put together again, with a header that fits what they hold."""
import json
import struct

ITEM_SIZES = {"BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2, "U32": 4, "I32": 4, "F32": 4,
              "U64": 8, "I64": 8, "F64": 8}


class Tensor:
    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, list(shape), bytes(data)

    def item_size(self):
        return ITEM_SIZES[self.dtype]

    def elements(self):
        return len(self.data) // self.item_size()


def read(path):
    """Metadata and tensors by name."""
    content = open(path, "rb").read()
    size = struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:8 + size])
    metadata = header.pop("__metadata__", {})
    begin = 8 + size
    tensors = {name: Tensor(t["dtype"], t["shape"], content[begin + t["data_offsets"][0]:begin + t["data_offsets"][1]])
               for name, t in header.items()}
    return metadata, tensors


def write(path, metadata, tensors):
    header = {"__metadata__": metadata}
    data = b""
    for name, tensor in sorted(tensors.items(), key=lambda item: (-item[1].item_size(), item[0])):
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [len(data), len(data) + len(tensor.data)]}
        data += tensor.data
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    text += b" " * (-(8 + len(text)) % 64)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)
