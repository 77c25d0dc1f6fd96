// SPDX-License-Identifier: Apache-2.0
#include "foreign_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <new>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handle.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::store {
namespace {

/// Largest processor time of one call [s]: twice the time of a large chunk. It ends endless loops in HDF5.
constexpr rlim_t max_seconds = 20;
constexpr int child_socket = 3;

struct CallHead {
  ForeignProcess::Serve serve = nullptr;
  std::size_t bytes = 0;
};
struct Answer {
  bool good = false;
  std::size_t bytes = 0;
};

/// Receives exactly `bytes` bytes. Blocks; returns false at the end of the stream or at an error.
bool receive(int socket, void* to, std::size_t bytes) {
  for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
    const ssize_t got = ::recv(socket, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= std::size_t(got);
  }
  return true;
}

bool send(int socket, const void* from, std::size_t bytes) {
  for (const auto* at = static_cast<const std::byte*>(from); bytes > 0;) {
    const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= std::size_t(sent);
  }
  return true;
}

/// Lets the kernel end this process if the call that begins now uses more than max_seconds of processor time.
void limit_call() {
  rusage used{};
  rlimit limit{};
  if (::getrusage(RUSAGE_SELF, &used) != 0 || ::getrlimit(RLIMIT_CPU, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, rlim_t(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + max_seconds);
  ::setrlimit(RLIMIT_CPU, &limit);
}

Bytes text_bytes(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Serves calls until the parent closes the socket or ends. Signals stay blocked, except SIGXCPU: a terminal's signals
/// are for the parent. Faults end the process at once, since handlers of MPI and others might hang in damaged memory.
[[noreturn]] void serve_all(int socket) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int fault : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU}) std::signal(fault, SIG_DFL);
  sigset_t processor_time;
  ::sigemptyset(&processor_time);
  ::sigaddset(&processor_time, SIGXCPU);
  ::pthread_sigmask(SIG_UNBLOCK, &processor_time, nullptr);
  // The parent's files, locks and connections do not belong to this process.
  ::dup2(socket, child_socket);
  std::error_code error;
  std::vector<int> open;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error))
    if (const int file = std::stoi(entry.path().filename().string()); file != child_socket) open.push_back(file);
  for (const int file : open) ::close(file);
  for (int file = 0; file < child_socket; ++file) ::open("/dev/null", O_RDWR);
  CallHead request;
  while (receive(child_socket, &request, sizeof request)) {
    Bytes bytes(request.bytes);
    if (!receive(child_socket, bytes.data(), bytes.size())) break;
    Answer answer;
    limit_call();
    try {
      bytes = request.serve(Decoder(bytes));
      answer.good = true;
    } catch (const std::bad_alloc&) {
      bytes = text_bytes("there is not enough memory to read it");
    } catch (const std::exception& error) {
      bytes = text_bytes(error.what());
    }
    answer.bytes = bytes.size();
    if (!send(child_socket, &answer, sizeof answer) || !send(child_socket, bytes.data(), bytes.size())) break;
  }
  ::_exit(0);
}

}  // namespace

std::shared_ptr<ForeignProcess> ForeignProcess::shared() {
  const auto lock = hdf5_lock();
  static std::weak_ptr<ForeignProcess> newest;
  std::shared_ptr<ForeignProcess> process = newest.lock();
  if (process == nullptr || process->ended_) newest = process = std::shared_ptr<ForeignProcess>(new ForeignProcess);
  return process;
}

// The caller holds HDF5's lock, so that no thread is inside HDF5 at the fork.
ForeignProcess::ForeignProcess() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    fail("cannot start the process that reads files of other programs: ", std::strerror(errno));
  sigset_t all_signals, before;
  ::sigfillset(&all_signals);
  ::pthread_sigmask(SIG_SETMASK, &all_signals, &before);
  process_ = ::fork();
  const int error = errno;
  if (process_ == 0) {
    renew_hdf5_lock();
    serve_all(ends[1]);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(ends[1]);
  socket_ = ends[0];
  if (process_ > 0) return;
  ::close(socket_);
  fail("cannot start the process that reads files of other programs: ", std::strerror(error));
}

ForeignProcess::~ForeignProcess() {
  ::close(socket_);
  if (ended_) return;
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void ForeignProcess::fail_ended(const std::string& path) {
  int status = 0;
  if (!ended_)
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  ended_ = true;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGXCPU)
    fail(path, ": HDF5 did not finish within ", max_seconds,
         " s of processor time, so the file is damaged; recreate it, or inspect it with h5dump");
  if (signal == SIGKILL)
    fail(path, ": its reading process was killed (signal 9), probably for lack of memory; use a node with more memory");
  fail(path, ": HDF5 crashed on this file",
       signal != 0 ? concat(" (signal ", signal, ", ", ::strsignal(signal), ")") : std::string(),
       ", which is damaged and has no seal to show where; recreate it, or inspect it with h5dump");
}

Bytes ForeignProcess::call(const std::string& path, Serve serve, const Bytes& arguments) {
  const auto lock = hdf5_lock();
  const CallHead request{serve, arguments.size()};
  Answer answer;
  if (ended_ || !send(socket_, &request, sizeof request) || !send(socket_, arguments.data(), arguments.size()) ||
      !receive(socket_, &answer, sizeof answer))
    fail_ended(path);
  Bytes bytes;
  try {
    bytes.resize(answer.bytes);
  } catch (const std::exception&) {  // The damaged process sent a wrong size.
    ::kill(process_, SIGKILL);
    fail_ended(path);
  }
  if (!receive(socket_, bytes.data(), bytes.size())) fail_ended(path);
  if (!answer.good) fail(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return bytes;
}

}  // namespace tesserec::store
