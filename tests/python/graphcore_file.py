"""Files of `export --ipu`: their tensors, their batches in order, and the same batches without padding or with padding
full of numbers that nobody may look at.
"""
import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file


def read(path):
    """Tensors that are no batch, batches in the order of their stream, metadata."""
    tensors, batches = load_file(path), {}
    with safe_open(path, "np") as file:
        metadata = file.metadata()
    for shape in range(int(metadata["static.shapes"])):
        prefix = f"batches.{shape}."
        arrays = {name[len(prefix):]: tensors.pop(name) for name in list(tensors) if name.startswith(prefix)}
        for row, number in enumerate(arrays.pop("number")):
            assert number not in batches
            batches[number] = {name: rows[row] for name, rows in arrays.items()}
    assert sorted(batches) == list(range(int(metadata["static.batches"])))
    for rows in tensors.values():
        assert np.isfinite(rows).all()
    return tensors, [batches[number] for number in sorted(batches)], metadata


def check(batch, axes, ids):
    """Padding is 0, ids stay in range, and real ids point at real rows. axes: {mask: [(array, its axis)]}; ids:
    {array: (mask of its rows, mask of what it points into)}."""
    for mask, arrays in axes.items():
        for name, axis in arrays:
            padding = np.compress(~batch[mask], batch[name], axis=axis)
            assert not padding.any(), f"{name} has numbers in its padding"
    for name, (rows, into) in ids.items():
        assert batch[name].min() >= 0 and batch[name].max() < len(batch[into])
        assert batch[into][np.compress(batch[rows], batch[name], axis=-1)].all(), f"{name} points at padding"


def unpadded(batch, axes, ids):
    """The same batch with its real rows alone."""
    real = dict(batch)
    for name, (_, into) in ids.items():
        real[name] = np.maximum(np.cumsum(batch[into]) - 1, 0)[batch[name]]
    for mask, arrays in axes.items():
        for name, axis in arrays:
            real[name] = np.compress(batch[mask], real[name], axis=axis)
        real[mask] = batch[mask][batch[mask]]
    return real


def soiled(batch, axes, ids, random):
    """The same batch with other numbers in its padding; ids there still point at the dummy."""
    other = dict(batch)
    for mask, arrays in axes.items():
        for name, axis in arrays:
            if name in ids or batch[name].dtype == bool:
                continue
            other[name] = rows = batch[name].copy()
            np.moveaxis(rows, axis, 0)[~batch[mask]] = random.integers(1, 20)
    return other
