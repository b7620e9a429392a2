"""What the scripts here share: runs of the tools, what they ran on, and measured rows beside published ones."""
import argparse
import datetime
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUNDLED = HERE.parent / "data"
CONFIGS = HERE.parent.parent / "configs"
YOURS, STAND_IN = "measured, your data", "measured, STAND-IN"


class Table:
    """The measured side of one table: rows, the commands that made them, and the data they ran on."""

    def __init__(self, args, scratch):
        self.name, self.files, self.small, self.scratch = args.table, args.data, args.scale == "small", pathlib.Path(scratch)
        self.asked_epochs, self.cut = args.epochs, []
        self.published = json.loads((HERE / "published" / f"{self.name}.json").read_text(encoding="utf-8"))
        self.label = YOURS if self.files else STAND_IN
        self.data, self.rows, self.commands = "", [], []

    def run(self, *command):
        """The JSON that a tool prints, with the CPU seconds and peak MiB of the whole command."""
        command = [str(word) for word in command]
        shown = [word.replace(f"{self.scratch}/", "").replace(f"{HERE.parent.parent}/", "") for word in command]
        self.commands.append(shlex.join(shown))
        print(f"$ {self.commands[-1]}", file=sys.stderr, flush=True)
        with tempfile.TemporaryFile() as output:
            with subprocess.Popen([*command, "--json", "-q"], stdout=output) as process:
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"{self.name}: {command[0]} {command[1]} ended with {process.returncode}")
            output.seek(0)
            result = json.load(output)
        return {**result, "cpu_seconds": used.ru_utime + used.ru_stime, "peak_mib": used.ru_maxrss / 1024}

    def row(self, key, what, **values):
        self.rows.append({"key": key, "what": what, **values})

    def epochs(self, published, stand_in, small=1):
        """How many to train for: as asked for, else as published on the user's data, fewer on the stand-in."""
        epochs = self.asked_epochs or (small if self.small else published if self.files else stand_in)
        if epochs < published:
            self.cut.append(f"{epochs} of {published} epochs")
        return ["--epochs", epochs]

    def ran_on(self, what, count):
        """Says what the rows ran on: the user's files, or the stand-in `what`, and how many rows it has."""
        real, size = self.published["data"], f"{count:,} {self.published['data']['unit']}"
        if self.files:
            self.data = f"your file {pathlib.Path(self.files[0]).name}: {size}"
            if count != real["count"]:
                self.data += f"; {real['name']} has {real['count']:,}, so this is no reproduction"
        else:
            self.data = f"STAND-IN {what}: {size}, because {real['name']} ({real['count']:,}) was not given"
        self.data += "".join(f"; {cut}" for cut in dict.fromkeys(self.cut + ["cut short by SCALE=small"] * self.small))

    def result(self):
        seen = json.loads(subprocess.run(["hw-probe", "detect", "--json"], capture_output=True, check=True).stdout)
        return {"table": self.name, "label": self.label, "data": self.data, "rows": self.rows, "commands": self.commands,
                "machine": f"{seen['cpu_model']}, {seen['cpus_usable']} CPUs", "date": datetime.date.today().isoformat()}


def cells(values):
    return "| " + " | ".join(values) + " |"


def number(value, form):
    if value is None or isinstance(value, str):
        return value or ""
    return format(value, "," if isinstance(value, int) else form)


def compared(ratio, rows):
    """A ratio or difference of two measured rows, as the published description asks for it; "" where one is missing."""
    first, second = (rows.get(key, {}).get(ratio["column"]) for key in ratio["rows"])
    if first is None or second is None:
        return ""
    if ratio["operation"] == "/":
        return f"{first / second:.2f}x"
    digits = ratio.get("digits", 1)
    return f"{round(first - second, digits) + 0.0:+.{digits}f}"


def markdown(published, measured):
    """The section of a report: published rows, measured rows, ratios of both, and how they came about."""
    columns = published["columns"]
    yield f"## {published['title']} (`{measured['table']}`)\n"
    yield f"Published: {published['source']}.  "
    yield f"Measured: {measured['date']}, {measured['machine']}; **{measured['data']}**.\n"
    yield cells(["", "what", "on", *(column["name"] for column in columns)])
    yield cells(["---", "---", "---", *("---:" for _ in columns)])
    for row in [*published["rows"], *measured["rows"]]:
        ours = row in measured["rows"]
        where = "this machine" if ours else row["on"]
        yield cells([measured["label"] if ours else "published", row["what"], where,
                     *(number(row.get(column["key"]), column["form"]) for column in columns)])
    rows = {row["key"]: row for row in measured["rows"]}
    yield "\n" + cells(["ratio or difference", "published", measured["label"]])
    yield cells(["---", "---:", "---:"])
    for ratio in published["ratios"]:
        ours = compared(ratio, rows)
        if ours or ratio["published"]:
            yield cells([ratio["what"], ratio["published"] or "-", ours or "-"])
    yield ""
    for note in published["notes"]:
        yield f"- {note}"
    yield "\n<details><summary>Commands</summary>\n\n```sh"
    yield from measured["commands"]
    yield "```\n</details>\n"


def main(description, tables):
    """Measures the table that the command line names, prints it, and writes NAME.json for report.py."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("table", choices=tables)
    parser.add_argument("--data", action="append", default=[], metavar="FILE", help="your data; else the stand-in")
    parser.add_argument("--scale", choices=["full", "small"], default="full", help="small: seconds, for a first look")
    parser.add_argument("--epochs", type=int, metavar="N", help="instead of the published number")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        table = Table(args, scratch)
        tables[args.table](table)
    result = table.result()
    pathlib.Path(f"{args.table}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print("\n".join(markdown(table.published, result)))
