// SPDX-License-Identifier: Apache-2.0
// Calls of NCCL. Compiled only in GPU builds with NCCL.
#include <cstring>

#include <cuda_runtime.h>
#include <nccl.h>

#include <tesserec/comm/nccl.hpp>
#include <tesserec/core/cuda_check.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::comm {
namespace {

void check(ncclResult_t code, const char* call) {
  if (code != ncclSuccess && code != ncclInProgress) fail(call, " failed: ", ncclGetErrorString(code));
}

class Library : public Nccl {
 public:
  Library() {
    tesserec::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    for (cudaEvent_t* event : {&ready_, &moved_})
      tesserec::check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  ~Library() override {
    cudaEventDestroy(ready_);
    cudaEventDestroy(moved_);
    cudaStreamDestroy(stream_);
  }
  std::unique_ptr<Nccl> another() const override { return std::make_unique<Library>(); }

  std::string version() const override {
    int code = 0;
    check(ncclGetVersion(&code), "ncclGetVersion");
    return concat(code / 10000, ".", code / 100 % 100, ".", code % 100);
  }
  Id unique_id() const override {
    ncclUniqueId id;
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    return {id.internal, id.internal + sizeof(id.internal)};
  }
  void init(const Id& bytes, const Communicator& ranks) override {
    ncclUniqueId id;
    std::memcpy(id.internal, bytes.data(), sizeof(id.internal));
    check(ncclCommInitRank(&comm_, ranks.size(), id, ranks.rank()), "ncclCommInitRank");
  }

  void after(const Device& device) override {
    tesserec::check(cudaEventRecord(ready_, device.cuda_stream()), "cudaEventRecord");
    tesserec::check(cudaStreamWaitEvent(stream_, ready_, 0), "cudaStreamWaitEvent");
  }
  void before(const Device& device) override {
    tesserec::check(cudaEventRecord(moved_, stream_), "cudaEventRecord");
    tesserec::check(cudaStreamWaitEvent(device.cuda_stream(), moved_, 0), "cudaStreamWaitEvent");
  }
  void group_start() override { check(ncclGroupStart(), "ncclGroupStart"); }
  void send(const void* from, Index bytes, int peer) override {
    check(ncclSend(from, bytes, ncclUint8, peer, comm_, stream_), "ncclSend");
  }
  void receive(void* to, Index bytes, int peer) override {
    check(ncclRecv(to, bytes, ncclUint8, peer, comm_, stream_), "ncclRecv");
  }
  void group_end() override { check(ncclGroupEnd(), "ncclGroupEnd"); }

  std::string async_error() const override {
    ncclResult_t code = ncclSuccess;
    const ncclResult_t status = ncclCommGetAsyncError(comm_, &code);
    if (status != ncclSuccess) return ncclGetErrorString(status);
    return code == ncclSuccess || code == ncclInProgress ? "" : ncclGetErrorString(code);
  }
  void abort() override { ncclCommAbort(comm_); }  // The code is ignored, since the job ends with an error.
  void destroy() override {
    tesserec::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    check(ncclCommDestroy(comm_), "ncclCommDestroy");
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ready_ = nullptr, moved_ = nullptr;
  ncclComm_t comm_ = nullptr;
};

}  // namespace

std::unique_ptr<Nccl> nccl_library() { return std::make_unique<Library>(); }

}  // namespace tesserec::comm
