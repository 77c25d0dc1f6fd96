// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "beat_socket.hpp"
#include "event_file.hpp"
#include "waiting.hpp"
#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::comm {
namespace {

std::atomic<double> patience = 600;  // seconds
std::atomic<const char*> noted = "";
std::atomic<Index> noted_number = 0;

// Seconds. `greeting` limits the wait for the first datagrams; it is long because ranks may share a processor. The
// pauses between two datagrams are short compared with run.patience, also while only some ranks have read their deck.
constexpr double greeting = 5, first_pause = 0.1, longest_pause = 0.5;
constexpr double busy = 1e-3;  // share of a processor; other watching threads use less

double seconds_of(clockid_t clock) {
  timespec time{};
  return ::clock_gettime(clock, &time) == 0 ? double(time.tv_sec) + 1e-9 * double(time.tv_nsec) : 0;
}

/// Returns the state of a process or thread of this host, as the letter of ps; '-' if it has ended.
char state_of(const std::string& folder) {
  std::ifstream file(folder + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_ends = text.rfind(") ");
  return name_ends != std::string::npos && name_ends + 2 < text.size() ? text[name_ends + 2] : '-';
}

/// Returns whether a thread of this process or a child, which reads files for it, is in uninterruptible sleep, or
/// whether a child is stopped.
bool is_stuck() {
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    if (state_of(thread.path().string()) == 'D') return true;
    std::ifstream children(thread.path() / "children");
    for (std::string child; children >> child;)
      if (const char state = state_of("/proc/" + child); state == 'D' || state == 'T') return true;
  }
  return false;
}

std::string cause(char state) {
  switch (state) {
    case 'T':
      return "it was stopped by a signal such as SIGSTOP";
    case 't':
      return "a debugger has stopped it";
    case 'D':
      return "it waits for a disk or a network file system";
    case 'Z':
    case '-':
      return "it has ended";
    default:
      return "";
  }
}

}  // namespace

void set_patience(double seconds) { patience = seconds; }

void note(const char* work, Index number) {
  noted.store(work, std::memory_order_relaxed);
  noted_number.store(number, std::memory_order_relaxed);
}

class RankWatch::Thread {
 public:
  explicit Thread(const Communicator& comm)
      : comm_(comm),
        processes_(comm.all_gather(WatchedProcess::own())),
        heard_(comm.size()),
        main_(main_clock()),
        to_first_(comm.all_gather(socket_.addresses()).front()) {
    std::random_device random;
    for (std::uint64_t& word : own_.job) word = std::uint64_t{random()} << 32 | random();
    own_.job = comm.all_gather(own_.job).front();
    own_.rank = comm.rank();
    heard_[comm.rank()].is_watched = true;
    thread_ = std::thread([this] { run(); });
    try {
      handshake();
    } catch (...) {
      end();
      throw;
    }
  }

  ~Thread() { end(); }

 private:
  void end() {
    ::eventfd_write(ended_, 1);
    thread_.join();
    ::close(ended_);
  }

  struct WatchedProcess {
    char host[65] = {};  // Linux: 64 characters at most
    int id = 0;

    static WatchedProcess own() {
      WatchedProcess process;
      process.id = ::getpid();
      if (::gethostname(process.host, sizeof process.host - 1) != 0) std::strcpy(process.host, "unknown");
      return process;
    }
  };
  /// Last beat of a rank, as this rank received it.
  struct PeerStatus {
    Heartbeat last;
    double silent = 0;        // seconds since the last datagram
    bool has_spoken = false;  // true after the first datagram
    bool is_watched = false;
  };

  static clockid_t main_clock() {
    clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
    pthread_getcpuclockid(pthread_self(), &clock);
    return clock;
  }

  bool is_first() const { return comm_.rank() == 0; }

  /// Waits for a datagram of each other rank on the first rank, and of the first rank on the others. Ranks without a
  /// datagram are not watched. Collective: blocks for `greeting` seconds at most, then until all ranks have called it.
  void handshake() {
    std::unique_lock lock(mutex_);
    const auto all_spoke = [this] {
      for (int rank = 0; rank < (is_first() ? comm_.size() : 1); ++rank)
        if (rank != comm_.rank() && !heard_[rank].has_spoken) return false;
      return true;
    };
    const bool reached = spoken_.wait_for(lock, std::chrono::duration<double>(greeting), all_spoke);
    lock.unlock();
    const std::vector<int> reaches = comm_.all_gather(reached ? 1 : 0);
    lock.lock();
    is_greeting_ = false;
    std::vector<int> deaf;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      if (rank != 0 && reaches[rank] == 0) deaf.push_back(rank);
      if (rank == 0 || reaches[rank] != 0) heard_[rank].is_watched = rank != 0 || is_first() || reached;
    }
    if (is_first() && !deaf.empty())
      log_warning(concat("no UDP datagrams between ", processes_[0].host, " and ", counted(std::ssize(deaf), "rank"),
                         " (", join(deaf), "), so a rank that stops is not detected; allow UDP between the nodes"));
  }

  void run() {
    std::unique_lock lock(mutex_);
    pollfd files[] = {{ended_, POLLIN, 0}, {socket_.file(), POLLIN, 0}};
    for (double last = 0; files[0].revents == 0;) {
      const double limit = patience, longest = is_greeting_ ? first_pause : longest_pause;
      const double pause = limit > 0 ? std::min(limit / 20, longest) : longest;
      if (seconds_now() >= last + pause) {
        last = seconds_now();
        beat(pause);
        if (limit > 0) judge(limit);
      }
      lock.unlock();
      ::poll(files, 2, int(1e3 * std::max(0.0, last + pause - seconds_now())) + 1);
      lock.lock();
      listen();
    }
  }

  /// Updates this rank's beat, `pause` seconds after the last update, and sends it to the first rank.
  void beat(double pause) {
    const Index call = Waiting::now();
    own_.waits = call == call_ && call % 2 == 1 ? own_.waits + pause : 0;
    call_ = call;
    const double main = seconds_of(main_);
    const double others = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const bool works = main > main_used_ || others - used_ > busy * pause || call % 2 == 1;
    own_.stuck = !works && is_stuck() ? own_.stuck + pause : 0;
    main_used_ = main;
    used_ = others;
    std::strncpy(own_.work.data(), noted.load(std::memory_order_relaxed), own_.work.size() - 1);
    own_.number = noted_number.load(std::memory_order_relaxed);
    for (PeerStatus& rank : heard_) rank.silent += pause;
    heard_[comm_.rank()] = {own_, 0, true, true};
    if (is_first()) return;
    if (heard_[0].has_spoken)
      socket_.send(own_, first_);
    else
      for (const sockaddr_in& address : to_first_) socket_.send(own_, address);
  }

  /// Reads all datagrams that have arrived. The first rank answers each of them.
  void listen() {
    sockaddr_in from{};
    while (const std::optional<Heartbeat> beat = socket_.receive(own_.job, from)) {
      if (beat->rank < 0 || beat->rank >= comm_.size() || beat->rank == comm_.rank()) continue;
      PeerStatus& rank = heard_[beat->rank];
      rank = {*beat, 0, true, rank.is_watched};
      if (is_first())
        socket_.send(own_, from);
      else
        first_ = from;
      spoken_.notify_all();
    }
  }

  /// Ends the job if a rank has stopped. The first rank reports any rank; the others report the first one, the lowest
  /// of them earliest.
  void judge(double limit) {
    std::vector<std::string> silent, stuck;
    bool ranks_wait = false;
    for (const PeerStatus& rank : heard_) ranks_wait = ranks_wait || rank.last.waits >= limit;
    for (int rank = 0; rank < (is_first() ? comm_.size() : 1); ++rank) {
      const PeerStatus& heard = heard_[rank];
      if (!heard.is_watched) continue;
      if (heard.silent >= limit + turn())
        silent.push_back(describe(rank, is_on_this_host(rank) ? state_of(concat("/proc/", processes_[rank].id)) : '?'));
      else if (is_first() && ranks_wait && heard.last.stuck >= limit)
        stuck.push_back(describe(rank, 'D'));
    }
    if (silent.empty() && stuck.empty()) return;
    const bool answers = silent.empty();
    const std::vector<std::string>& ranks = answers ? stuck : silent;
    const char* const finding = answers ? ": no sign of work" : ": no answer";
    const char* const suspects = ranks.size() == 1 ? "the process and its node" : "the processes and their nodes";
    abort(comm_, 2,
          concat(join(ranks), finding, " for ", significant(limit, 4),
                 " s (run.patience) while other ranks wait, so all ranks end; check ", suspects,
                 ", then start the same command again"));
  }

  /// Returns the seconds by which this rank delays its report, so that only one rank reports. Ranks above 1 leave
  /// rank 1 time to write its last files.
  double turn() const {
    if (is_first()) return 0;
    return 0.1 * comm_.rank() + (comm_.rank() > 1 ? 0.5 : 0);
  }

  bool is_on_this_host(int rank) const {
    return std::strcmp(processes_[rank].host, processes_[comm_.rank()].host) == 0;
  }

  std::string describe(int rank, char state) const {
    const Heartbeat& last = heard_[rank].last;
    std::string text = concat("rank ", rank, " (process ", processes_[rank].id, " on ", processes_[rank].host);
    if (last.work[0] != '\0') text += concat(", last seen at ", last.work.data(), " ", last.number);
    const std::string reason = cause(state);
    return text + (reason.empty() ? ")" : "; " + reason + ")");
  }

  const Communicator& comm_;
  const BeatSocket socket_;
  const std::vector<WatchedProcess> processes_;  // [rank]
  std::vector<PeerStatus> heard_;                // [rank]
  const clockid_t main_;
  const std::array<sockaddr_in, 9> to_first_;  // possible addresses of the first rank
  sockaddr_in first_{};                        // address from which the first rank answered
  Heartbeat own_;
  Index call_ = 0;
  double main_used_ = 0, used_ = 0;  // processor time [s] of the main thread, and of all threads but this one
  std::mutex mutex_;
  std::condition_variable spoken_;
  bool is_greeting_ = true;
  const int ended_ = open_eventfd();  // eventfd, readable once the destructor is called
  std::thread thread_;
};

RankWatch::RankWatch(const Communicator& comm) {
  if (comm.size() > 1) thread_ = std::make_unique<Thread>(comm);
}

RankWatch::~RankWatch() = default;

}  // namespace tesserec::comm
