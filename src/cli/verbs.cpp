#include "cli/verbs.hpp"

#include <limits>

#include "report/renderers.hpp"

namespace plumb::cli {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

constexpr Example kCheckExamples[] = {
    {"plumb check run.jsonl --model queue", "one recording, as a queue"},
    {"plumb check etcd.log -m register", "a Jepsen log; the format is recognised"},
    {"plumb check recordings/ -m map --json", "every history below a folder, one JSON object per line"},
    {"zcat run.edn.gz | plumb check - -m mutex",
     "from standard input (.gz and .zst can also be read directly)"},
    {"plumb check big.jsonl -m set -t 60 --memory 2G",
     "with a budget: when it runs out, 'unknown' and status 3"},
    {"plumb check run.jsonl --spec my_model.cpp", "against a model of your own"},
};

constexpr Example kExplainExamples[] = {
    {"plumb explain run.jsonl --model queue", "what is wrong with it, in a few lines"},
    {"COLUMNS=160 plumb explain run.jsonl -m map", "wider than the terminal"},
    {"plumb explain run.jsonl -m set --json", "the same for a program"},
};

constexpr Example kReportExamples[] = {
    {"plumb report run.jsonl -m queue -o run.html", "an interactive page: open it in a browser"},
    {"plumb report run.jsonl -m queue -o run.svg", "a picture of the violation, for a paper or a README"},
    {"plumb check recordings/ -m map --report bad.html", "the first violation of many histories"},
};

constexpr Example kConvertExamples[] = {
    {"plumb convert etcd.log etcd.jsonl", "formats from the content and the extension of the name"},
    {"plumb convert run.jsonl run.edn.zst", "compressed while writing"},
    {"plumb convert - - --to hist <run.jsonl", "from pipe to pipe: name the format to write"},
};

constexpr Example kGenerateExamples[] = {
    {"plumb generate -m queue -n 20", "a small history on standard output"},
    {"plumb generate -m map -n 1000000 -p 8 -o big.jsonl.zst", "a large one, to a file"},
    {"plumb generate -m stack --spoil --seed 7 -o bad.jsonl", "one that is not linearizable"},
    {"plumb generate -m set --overlap 1 --pending 0.01",
     "busy processes, some operations of which never return"},
};

constexpr Example kModelsExamples[] = {
    {"plumb models", "every model with its operations"},
    {"plumb models queue", "one of them, with all the names its operations go by"},
    {"plumb models --json", "the same for a program"},
};

constexpr Example kVerifyExamples[] = {
    {"plumb check run.jsonl -m queue --certificate run.cert", "the verdict, with its proof"},
    {"plumb verify run.jsonl run.cert", "is it really a proof, and of this history?"},
};

constexpr Example kDepthExamples[] = {
    {"plumb depth run.jsonl -m queue", "one recording: its depth and how concurrent it is"},
    {"plumb depth recordings/ --max-depth 7 -o depth.svg",
     "tables of all histories below a folder, and a plot"},
    {"plumb depth recordings/ --csv >depth.csv", "for a spreadsheet"},
};

constexpr Example kMergeExamples[] = {
    {"plumb check logs/ -m map --shard 0/2 --journal 0.journal", "half of the files; the other half is 1/2"},
    {"plumb merge 0.journal 1.journal", "what one process would have printed, with its status"},
};

constexpr Example kWatchExamples[] = {
    {"my-test | plumb watch --model queue", "events from a pipe; ends at the first violation"},
    {"plumb watch run.log -m register --follow", "a Jepsen log while it grows, until Ctrl-C"},
    {"plumb watch - -m set --keep-going --json", "every violation, one JSON object per line"},
};

constexpr FixedText kReportText(
    "Writes one file that needs nothing else. Of a file with many histories, the first violation is drawn.\n"
    "The ending of the name says what is written:",
    kReportLines.view());

constexpr VerbRow kVerbs[] = {
    {Verb::kCheck, "check", "FILE…", 1, kAny, "decides whether recorded histories are linearizable",
     "A history is linearizable when its operations can be put in an order that respects real time (an "
     "operation\n"
     "that returned before another was called comes first) and that the model could have run, one by one, "
     "with\n"
     "the same results. FILE is a file, '-' for standard input, or a folder: every history below it. A file "
     "that\n"
     "cannot be read is an error on standard error; the other files are still checked.",
     kCheckExamples, run_check},
    {Verb::kExplain, "explain", "FILE", 1, 1, "says why a history is not linearizable",
     "Prints the verdict, a sentence, the few operations that prove a violation as a timeline by process, "
     "and how\n"
     "far an order of them gets. In a file with many histories, the first violation is explained. Without a\n"
     "violation, it prints the beginning of an order that works.",
     kExplainExamples, run_explain},
    {Verb::kReport, "report", "FILE", 1, 1, "draws a history and its verdict", kReportText.view(),
     kReportExamples, run_report},
    {Verb::kConvert, "convert", "IN OUT", 2, 2, "writes a history in another format",
     "Reads every history of IN and writes them to OUT; '-' is standard input or output. What a format "
     "cannot hold\n"
     "is an error; nothing is left out silently.",
     kConvertExamples, run_convert},
    {Verb::kGenerate, "generate", "", 0, 0, "makes histories, linearizable or spoiled, by seed",
     "Runs the model one operation at a time and stretches the operations until they overlap: the history\n"
     "is linearizable by construction, and with --spoil it is not. For testing and measuring checkers.",
     kGenerateExamples, run_generate},
    {Verb::kModels, "models", "[NAME]", 0, 1, "lists the built-in models with their operations",
     "A model is what a history is checked against: a sequential object with operations. Names after '/' "
     "mean the\n"
     "same operation.",
     kModelsExamples, run_models},
    {Verb::kVerify, "verify", "FILE CERT", 2, 2, "checks what 'check --certificate' wrote",
     "A small checker of its own, without any of the engines: it replays the order of a linearizable "
     "history, and "
     "applies\n"
     "the rules that lead to the core of a violation again, then refutes the core. Status 0: proved, for "
     "this very\n"
     "history; 1: not proved; 2: unreadable, or for another model.",
     kVerifyExamples, run_verify},
    {Verb::kMerge, "merge", "JOURNAL…", 1, kAny, "puts the journals of several runs together",
     "What 'plumb check --journal' wrote, of all shards or of one run, becomes what one process would have "
     "printed,\n"
     "in its order and with its exit status; reports, JUnit and certificates too, if the runs were told to "
     "write them.\n"
     "Pieces that are in no journal are named, and the status is 3 (1 if there is a violation).",
     kMergeExamples, run_merge},
    {Verb::kDepth, "depth", "FILE…", 1, kAny, "says how intricate histories are",
     "The depth of a linearizable history is the number of operations that have to be put in the right "
     "place, each\n"
     "as late as possible, to make an order of all of them right: the smallest d whose strong d-hitting "
     "family\n"
     "has a witness. Also printed: how many schedules these families have, how many operations are open at "
     "once, and\n"
     "how many pairs may come in either order. See docs/hitting.md.",
     kDepthExamples, run_depth},
    {Verb::kWatch, "watch", "[FILE]", 0, 1, "judges a history while it happens",
     "Reads events (formats events, edn with one map per line, jepsen-log, hist) from standard input or "
     "FILE, "
     "line by\n"
     "line, and reports a violation as soon as it is certain: what has happened so far, with the open "
     "operations\n"
     "pending, is not linearizable. It ends there with status 1. It keeps what is open in memory, not the "
     "whole "
     "run.",
     kWatchExamples, run_watch},
};

}  // namespace

std::span<const VerbRow> verb_table() { return kVerbs; }

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const VerbRow& row : verb_table()) names.emplace_back(row.name);
  return names;
}

}  // namespace plumb::cli
