"""Enough of C++ to change it safely: tokens, matching brackets, and the statement or condition around a token.

The code need not be understood fully. What is not recognised is left alone, and what does not compile is dropped."""

import re

TOKEN = re.compile(r'''
    (?P<space>\s+)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>(?:(?<=\n)|\A)[ \t]*\#(?:[^\n\\]|\\\n|\\.)*)
  | (?P<raw>R"(?P<mark>\w*)\((?:.|\n)*?\)(?P=mark)")
  | (?P<string>(?:u8|L)?"(?:\\.|[^"\\])*")
  | (?P<char>'(?:\\.|[^'\\])+')
  | (?P<number>(?:0[xX][0-9a-fA-F']+|\d[\d']*\.?[\d']*(?:[eE][+-]?\d+)?|\.\d+)[a-zA-Z]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><=>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
''', re.S | re.X)
KINDS = ("raw", "string", "char", "number", "name", "sign")
CLOSING = {"(": ")", "[": "]", "{": "}"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>=", "%="}
NO_EXPRESSION = set("""if for while switch do else try catch return case default break continue using static_assert struct
    class enum template typedef namespace friend goto throw public private protected constexpr static extern inline
    virtual explicit""".split())


class Token:
    __slots__ = ("kind", "text", "begin", "end")

    def __init__(self, kind, text, begin, end):
        self.kind, self.text, self.begin, self.end = kind, text, begin, end


class Unit:
    """What is evaluated as a whole around a token. kind: `condition`, `step` (of a for loop), `return`, `expression`,
    `constant` (a constexpr declaration) or `value` (what a declaration's `=` is followed by). Tokens first..last."""

    def __init__(self, kind, first, last, keyword=None):
        self.kind, self.first, self.last, self.keyword = kind, first, last, keyword


class Code:
    """The tokens of a file without comments and directives. Raises ValueError where brackets do not match."""

    def __init__(self, text):
        self.source = text
        self.tokens = []
        for match in TOKEN.finditer(text):
            kind = next((k for k in KINDS if match.group(k) is not None), None)
            if kind:
                self.tokens.append(Token(kind, match.group(), match.start(), match.end()))
        self.partner, self.enclosing = self._match_brackets()

    def _match_brackets(self):
        """The other bracket of each, and the opening one that each token is in, or None."""
        opened, partner, enclosing = [], {}, []
        for i, token in enumerate(self.tokens):
            enclosing.append(opened[-1] if opened else None)
            if token.kind != "sign":
                continue
            if token.text in CLOSING:
                opened.append(i)
            elif token.text in ")]}":
                if not opened or CLOSING[self.tokens[opened[-1]].text] != token.text:
                    raise ValueError("brackets do not match")
                partner[i] = opened.pop()
                partner[partner[i]] = i
        return partner, enclosing

    def line(self, i):
        return self.source.count("\n", 0, self.tokens[i].begin) + 1

    def text(self, first, last, replaced=None):
        """Tokens first..last on one line, without comments; `replaced`: other words for some tokens."""
        words = []
        for i in range(first, last + 1):
            if i > first and self.tokens[i - 1].end != self.tokens[i].begin:
                words.append(" ")
            words.append((replaced or {}).get(i, self.tokens[i].text))
        return "".join(words)

    def is_spaced(self, i):
        """A binary operator, in the formatting of the project, has spaces around it."""
        token = self.tokens[i]
        return self.source[token.begin - 1:token.begin] in (" ", "\n") and self.source[token.end:token.end + 1] in (" ", "\n")

    def semicolons(self, first, last):
        """Those between first and last that no bracket encloses."""
        found, i = [], first
        while i <= last:
            if self.tokens[i].kind == "sign" and self.tokens[i].text in CLOSING:
                i = self.partner[i]
            elif self.tokens[i].text == ";":
                found.append(i)
            i += 1
        return found

    def is_block(self, i):
        """Whether the `{` at i opens statements, not an initialiser."""
        before = self.tokens[i - 1] if i else None
        if before is None or before.text in (")", "else", "do", "try", "const", "noexcept", "override", "mutable", ";", "}",
                                             "{", ":"):
            return True
        for j in range(i - 1, max(-1, i - 40), -1):
            text = self.tokens[j].text
            if text == "->" or text in ("struct", "class", "namespace", "enum", "union"):
                return True
            if text in (";", "{", "}", "(", "=", ",", "return"):
                return False
        return False

    def unit(self, x):
        """The unit that token x is part of, or None where the code is not recognised."""
        j = x - 1
        while j >= 0:
            token = self.tokens[j]
            if token.kind == "sign" and token.text in ";)]}{(:":
                found, j = self._step_back(j, x)
                if found is not False:
                    return found
                continue
            if token.text in ("else", "do"):
                return self._statement(j + 1, x)
            j -= 1
        return None

    def _step_back(self, j, x):
        """(the unit or None, -), or (False, the next token to look at)."""
        text = self.tokens[j].text
        if text == ";":
            opening = self.enclosing[j]
            if opening is not None and self.tokens[opening].text == "(":
                return self._in_parentheses(opening, x)
            return self._statement(j + 1, x), j
        if text in ")]":
            opening = self.partner[j]
            if text == ")" and opening and self._is_head(opening):
                return self._statement(j + 1, x), j
            return False, opening - 1
        if text == "}":
            opening = self.partner[j]
            if self.is_block(opening) and self.tokens[j + 1].text not in (",", ")", ";", ".", "(", "]", "}"):
                return self._statement(j + 1, x), j
            return False, opening - 1
        if text == "{":
            return (self._statement(j + 1, x), j) if self.is_block(j) else (False, j - 1)
        if text == "(":
            return self._in_parentheses(j, x)
        return (self._statement(j + 1, x), j) if not self._is_ternary(j) else (False, j - 1)

    def _is_head(self, opening):
        before = self.tokens[opening - 1].text
        return before in ("if", "for", "while", "switch", "catch") or (
            before == "constexpr" and self.tokens[opening - 2].text == "if")

    def _is_ternary(self, colon):
        for k in range(colon - 1, -1, -1):
            if self.tokens[k].text in (";", "{", "}"):
                return False
            if self.tokens[k].text == "?":
                return True
        return False

    def _in_parentheses(self, j, x):
        before = self.tokens[j - 1].text if j else ""
        if before in ("if", "while"):
            return Unit("condition", j + 1, self.partner[j] - 1, before), j
        if before in ("constexpr", "switch", "catch"):
            return None, j
        if before != "for":
            return False, j - 1
        ends = self.semicolons(j + 1, self.partner[j] - 1)
        if len(ends) != 2 or x < ends[0]:
            return None, j
        if x < ends[1]:
            return Unit("condition", ends[0] + 1, ends[1] - 1, "for"), j
        return Unit("step", ends[1] + 1, self.partner[j] - 1), j

    def _statement(self, first, x):
        end = self._statement_end(first)
        if end is None or not first <= x < end:
            return None
        word = self.tokens[first].text
        if word == "return":
            return Unit("return", first, end)
        if word == "constexpr" or (word == "static" and self.tokens[first + 1].text == "constexpr"):
            return Unit("constant", first, end)
        if word in NO_EXPRESSION:
            return None
        assignment = self._assignment(first, end)
        if not self._is_declaration(first, assignment or end, bool(assignment)):
            return Unit("expression", first, end)
        if assignment and self.tokens[assignment].text == "=" and x > assignment:
            return Unit("value", assignment + 1, end - 1)
        return None

    def _statement_end(self, i):
        while i < len(self.tokens):
            if self.tokens[i].kind == "sign":
                if self.tokens[i].text in CLOSING:
                    i = self.partner[i]
                elif self.tokens[i].text == ";":
                    return i
                elif self.tokens[i].text in ")}]":
                    return None
            i += 1
        return None

    def _assignment(self, i, end):
        while i < end:
            if self.tokens[i].kind == "sign":
                if self.tokens[i].text in CLOSING:
                    i = self.partner[i]
                elif self.tokens[i].text in ASSIGNMENTS:
                    return i
            i += 1
        return None

    def _is_declaration(self, i, end, assigns):
        """A declaration has two names side by side, as in `Type name` or `Type<...>& name`."""
        if self.tokens[i].text in ("const", "auto"):
            return True
        before = None
        while i < end:
            token = self.tokens[i]
            if token.kind == "sign" and token.text in CLOSING:
                i = self.partner[i]
                before = None
            else:
                if token.kind == "name" and before is not None:
                    last = self.tokens[before]
                    if last.kind == "name" or last.text == ">":
                        return True
                    if assigns and last.text in ("*", "&") and before and (
                            self.tokens[before - 1].kind == "name" or self.tokens[before - 1].text == ">"):
                        return True
                before = i
            i += 1
        return False
