"""Random changes of a tensor file that leave its format right: what a reader must check is what the file says."""
import json
import math
import struct

from tensor_file import ITEM_SIZES, Tensor

NUMBERS = ["0", "1", "-1", "2", "7", "255", "65536", "2147483647", "4294967295", "4294967296", "9223372036854775807",
           "18446744073709551615", "18446744073709551616", "1e308", "nan", "-inf", "0.5", "", " 1", "0x10", "true",
           "None", "{}", "[]", "model", "graph", "\x1b[31m", "x" * 3000]
JSON_VALUES = [0, 1, -1, 2, 2**31, 2**32, 2**53, 2**63, 1.5, 1e308, None, True, False, "", "x", "\x1b[31m", [], {}, [1]]
ODD_KEYS = ["first", "rows", "gaps", "has_ids", "hash_bits", "columns"]  # which some objects have and others do not
FLOATS = {"F32": "<f", "F64": "<d", "F16": "<e"}
DEPTHS = [10, 300, 5000, 100000]
MOST_BYTES = 1 << 22  # of a tensor that is made larger


def places_of(value, path=()):
    """The paths of all values inside of a JSON value."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield path + (key,)
        yield from places_of(child, path + (key,))


def change_json(text, random):
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # of an earlier change
        return random.choice(NUMBERS)
    places = list(places_of(value))
    if not places:
        return random.choice(NUMBERS)
    *parents, last = random.choice(places)
    holder = value
    for key in parents:
        holder = holder[key]
    old, kind = holder[last], random.random()
    if kind < 0.05 and isinstance(holder, dict):
        holder[random.choice(ODD_KEYS)] = random.choice(JSON_VALUES)
    elif kind < 0.2:
        del holder[last]
    elif kind < 0.5 and isinstance(old, int) and not isinstance(old, bool):
        holder[last] = old + random.choice([-1, 1, 100, -100])
    else:
        holder[last] = random.choice(JSON_VALUES)
    return json.dumps(value)


def change_metadata(metadata, random):
    keys = list(metadata)
    if not keys:
        return "nothing"
    key = random.choice(keys)
    old, kind = metadata[key], random.random()
    if kind < 0.1:
        del metadata[key]
        return f"no {key}"
    if old[:1] in ("{", "[") and kind < 0.9:
        metadata[key] = change_json(old, random)
    elif old.isdigit() and kind < 0.5:
        metadata[key] = str(int(old) + random.choice([-1, 1, 2, 1000]))
    elif kind < 0.6:
        metadata[key] = metadata[random.choice(keys)]
    else:
        metadata[key] = random.choice(NUMBERS)
    return f"{key} = {metadata[key][:40]!r}"


def nested(depth, random):
    begin, end = random.choice([("[", "]"), ('{"a":', "}"), ('[{"argv":', "}]")])
    depth = min(depth, 900000 // len(begin + end))
    return begin * depth + "1" + end * depth


def nest_metadata(metadata, random):
    """JSON that is nested deeply, alone or within the JSON that is there."""
    if not metadata:
        return "nothing"
    key, depth = random.choice(list(metadata)), random.choice(DEPTHS)
    old, value = metadata[key], nested(depth, random)
    if old[:1] == "{" and random.random() < 0.5:
        value = '{"zz":' + value + "," + old[1:] if len(old) > 2 else value
    elif old[:1] == "[" and random.random() < 0.5:
        value = "[" + value + "," + old[1:] if len(old) > 2 else value
    metadata[key] = value
    return f"{key} is nested {depth} deep"


def odd_value(dtype, count, random):
    """An element that is at the edge of what is meant, or beyond it."""
    size = ITEM_SIZES[dtype]
    if dtype in FLOATS:
        largest = {"F16": 65504.0, "F32": 3.4e38, "F64": 1.7e308}[dtype]
        return struct.pack(FLOATS[dtype], random.choice([math.nan, math.inf, -math.inf, 0.0, -1.0, largest, -largest]))
    most = 2 ** (8 * size) - 1
    value = random.choice([0, 1, count - 1, count, count + 1, most, most // 2, most // 2 + 1, random.randrange(most)])
    return (value % (most + 1)).to_bytes(size, "little")


def resized(tensor, shape, random):
    """The tensor with another shape, with as many bytes as it takes: its rows again, or zeros or ones."""
    size = math.prod(shape) * tensor.item_size()
    if size > MOST_BYTES:
        return tensor
    filler = random.choice([tensor.data or b"\0", b"\0", b"\xff"])
    return Tensor(tensor.dtype, shape, (tensor.data + filler * (size // len(filler) + 1))[:size])


def change_shape(tensor, random):
    """Another shape, with as many bytes as it takes."""
    shape = list(tensor.shape)
    if not shape:
        return Tensor(tensor.dtype, [1], tensor.data)
    axis = random.randrange(len(shape))
    old = shape[axis]
    shape[axis] = random.choice([0, 1, max(0, old - 1), old + 1, 2 * old])
    return resized(tensor, shape, random)


def lie_about_rows(metadata, tensors, random):
    """Another number of rows in one tensor, or in all but one that had as many; metadata that had that number may say it."""
    names = [name for name in sorted(tensors) if tensors[name].shape]
    if not names:
        return "nothing"
    name = random.choice(names)
    rows = tensors[name].shape[0]
    lie = random.choice([0, 1, max(0, rows - 1), rows + 1, rows + 45, 2 * rows, rows // 2, 64 * rows, 65536])
    of_all = random.random() < 0.3
    for other in names:
        if (other == name) != of_all and tensors[other].shape[0] == rows:
            tensors[other] = resized(tensors[other], [lie, *tensors[other].shape[1:]], random)
    if random.random() < 0.3:
        for key, value in metadata.items():
            if value == str(rows):
                metadata[key] = str(lie)
    return f"{lie} rows instead of {rows} in {'all but ' if of_all else ''}{name}"


def change_type(tensor, random):
    """Another type, of the same number of elements or of the same bytes."""
    if random.random() < 0.5:
        return Tensor(random.choice([d for d in ITEM_SIZES if ITEM_SIZES[d] == tensor.item_size()]), tensor.shape, tensor.data)
    dtype = random.choice(list(ITEM_SIZES))
    return resized(Tensor(dtype, tensor.shape, tensor.data), tensor.shape, random)


def permute(tensor, random):
    """Rows in another order, or axes."""
    rows = tensor.shape[0] if tensor.shape else 0
    if rows < 2 or random.random() < 0.3:
        return Tensor(tensor.dtype, tensor.shape[::-1], tensor.data)
    size = len(tensor.data) // rows
    order = random.sample(range(rows), rows) if random.random() < 0.5 else [random.randrange(rows) for _ in range(rows)]
    return Tensor(tensor.dtype, tensor.shape, b"".join(tensor.data[i * size:(i + 1) * size] for i in order))


def change_values(tensor, random):
    size, count = tensor.item_size(), tensor.elements()
    data, kind = bytearray(tensor.data), random.random()
    if kind < 0.6:
        for _ in range(random.choice([1, 1, 3])):
            i = random.choice([0, count - 1, random.randrange(count)])
            data[i * size:(i + 1) * size] = odd_value(tensor.dtype, count, random)
    elif kind < 0.75:
        data = odd_value(tensor.dtype, count, random) * count
    elif kind < 0.9:
        data = b"".join(tensor.data[i * size:(i + 1) * size] for i in reversed(range(count)))
    else:
        for _ in range(4):
            data[random.randrange(len(data))] = random.randrange(256)
    return Tensor(tensor.dtype, tensor.shape, data)


def change_tensor(tensors, random):
    name = random.choice(sorted(tensors))
    tensor, kind = tensors[name], random.random()
    if kind < 0.08:
        del tensors[name]
        return f"no tensor {name}"
    if kind < 0.16:
        other = random.choice(sorted(tensors))
        tensors[name], tensors[other] = tensors[other], tensor
        return f"{name} and {other} exchanged"
    if kind < 0.22:
        tensors[random.choice(sorted(tensors))] = tensor
        return f"{name} twice"
    if kind < 0.3:
        tensors[name] = change_type(tensor, random)
        return f"{name} is {tensors[name].dtype}"
    if kind < 0.38:
        tensors[name] = permute(tensor, random)
        return f"{name} is permuted"
    if kind < 0.55 or tensor.elements() == 0:
        tensors[name] = change_shape(tensor, random)
        return f"{name} is {tensors[name].shape}"
    tensors[name] = change_values(tensor, random)
    return f"{name} has other values"


def mutate(metadata, tensors, random):
    """Changes both in place; returns what was done."""
    done = []
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        kind = random.random()
        if kind < 0.02:
            done.append(nest_metadata(metadata, random))
        elif tensors and kind < 0.35:
            done.append(lie_about_rows(metadata, tensors, random))
        elif not tensors or kind < 0.6:
            done.append(change_metadata(metadata, random))
        else:
            done.append(change_tensor(tensors, random))
    return "; ".join(done)
