#pragma once
/// Switching between stacks, for the threads of host_cuda.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace frugal::host_cuda {

#if defined(__x86_64__)
/// Saves the callee-saved registers (System V ABI, x86-64) and switches stacks. Takes about 5 ns;
/// swapcontext() takes 200, because it asks the kernel for the signal mask.
extern "C" void frugal_switch_fibre(void** save, void* load);
asm(R"(
.text
.weak frugal_switch_fibre
.type frugal_switch_fibre,@function
frugal_switch_fibre:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size frugal_switch_fibre,.-frugal_switch_fibre
)");
inline constexpr std::size_t kSavedRegisters = 6;
#elif defined(__aarch64__)
/// Saves the callee-saved registers (AAPCS64) and switches stacks.
extern "C" void frugal_switch_fibre(void** save, void* load);
asm(R"(
.text
.weak frugal_switch_fibre
.type frugal_switch_fibre,@function
frugal_switch_fibre:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size frugal_switch_fibre,.-frugal_switch_fibre
)");
inline constexpr std::size_t kSavedRegisters = 20;
#endif

/// Prepares a stack that ends at `end` and starts with a call of `body`, which must never return.
inline void* new_stack(char* end, void (*body)()) {  // NOLINT(readability-non-const-parameter)
  auto* top = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(end) & ~std::uintptr_t{15});
#if defined(__x86_64__)
  *--top = nullptr;  // the alignment that a call leaves
  *--top = reinterpret_cast<void*>(body);
  top -= kSavedRegisters;
  std::fill_n(top, kSavedRegisters, nullptr);
#else
  constexpr std::size_t kLinkRegister = 11;  // x30, among those saved
  top -= kSavedRegisters;
  std::fill_n(top, kSavedRegisters, nullptr);
  top[kLinkRegister] = reinterpret_cast<void*>(body);
#endif
  return top;
}

}  // namespace frugal::host_cuda
