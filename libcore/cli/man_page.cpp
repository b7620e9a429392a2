#include <algorithm>
#include <set>
#include <span>

#include "libcore/base/text.h"
#include "libcore/cli/build_info.h"
#include "libcore/cli/tool_table.h"

namespace frugal {
namespace {

/// Text for roff: nothing in it is a command, and hyphens can be copied to a shell.
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

/// "prints a file" -> "Prints a file."
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

void append_command(std::string& out, const Tool& tool, const Command& command,
                    const std::vector<OptionInfo>& options) {
  out.append(".SS ").append(roff(command.name)).append("\n");
  out.append(".B ").append(roff(tool.name + " " + command.name)).append("\n");
  out.append(roff(usage_arguments(options))).append("\n");
  out.append(".PP\n").append(roff(sentence(command.summary))).append("\n");
  append_paragraphs(out, command.description);
  std::string group;
  for (const OptionInfo& option : options) {
    if (option.shared || option.group.empty()) continue;
    if (option.group != group) {
      group = option.group;
      out.append(".PP\n").append(roff(group)).append(":\n");
    }
    append_option(out, option);
  }
}

/// "Of train, predict only.": which commands have the option; "" where all have it.
std::string owners(const ToolTable& table, const OptionInfo& option) {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < table.options.size(); ++i) {
    const auto same = [&](const OptionInfo& other) { return other.key == option.key; };
    if (std::none_of(table.options[i].begin(), table.options[i].end(), same)) continue;
    names.append(names.empty() ? "" : ", ").append(table.tool->commands[i].name);
    ++count;
  }
  return count == table.options.size() ? "" : "Of " + names + " only.";
}

/// A group of shared options. Which commands have them is said once where all of the group agree.
void append_shared_group(std::string& out, const ToolTable& table,
                         std::span<const OptionInfo> group) {
  const std::string first = owners(table, group.front());
  const bool alike = std::all_of(group.begin(), group.end(), [&](const OptionInfo& option) {
    return owners(table, option) == first;
  });
  out.append(".SS ").append(roff(group.front().group)).append("\n");
  if (alike && !first.empty()) out.append(roff(first)).append("\n");
  for (const OptionInfo& option : group) {
    append_option(out, option);
    const std::string note = alike ? "" : owners(table, option);
    if (!note.empty()) out.append(roff(note)).append("\n");
  }
}

void append_shared_options(std::string& out, const ToolTable& table) {
  out += ".SH COMMON OPTIONS\nEvery command has these options, but for those that name theirs.\n";
  const std::vector<OptionInfo> shared = shared_options(table);
  for (auto begin = shared.begin(), end = begin; begin != shared.end(); begin = end) {
    end = std::find_if(begin, shared.end(),
                       [&](const OptionInfo& option) { return option.group != begin->group; });
    append_shared_group(out, table, {begin, end});
  }
  out +=
      ".SS Of the tool itself\n.TP\n\\fB\\-\\-version\\fR [\\fB\\-\\-json\\fR]\nprint the version; "
      "as JSON also the "
      "commit, compiler, flags, libraries, instruction sets and "
      "devices.\n.TP\n\\fB\\-\\-generate\\fR "
      "\\fIman\\fR|\\fIbash\\fR|\\fIzsh\\fR|\\fIfish\\fR|\\fIjson\\-schema\\fR\nprint this page, a "
      "completion script "
      "for a shell, or a JSON schema of the configuration.\n";
}

void append_environment(std::string& out, const ToolTable& table) {
  out +=
      ".SH ENVIRONMENT\nAn environment variable is weaker than \\fB\\-\\-set\\fR and an option, "
      "stronger than a "
      "configuration file. An empty one says nothing.\n";
  std::set<std::string> seen;
  for (const auto& options : table.options) {
    for (const OptionInfo& option : options) {
      if (option.environment.empty() || !seen.insert(option.environment).second) continue;
      out.append(".TP\n.B ").append(roff(option.environment)).append("\nas ");
      out.append(roff(display_name(option))).append(".\n");
    }
  }
  out +=
      ".TP\n.B OMP_NUM_THREADS\nthreads, where neither an option nor FRUGAL_THREADS says "
      "otherwise.\n"
      ".TP\n.B SLURM_CPUS_PER_TASK\nan upper limit of the threads that \\fIauto\\fR takes.\n"
      ".TP\n.B NO_COLOR\nnot empty: no colour.\n"
      ".TP\n.B SOURCE_DATE_EPOCH\nthe time to write into outputs, so that they can be reproduced.\n"
      ".TP\n.B TERM\n\\fIdumb\\fR: no colour and no progress bar.\n";
}

constexpr const char* kConfiguration =
    ".SH CONFIGURATION\n"
    "Options come from, weakest first: the defaults; the files of \\fB\\-\\-config\\fR in their "
    "order; the\n"
    "environment; \\fB\\-\\-set\\fR; options on the command line. A later value replaces an "
    "earlier one, also\n"
    "where it is a list. A list on the command line is one word, its values separated by commas.\n"
    ".PP\n"
    "A configuration file is YAML. Its names are the long names of the options of the command in "
    "force,\n"
    "without \\-\\-, and the names of its arguments in lower case; nested names join with \\-, so "
    "that\n"
    "\\fIlsh: {tables: 7}\\fR is \\fB\\-\\-lsh\\-tables 7\\fR. A name that the command does not "
    "have "
    "is an error,\n"
    "so that a file serves commands that all have its options; what only some have goes into a "
    "second\n"
    "file. Environment variables of options that a command lacks are ignored.\n"
    "\\fB\\-\\-print\\-config\\fR writes such a file; with it the run can be repeated.\n";

constexpr const char* kStatusAndSignals =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\ndone.\n"
    ".TP\n.B 1\nthe check or comparison said no.\n"
    ".TP\n.B 2\nthe command line or the configuration is wrong.\n"
    ".TP\n.B 65\nan input is damaged, truncated or malformed.\n"
    ".TP\n.B 66\nan input cannot be opened.\n"
    ".TP\n.B 69\na resource is not there: a device, memory.\n"
    ".TP\n.B 70\nan internal error; please report it.\n"
    ".TP\n.B 73\nan output cannot be created.\n"
    ".TP\n.B 74\nreading or writing failed, for example because the disk is full.\n"
    ".TP\n.B 75\nstopped at a checkpoint; run the same command again with \\fB\\-\\-resume\\fR.\n"
    ".TP\n.B 128+n\nended by signal n.\n"
    ".SH SIGNALS\n"
    "A command that trains writes a checkpoint and goes on after SIGUSR1; after SIGTERM, SIGINT, "
    "SIGHUP or\n"
    "SIGXCPU (the limit of CPU time) it writes a checkpoint and ends with status 75. A second "
    "SIGTERM, SIGINT or\n"
    "SIGHUP ends it at once. Other commands end at the first one. SIGPIPE ends a command quietly. "
    "A file size limit is an error on writing, not a "
    "signal.\n";

constexpr const char* kFiles =
    ".SH FILES\n"
    "A file name of \\- is standard input or standard output. An output file appears whole, when "
    "the command\n"
    "has succeeded, or not at all.\n";

}  // namespace

std::string man_page(const ToolTable& table) {
  const Tool& tool = *table.tool;
  std::string out = ".\\\" Generated by " + tool.name + " --generate man\n";
  out += ".TH " + upper(roff(tool.name)) + " 1 \"\" \"frugal " + build_info().version +
         "\" \"User Commands\"\n";
  out += ".nh\n.ad l\n.SH NAME\n" + roff(tool.name) + " \\- " + roff(tool.summary) +
         "\n.SH SYNOPSIS\n";
  for (std::size_t i = 0; i < tool.commands.size(); ++i) {
    out.append(i == 0 ? "" : ".br\n")
        .append(".B ")
        .append(roff(tool.name + " " + tool.commands[i].name));
    out.append("\n").append(roff(usage_arguments(table.options[i]))).append("\n");
  }
  out += ".SH DESCRIPTION\n";
  append_paragraphs(out, tool.description);
  out += ".SH COMMANDS\n";
  for (std::size_t i = 0; i < tool.commands.size(); ++i) {
    append_command(out, tool, tool.commands[i], table.options[i]);
  }
  append_shared_options(out, table);
  out.append(kConfiguration).append(kStatusAndSignals).append(kFiles);
  append_environment(out, table);
  out += ".SH EXAMPLES\n";
  for (const Command& command : tool.commands) append_examples(out, command.examples);
  out += ".SH SEE ALSO\n.BR frugal (7)";
  for (const std::string& page : tool.see_also) {
    const std::size_t open = page.find('(');
    out.append(",\n.BR ").append(roff(page.substr(0, open)));
    if (open != std::string::npos) out.append(" ").append(page.substr(open));
  }
  return out + "\n";
}

}  // namespace frugal
