// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec {

/// Makes this process keep the memory that it frees, for its next allocations: the kernel takes longer to give a page
/// again than the process to fill it. For programs that allocate and free large buffers in turn. Has no effect without
/// the GNU C library.
void keep_freed_memory();

}  // namespace tesserec
