"""Small wrong changes of the code, drawn by a seed: each stands behind a switch, MUTANT(id), which a run sets.

A mutant is found by the text around it, not by its line: the draw stays nearly the same while the code changes."""

import hashlib
import math
import re

from cxx_code import Code

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "%": "/"}
LOGIC = {"&&": "||", "||": "&&"}
# Shares of the kinds. Comparisons and arithmetic are most of what people get wrong.
SHARES = {"comparison": .2, "arithmetic": .17, "constant": .15, "dropped statement": .13, "logic": .11, "removed check": .1,
          "negated condition": .09, "boolean": .05, "min/max": .05}
REFUSAL = re.compile(r"\{? ?(throw|[a-z_]*(fail|damaged|refuse|bad_|check|error)[a-z_]*) ?\(")
DECLARING_CONDITION = re.compile(r"^(const\s+)?(auto|[A-Za-z_][\w:<>, ]*)[\s&*]+\w+\s*=(?!=)")


class Mutant:
    """edits: (begin, end, replacement with @ for the id) in the file's text."""

    def __init__(self, file, line, kind, description, edits):
        self.file, self.line, self.kind, self.description, self.edits = file, line, kind, description, edits
        self.id = 0

    @property
    def name(self):
        return f"{self.file}\t{self.kind}\t{self.description}"

    @property
    def module(self):
        return "/".join(self.file.split("/")[:2])

    def overlaps(self, other):
        first, last = self._range()
        other_first, other_last = other._range()
        return first <= other_last + 2 and other_first <= last + 2

    def _range(self):
        return min(e[0] for e in self.edits), max(e[1] for e in self.edits)


def sign_site(token):
    for kind, changed in (("comparison", COMPARISONS), ("arithmetic", ARITHMETIC), ("logic", LOGIC)):
        if token.text in changed:
            return kind, changed[token.text]
    return None


def number_site(text):
    whole = re.fullmatch(r"(\d+)([uUlLzZ]*)", text)
    if whole:
        value = int(whole[1])
        return "constant", str({0: 1, 1: 0}.get(value, value + 1)) + whole[2]
    if re.fullmatch(r"\d+\.\d*[fF]?|\d+\.?\d*e-?\d+[fF]?", text):
        return "constant", f"({text}*2+1)"
    return None


def name_site(code, i):
    tokens, text = code.tokens, code.tokens[i].text
    if text in ("true", "false"):
        return "boolean", "false" if text == "true" else "true"
    if text in ("min", "max") and i > 1 and tokens[i - 1].text == "::" and tokens[i - 2].text == "std":
        return "min/max", "max" if text == "min" else "min"
    if text in ("if", "while") and tokens[i + 1].text == "(":
        close = code.partner[i + 1]
        after = code.text(close + 1, min(close + 4, len(tokens) - 1))
        return ("removed check" if text == "if" and REFUSAL.match(after) else "negated condition"), None
    if i and tokens[i - 1].text in (";", "{", "}", ")"):
        return "dropped statement", None
    return None


def unused(code):
    """Tokens that a release build does not compile: those of assertions."""
    found = set()
    for i, token in enumerate(code.tokens):
        if token.text == "assert" and code.tokens[i + 1].text == "(":
            found.update(range(i, code.partner[i + 1] + 1))
    return found


def joins_texts(code, i):
    return code.tokens[i].text == "+" and "string" in (code.tokens[i - 1].kind, code.tokens[i + 1].kind)


def sites(code):
    """(kind, token, replacement) of every place that could be changed."""
    left_out = unused(code)
    for i, token in enumerate(code.tokens):
        found = None
        if i in left_out:
            continue
        if token.kind == "sign" and code.is_spaced(i) and not joins_texts(code, i):
            found = sign_site(token)
        elif token.kind == "number":
            found = number_site(token.text)
        elif token.kind == "name" and i + 1 < len(code.tokens):
            found = name_site(code, i)
        if found:
            yield found[0], i, found[1]


def changed_condition(code, kind, i):
    """`if (c)` and `while (c)`, negated, or never true where it is a check that refuses."""
    opening, close = i + 1, code.partner[i + 1]
    condition = code.text(opening + 1, close - 1)
    if code.semicolons(opening + 1, close - 1) or DECLARING_CONDITION.match(condition):
        return None
    place = (code.tokens[opening].end, code.tokens[close].begin)
    if kind == "removed check":
        return [(*place, f"!MUTANT(@) && bool({condition})")], f"if ({condition})"
    return [(*place, f"MUTANT(@) ? !bool({condition}) : bool({condition})")], f"!({condition})"


def dropped_statement(code, i):
    unit = code.unit(i)
    if not unit or unit.kind != "expression" or unit.first != i:
        return None
    statement = code.text(unit.first, unit.last - 1)
    if not re.search(r"[=(]|\+\+|--", statement):
        return None
    place = (code.tokens[unit.first].begin, code.tokens[unit.last].end)
    return [(*place, f"{{ if (!MUTANT(@)) {{ {statement}; }} }}")], statement


def changed_literal(code, i, new):
    if code.tokens[i - 1].text in ("case", "<"):
        return None
    unit = code.unit(i)
    if not unit:
        return None
    edits, old = [], code.tokens[i].text
    if unit.kind == "constant":  # can no longer be one of the compiler's
        word = next(k for k in range(unit.first, unit.last) if code.tokens[k].text == "constexpr")
        if any(code.tokens[k].text == "[" for k in range(unit.first, i)):
            return None
        edits.append((code.tokens[word].begin, code.tokens[word].end, "const"))
    edits.append((code.tokens[i].begin, code.tokens[i].end, f"(MUTANT(@) ? {new} : {old})"))
    return edits, f"{old} -> {new} in: {code.text(unit.first, unit.last)}"


def changed_operator(code, i, new):
    """Both versions of what is evaluated as a whole, so that precedence need not be known."""
    unit = code.unit(i)
    if not unit or unit.kind == "constant":
        return None
    last = unit.last - 1 if unit.kind in ("return", "expression") else unit.last
    old, changed = code.text(unit.first, last), code.text(unit.first, last, {i: new})
    if unit.kind == "condition" and unit.keyword != "for":
        if DECLARING_CONDITION.match(old) or code.semicolons(unit.first, unit.last):
            return None
    if unit.kind == "value" and old.startswith("{"):
        return None
    forms = {"condition": f"MUTANT(@) ? bool({changed}) : bool({old})",
             "step": f"MUTANT(@) ? void({changed}) : void({old})",
             "value": f"MUTANT(@) ? ({changed}) : ({old})",
             "return": f"{{ if (MUTANT(@)) {{ {changed}; }} {old}; }}",
             "expression": f"{{ if (MUTANT(@)) {{ {changed}; }} else {{ {old}; }} }}"}
    place = (code.tokens[unit.first].begin, code.tokens[unit.last].end)
    return [(*place, forms[unit.kind])], f"{code.tokens[i].text} -> {new} in: {old}"


def make(code, file, site):
    kind, i, new = site
    if kind in ("removed check", "negated condition"):
        made = changed_condition(code, kind, i)
    elif kind == "dropped statement":
        made = dropped_statement(code, i)
    elif kind in ("constant", "boolean"):
        made = changed_literal(code, i, new)
    else:
        made = changed_operator(code, i, new)
    if not made:
        return None
    edits, description = made
    return Mutant(file, code.line(i), kind, re.sub(r"\s+", " ", description), edits)


def arrival(seed, file, code, site, rate, seen):
    """A random time, the earlier the larger the rate: a function of the seed and the text around the site alone."""
    kind, i, _ = site
    around = " ".join(t.text for t in code.tokens[max(0, i - 12):i + 13])
    key = f"{seed}\t{file}\t{kind}\t{around}"
    seen[key] = seen.get(key, 0) + 1
    digest = hashlib.sha256(f"{key}\t{seen[key]}".encode()).digest()
    uniform = (int.from_bytes(digest[:8], "big") + 1) / 2**64
    return -math.log(uniform) / rate


def draw_module(codes, seed, wanted):
    """`wanted` mutants of a module's files {name: Code}, the kinds by their shares."""
    found = [(file, site) for file in sorted(codes) for site in sites(codes[file])]
    counts = {}
    for _, site in found:
        counts[site[0]] = counts.get(site[0], 0) + 1
    seen, drawn = {}, []
    order = sorted(found, key=lambda f: arrival(seed, f[0], codes[f[0]], f[1], SHARES[f[1][0]] / counts[f[1][0]], seen))
    for file, site in order:
        if len(drawn) == wanted:
            break
        mutant = make(codes[file], file, site)
        if mutant and not any(m.file == file and m.overlaps(mutant) for m in drawn):
            drawn.append(mutant)
    return drawn


def draw(files, seed, total):
    """`total` mutants of files {name: text}, at least 3 a module, else by lines. Ids count from 1."""
    modules = {}
    for name, text in files.items():
        modules.setdefault("/".join(name.split("/")[:2]), {})[name] = Code(text)
    lines = {m: sum(c.source.count("\n") for c in codes.values()) for m, codes in modules.items()}
    mutants = []
    for module in sorted(modules):
        wanted = max(3, round(total * lines[module] / sum(lines.values())))
        mutants += draw_module(modules[module], seed, wanted)
    for i, mutant in enumerate(mutants):
        mutant.id = i + 1
    return mutants


def mutated(text, mutants):
    """The file's text with all of its mutants behind their switches; every line keeps its number."""
    edits = [(*edit, mutant.id) for mutant in mutants for edit in mutant.edits]
    for begin, end, replacement, id in sorted(edits, reverse=True):
        lines = text.count("\n", begin, end)
        text = text[:begin] + replacement.replace("@", str(id)) + "\n" * lines + text[end:]
    return text
