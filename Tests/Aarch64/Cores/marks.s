// Functions with the assembler's marks of code and data in and at them, before and behind them in the symbol table.
  .text
  .globl _start
  .type _start, %function
_start:
  mov x0, #0
  ret
  .size _start, . - _start

  // Data in the middle of a function.
  .type with_data, %function
with_data:
  ldr x0, 1f
  b 2f
1:
  .xword 0x1234
2:
  ret
  .size with_data, . - with_data

  // A function whose size the author did not write.
  .type without_size, %function
without_size:
  nop
  .word 0
  nop
  ret

  // A label that looks like a mark and is none.
  .type $x_rays, %function
$x_rays:
  nop
  ret
  .size $x_rays, . - $x_rays

  // The mark of its section comes behind it, and at the same address.
  .section .text.other, "ax", %progbits
  .type starts_a_section, %function
starts_a_section:
  nop
  ret
