#!/usr/bin/env python3
"""How the house is built: measures of libcore/ and tools/, with nothing left out, beside their limits.

    house.py SOURCE_DIR [PAGES]             prints the measures
    house.py --check SOURCE_DIR [PAGES]     fails where one is over its limit, and names the places
    house.py --places SOURCE_DIR [PAGES]    prints the measures and all places that count

PAGES is the folder of manual pages that the build makes, by default SOURCE_DIR/build/release/man.

A room is a source file with its header and its kernel bodies. A knot is a set of rooms that include each other in a
circle. Information is the size of all code as zstd packs it, without comments, blank lines and includes: said twice
it costs almost nothing, and to join lines or to move files changes nothing.

A limit in MEASURES is a goal that is reached, or the number when the limit was last lowered. One percent above it
passes. A change that needs more raises the limit, and CHANGELOG.md says what users get for it.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

MOST_ROOMS = 20       # in a folder
MOST_FOLDERS = 17     # in a tool
FEW_ROOMS = 12        # a tool of so many needs no folders
MOST_LINES = 400      # of a file
MOST_FUNCTION = 60    # lines of a function, with its declaration
MOST_OPTIONS = 60     # on a manual page

TOKENS = re.compile(
    r'R"(?P<end>[^\s()\\]{0,16})\(.*?\)(?P=end)"'  # a raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\[^\n]{1,9}?|[^'\\\n])'"
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)", re.S)


def without_comments(text):
    return TOKENS.sub(lambda found: " " if found["comment"] else found[0], text)


class House:
    """Sources of libcore/ and tools/ as text, and their rooms."""

    def __init__(self, root, pages):
        self.root, self.pages = root, pages
        self.text = {}
        for path in sorted(path for top in ("libcore", "tools") for path in (root / top).rglob("*.*")):
            if path.suffix in (".cpp", ".h", ".inl"):
                self.text[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
        self.rooms = sorted({os.path.splitext(name)[0] for name in self.text})

    def part(self, room):
        """The tool of a room, or libcore."""
        top, *rest = room.split("/")
        return f"{top}/{rest[0]}" if top == "tools" else top

    def includes(self):
        """Each room's rooms, one or more places for each."""
        used = collections.defaultdict(set)
        for name, text in self.text.items():
            room = os.path.splitext(name)[0]
            for included in re.findall(r'^ *# *include *"([^"]+)"', text, re.M):
                if included in self.text and os.path.splitext(included)[0] != room:
                    used[room].add(os.path.splitext(included)[0])
        return used


def circles(used, rooms):
    """Sets of rooms that reach each other: strongly connected components, by two orders of leaving (Kosaraju)."""
    def leaving_order(begin, next_of, seen):
        stack = [(begin, iter(sorted(next_of[begin])))]
        seen.add(begin)
        while stack:
            room, rest = stack[-1]
            step = next((other for other in rest if other not in seen), None)
            if step is None:
                stack.pop()
                yield room
            else:
                seen.add(step)
                stack.append((step, iter(sorted(next_of[step]))))

    users = collections.defaultdict(set)
    for room, others in used.items():
        for other in others:
            users[other].add(room)
    seen, left = set(), []
    for room in rooms:
        if room not in seen:
            left.extend(leaving_order(room, used, seen))
    seen = set()
    for room in reversed(left):
        if room not in seen:
            circle = sorted(leaving_order(room, users, seen))
            if len(circle) > 1:
                yield circle


def knots(house):
    for circle in circles(house.includes(), house.rooms):
        yield 1, " ".join(circle)


def full_folders(house):
    folders = collections.Counter(os.path.dirname(room) for room in house.rooms)
    for folder, count in sorted(folders.items()):
        if count > MOST_ROOMS:
            yield count - MOST_ROOMS, f"{folder}: {count} rooms"


def wide_tools(house):
    folders = collections.defaultdict(set)
    for room in house.rooms:
        if room.startswith("tools/") and room.count("/") > 2:
            folders[house.part(room)].add(os.path.dirname(room))
    for tool, names in sorted(folders.items()):
        if len(names) > MOST_FOLDERS:
            yield len(names) - MOST_FOLDERS, f"{tool}: {len(names)} folders"


def loose_rooms(house):
    tools = collections.defaultdict(list)
    for room in house.rooms:
        if room.startswith("tools/"):
            tools[house.part(room)].append(room)
    for tool, rooms in sorted(tools.items()):
        loose = [room for room in rooms if room.count("/") == 2 and not room.endswith("/main")]
        if len(rooms) > FEW_ROOMS and loose:
            yield len(loose), f"{tool}: " + " ".join(os.path.basename(room) for room in loose)


def long_files(house):
    for name, text in house.text.items():
        lines = text.count("\n")
        if lines > MOST_LINES:
            yield 1, f"{name}: {lines} lines"


def opens(statement):
    """What the brace at the end of a statement opens: a scope of declarations, a function or a list of values."""
    if re.match(r'(inline )?namespace|extern "C" \{$', statement):
        return "scope"
    if re.match(r"(template <.*> )?(class|struct|union) ", statement) and not re.search(
            r"\)( (const|noexcept|override|final))* \{$", statement):
        return "scope"
    is_value = statement.startswith("enum ") or statement.endswith("= {")
    return "function" if "(" in statement and not is_value else "values"


def functions(text):
    """(first line, name, lines) of each function. Where clang-format has been, the closing brace stands under the first
    letter of the declaration: other braces need no look."""
    text = TOKENS.sub(lambda found: "\n" * found[0].count("\n") if found["comment"] else re.sub(r"[^\n]+", '""', found[0]), text)
    scopes, statement, closing, begin, is_function = [], "", None, 0, False
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        margin = line[:len(line) - len(line.lstrip())]
        if closing is not None:
            if line.startswith(closing + "}"):
                if is_function:
                    yield begin, re.sub(r".*[ *&]", "", re.sub(r" ?\(.*", "", statement)), number - begin + 1
                closing, statement = None, ""
            continue
        if not stripped or re.match(r"#|(public|private|protected):$", stripped) or stripped.endswith("\\"):
            continue
        if not statement:
            if scopes and stripped.startswith("}") and margin == scopes[-1]:
                scopes.pop()
                continue
            begin, first_margin = number, margin
        statement = f"{statement} {stripped}".strip()
        if stripped.endswith("{"):
            if opens(statement) == "scope":
                scopes.append(first_margin)
                statement = ""
            else:
                closing, is_function = first_margin, opens(statement) == "function"
        elif stripped[-1] in ";}":
            statement = ""


def long_functions(house):
    for name, text in house.text.items():
        for line, function, lines in functions(text):
            if lines > MOST_FUNCTION:
                yield 1, f"{name}:{line}: {function}: {lines} lines"


NO_SUBJECT = re.compile(r"(Of|The same|That|Those|What|Whose|As before)\b(?! course)")


def comments(text):
    """(line, text) of each comment; lines below each other are one."""
    last, begin, words = 0, 0, []
    for found in TOKENS.finditer(text):
        if not found["comment"] or found["comment"].startswith("/*"):
            continue
        number = text.count("\n", 0, found.start()) + 1
        own_line = not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip()
        if not (own_line and number == last + 1 and words):
            if words:
                yield begin, " ".join(words)
            begin, words = number, []
        last = number
        words.append(found[0].lstrip("/<! "))
    if words:
        yield begin, " ".join(words)


def riddles(house):
    for name, text in house.text.items():
        for line, comment in comments(text):
            if NO_SUBJECT.match(comment):
                yield 1, f"{name}:{line}: {comment[:80]}"


def long_pages(house):
    for page in sorted(house.pages.glob("*.1")):
        section = re.search(r"^\.SH OPTIONS\n(.*?)(?=^\.SH|\Z)", page.read_text(encoding="utf-8"), re.M | re.S)
        options = len(re.findall(r"^\.TP\n\\fB\\-", section[1], re.M)) if section else 0
        if options > MOST_OPTIONS:
            yield options - MOST_OPTIONS, f"{page.name}: {options} options"


def information(house):
    def packed(part):
        code = (without_comments(text) for name, text in house.text.items() if name.startswith(part))
        lines = (line.strip() for text in code for line in text.split("\n"))
        bare = "\n".join(line for line in lines if line and not re.match(r"# *(include|pragma once)", line))
        return len(subprocess.run(["zstd", "-19", "--long", "-T1", "-c"], input=bare.encode(), stdout=subprocess.PIPE,
                                  check=True).stdout) / 1000
    yield packed(""), ""


# What is counted, its goal and its limit.
MEASURES = [
    ("knots of rooms", knots, 0, 0),
    (f"rooms beyond {MOST_ROOMS} in a folder", full_folders, 0, 0),
    (f"folders beyond {MOST_FOLDERS} in a tool", wide_tools, 0, 0),
    ("rooms beside main.cpp", loose_rooms, 0, 0),
    (f"files over {MOST_LINES} lines", long_files, 0, 0),
    (f"functions over {MOST_FUNCTION} lines", long_functions, 0, 0),
    ("comments without their subject", riddles, 0, 0),
    (f"options beyond {MOST_OPTIONS} on a page", long_pages, 0, 51),
    ("kB of information", information, 700, 980),
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--places", action="store_true")
    arguments.add_argument("root", type=pathlib.Path)
    arguments.add_argument("pages", type=pathlib.Path, nargs="?")
    options = arguments.parse_args()
    house = House(options.root, options.pages or options.root / "build/release/man")
    status = 0
    if not options.check:
        print(f"{'':32} {'now':>8} {'goal':>8} {'limit':>8}")
    for what, measure, goal, limit in MEASURES:
        places = list(measure(house))
        number = round(sum(count for count, _ in places))
        over = number > limit * 1.01
        status |= over
        if not options.check:
            print(f"{what:32} {number:8} {goal:8} {limit:8}")
        elif over:
            print(f"{what}: {number}, where {limit} are allowed")
        if options.places or (options.check and over):
            print("".join(f"  {place}\n" for _, place in places if place), end="")
    return int(status and options.check)


if __name__ == "__main__":
    sys.exit(main())
