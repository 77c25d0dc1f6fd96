// SPDX-License-Identifier: Apache-2.0
#pragma once

/// report: one self-contained HTML page about the folders of runs or of a sweep.
///
/// `make_page` reads run.json, metrics.jsonl and result.json of each folder and returns a `Page`; the caller writes it.
/// A folder with sweep.json stands for the runs of all points of the sweep.
/// `Page::states` says how each run stands: running, ended or crashed. `Page::warnings` lists the gaps of the page.
/// The page needs no network and no script. Links to the runs' files are relative to the file named in the call.
/// A page may be made while the runs are training. The call changes nothing in the folders and is not collective.
/// One rank makes the page; the other ranks learn of its Error by `comm::agree`.
/// A folder without metrics.jsonl, or a file that is none of a run's, throws Error with its name.
/// docs/training.md describes the files of a run, docs/formats.md their contents, src/report/README.md the figures.
///
/// ```cpp
/// const report::Page page = report::make_page({"runs/adult", "runs/adult_512"}, "compare.html");
/// for (const std::string& warning : page.warnings) std::cerr << warning << std::endl;
/// for (const report::RunState& run : page.states)
///   if (!run.end.is_done()) std::cerr << run.folder << ": " << run.end.text() << ", step " << run.steps << std::endl;
/// if (!(std::cout << page.html)) fail("compare.html cannot be written");  // started as: compare > compare.html
/// ```

#include <tesserec/report/curve_difference.hpp>
#include <tesserec/report/report.hpp>
