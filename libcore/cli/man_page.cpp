#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/cli/build_info.h"
#include "libcore/cli/tool_table.h"

namespace frugal {
namespace {

/// Escapes text for roff: none of it is a command, and hyphens can be copied to a shell.
std::string roff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

/// Makes a sentence of a summary: "prints a file" -> "Prints a file."
std::string sentence(const std::string& summary) {
  return upper(summary.substr(0, 1)) + summary.substr(1) + ".";
}

void append_paragraphs(std::string& out, const std::string& text) {
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 2) {
    end = text.find("\n\n", begin);
    const std::string paragraph = text.substr(begin, end == std::string::npos ? end : end - begin);
    if (!paragraph.empty()) out.append(".PP\n").append(roff(paragraph)).append("\n");
  }
}

void append_option(std::string& out, const OptionInfo& option) {
  std::string names = option_usage(option);
  std::string value;
  if (!option.flag && !option.positional) {
    const std::size_t blank = names.rfind(' ');
    value = names.substr(blank + 1);
    names.resize(blank);
  }
  out.append(".TP\n\\fB").append(roff(names)).append("\\fR");
  if (!value.empty()) out.append(" \\fI").append(roff(value)).append("\\fR");
  out.append("\n").append(roff(option.description));
  const std::string facts = option_facts(option);
  if (!facts.empty()) out.append(" (").append(roff(facts)).append(")");
  out += ".\n";
  if (!option.environment.empty())
    out.append("Environment: ").append(roff(option.environment)).append(".\n");
}

void append_examples(std::string& out, const std::vector<Example>& examples) {
  for (const Example& example : examples) {
    out.append(".PP\n").append(roff(example.what)).append(":\n.PP\n.nf\n.RS 4\n");
    out.append(roff(example.command)).append("\n.RE\n.fi\n");
  }
}

/// Appends the section on --json: its keys, those of a case under its own heading.
void append_results(std::string& out, const std::vector<ResultKey>& keys) {
  if (keys.empty()) return;
  out +=
      ".SH JSON\nWith \\fB\\-\\-json\\fR the command prints one object. Its key \\fBschema\\fR is "
      "the name and version of this list of keys.\n";
  std::string when;
  for (const ResultKey& key : keys) {
    if (key.when != when) {
      when = key.when;
      out.append(".SS Only with ").append(roff(when)).append("\n");
    }
    out.append(".TP\n.B ").append(roff(key.name)).append("\n");
    out.append(roff(key.help)).append(".\n");
  }
}

/// Appends all options, or only the shared ones, each group under its heading.
void append_options(std::string& out, const std::vector<OptionInfo>& options, bool shared) {
  std::string group;
  for (const OptionInfo& option : options) {
    if (option.shared != shared || option.group.empty()) continue;
    if (option.group != group) {
      group = option.group;
      out.append(".SS ").append(roff(group)).append("\n");
    }
    append_option(out, option);
  }
}

/// Commands that have the option, ". Only in train, predict"; "" if all have it.
std::string owners(const ToolTable& table, const OptionInfo& option) {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < table.options.size(); ++i) {
    const auto same = [&](const OptionInfo& other) {
      return other.shared && other.key == option.key;
    };
    if (std::none_of(table.options[i].begin(), table.options[i].end(), same)) continue;
    names.append(names.empty() ? "" : ", ").append(table.tool->commands[i].name);
    ++count;
  }
  return count == table.options.size() ? "" : ". Only in " + names;
}

void append_shared_options(std::string& out, const ToolTable& table) {
  out +=
      ".SH COMMON OPTIONS\nThese options work with every command, unless their text names "
      "commands.\n";
  std::vector<OptionInfo> shared = shared_options(table);
  for (OptionInfo& option : shared) option.description += owners(table, option);
  append_options(out, shared, true);
  out +=
      ".SS Options of the tool itself\n"
      ".TP\n"
      "\\fB\\-\\-version\\fR [\\fB\\-\\-json\\fR]\n"
      "print the version; with \\fB\\-\\-json\\fR also the commit, compiler, flags, libraries, "
      "instruction sets and devices.\n"
      ".TP\n"
      "\\fB\\-\\-generate\\fR \\fIman\\fR [\\fICOMMAND\\fR]\n"
      "print this page, or the page of a command.\n"
      ".TP\n"
      "\\fB\\-\\-generate\\fR \\fIbash\\fR|\\fIzsh\\fR|\\fIfish\\fR|\\fIjson\\-schema\\fR\n"
      "print a completion script for a shell, or a JSON schema of the configuration.\n";
}

void append_environment(std::string& out, const ToolTable& table) {
  out +=
      ".SH ENVIRONMENT\n"
      "An environment variable overrides configuration files; \\fB\\-\\-set\\fR and options "
      "override it. An empty variable is ignored.\n";
  std::set<std::string> seen;
  for (const auto& options : table.options) {
    for (const OptionInfo& option : options) {
      if (option.environment.empty() || !seen.insert(option.environment).second) continue;
      out.append(".TP\n.B ").append(roff(option.environment)).append("\nsame as ");
      out.append(roff(display_name(option))).append(".\n");
    }
  }
  if (std::ranges::any_of(table.tool->commands, &Command::joins_ranks)) {
    out +=
        ".TP\n"
        ".B FRUGAL_RANK_TIMEOUT\n"
        "time that an MPI rank waits for others before it asks which of them are alive, such as "
        "\\fI60s\\fR (10m); 0: no limit. A rank that computes answers. Ranks that do not answer "
        "are named, and all ranks end with status 143.\n";
  }
  out +=
      ".TP\n"
      ".B OMP_NUM_THREADS\n"
      "number of threads if neither an option nor FRUGAL_THREADS sets it.\n"
      ".TP\n"
      ".B SLURM_CPUS_PER_TASK\n"
      "upper limit for the number of threads that \\fIauto\\fR chooses.\n"
      ".TP\n"
      ".B NO_COLOR\n"
      "if not empty: no colour.\n"
      ".TP\n"
      ".B SOURCE_DATE_EPOCH\n"
      "time to write into output files, so that they can be reproduced.\n"
      ".TP\n"
      ".B TERM\n"
      "\\fIdumb\\fR: no colour and no progress bar.\n";
}

constexpr const char* kConfiguration =
    ".SH CONFIGURATION\n"
    "Options come from, weakest first: the defaults; the files of \\fB\\-\\-config\\fR in their "
    "order; the\n"
    "environment; \\fB\\-\\-set\\fR; the command line. A later value replaces an earlier one; "
    "lists are replaced as a whole.\n"
    "On the command line, a list is one word with commas between its items.\n"
    ".PP\n"
    "A configuration file is YAML. Its names are the command's long options without \\-\\-, and "
    "its arguments in\n"
    "lower case. Nested names are joined with \\-: \\fIlsh: {tables: 7}\\fR is "
    "\\fB\\-\\-lsh\\-tables 7\\fR.\n"
    "A name that the command does not have is an error: put options of only some commands into a "
    "second file.\n"
    "Environment variables of options that a command lacks are ignored.\n"
    "\\fB\\-\\-print\\-config\\fR prints such a file, which repeats the run.\n";

constexpr const char* kStatusAndSignals =
    ".SH EXIT STATUS\n"
    ".TP\n"
    ".B 0\n"
    "success.\n"
    ".TP\n"
    ".B 1\n"
    "a check or comparison failed.\n"
    ".TP\n"
    ".B 2\n"
    "the command line or the configuration is wrong.\n"
    ".TP\n"
    ".B 65\n"
    "an input is damaged, truncated or malformed.\n"
    ".TP\n"
    ".B 66\n"
    "an input cannot be opened.\n"
    ".TP\n"
    ".B 69\n"
    "a resource is missing, such as a device or memory.\n"
    ".TP\n"
    ".B 70\n"
    "an internal error; please report it.\n"
    ".TP\n"
    ".B 73\n"
    "an output cannot be created.\n"
    ".TP\n"
    ".B 74\n"
    "reading or writing failed, for example because the disk is full.\n"
    ".TP\n"
    ".B 75\n"
    "stopped at a checkpoint; run the same command again with \\fB\\-\\-resume\\fR.\n"
    ".TP\n"
    ".B 128+n\n"
    "ended by signal n.\n"
    ".SH SIGNALS\n"
    "After SIGUSR1, a command that trains writes a checkpoint and continues. After SIGTERM, "
    "SIGINT, SIGHUP or\n"
    "SIGXCPU (the limit of CPU time) it writes a checkpoint and ends with status 75. A second "
    "SIGTERM, SIGINT or\n"
    "SIGHUP ends it at once. Other commands end at the first such signal. SIGPIPE ends a command "
    "without a message.\n"
    "A file size limit is an error on writing, not a signal.\n";

constexpr const char* kFiles =
    ".SH FILES\n"
    "The file name \\- stands for standard input or standard output. An output file appears whole, "
    "after the command\n"
    "has succeeded, or not at all.\n";

void append_title(std::string& out, const Tool& tool, const std::string& name,
                  const std::string& summary) {
  const std::string dashed = roff(name);
  out += ".\\\" Generated by " + tool.name + " --generate man\n";
  out += ".TH " + upper(dashed) + " 1 \"\" \"frugal " + build_info().version +
         "\" \"User Commands\"\n";
  out += ".nh\n.ad l\n.SH NAME\n" + dashed + " \\- " + roff(summary) + "\n.SH SYNOPSIS\n";
}

/// Formats "tensor-file(5)" as a reference.
std::string reference(const std::string& page) {
  const std::size_t open = page.find('(');
  return ".BR " + roff(page.substr(0, open)) + " " + page.substr(open);
}

void append_see_also(std::string& out, std::vector<std::string> pages,
                     const std::vector<std::string>& more) {
  pages.insert(pages.end(), more.begin(), more.end());
  out += ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < pages.size(); ++i) {
    out.append(reference(pages[i])).append(i + 1 < pages.size() ? ",\n" : "\n");
  }
}

/// Appends one line per command, which names its page.
void append_commands(std::string& out, const Tool& tool) {
  out += ".SH COMMANDS\n";
  for (const Command& command : tool.commands) {
    out.append(".TP\n").append(reference(tool.name + "-" + command.name + "(1)")).append("\n");
    out.append(roff(command.summary)).append(".\n");
  }
}

/// Appends the names of the options that a command shares with the others.
void append_common_names(std::string& out, const Tool& tool,
                         const std::vector<OptionInfo>& options) {
  out.append(".SS Common options\n").append(reference(tool.name + "(1)")).append("\ndescribes");
  std::string separator = " ";
  for (const OptionInfo& option : options) {
    if (!option.shared || option.group.empty()) continue;
    out.append(separator).append("\\fB").append(roff(display_name(option))).append("\\fR");
    separator = ",\n";
  }
  out += ".\n";
}

}  // namespace

std::string command_page(const ToolTable& table, const Command& command) {
  const Tool& tool = *table.tool;
  const auto place = static_cast<std::size_t>(&command - tool.commands.data());
  const std::vector<OptionInfo>& options = table.options[place];
  std::string out;
  append_title(out, tool, tool.name + "-" + command.name, command.summary);
  out.append(".B ").append(roff(tool.name + " " + command.name)).append("\n");
  out.append(roff(usage_arguments(options))).append("\n.SH DESCRIPTION\n");
  append_paragraphs(out,
                    command.description.empty() ? sentence(command.summary) : command.description);
  out += ".SH OPTIONS\n";
  append_options(out, options, false);
  append_common_names(out, tool, options);
  append_results(out, result_keys(command));
  if (!command.examples.empty()) out += ".SH EXAMPLES\n";
  append_examples(out, command.examples);
  out +=
      ".SH EXIT STATUS\n"
      "0 on success, 2 if the command line is wrong;\n" +
      reference(tool.name + "(1)") + "\nlists the others.\n";
  append_see_also(out, {tool.name + "(1)", "frugal(7)"}, tool.see_also);
  return out;
}

std::string man_page(const ToolTable& table) {
  const Tool& tool = *table.tool;
  std::string out;
  append_title(out, tool, tool.name, tool.summary);
  out.append(".B ").append(roff(tool.name)).append("\nCOMMAND [options] [arguments]\n");
  out += ".SH DESCRIPTION\n";
  append_paragraphs(out, tool.description);
  append_commands(out, tool);
  append_shared_options(out, table);
  out.append(kConfiguration).append(kStatusAndSignals).append(kFiles);
  append_environment(out, table);
  out += ".SH EXAMPLES\n";
  for (const Command& command : tool.commands) {
    if (!command.examples.empty()) append_examples(out, {command.examples.front()});
  }
  append_see_also(out, {"frugal(7)"}, tool.see_also);
  return out;
}

}  // namespace frugal
