;; Access to a memory, as the contract's `interpreter-memory` has it.
(module
  (import "main" "memory" (memory 0))

  ;; What was at the beginning of the memory before a list's place is written there.
  (global $kept (mut i64) (i64.const 0))

  (func (export "size") (result i32)
    memory.size)

  (func (export "grow") (param $pages i32)
    (if (i32.eq (memory.grow (local.get $pages)) (i32.const -1))
      (then unreachable)))

  ;; A list is given by the address of its own address and length. Address 0 is of nothing else.
  (func (export "read") (param $offset i32) (param $length i32) (result i32)
    (global.set $kept (i64.load (i32.const 0)))
    (i32.store (i32.const 0) (local.get $offset))
    (i32.store (i32.const 4) (local.get $length))
    (i32.const 0))

  (func (export "after-read") (param $list i32)
    (i64.store (i32.const 0) (global.get $kept)))

  ;; Room for a list, in pages of its own behind all others.
  (func (export "room") (param $old i32) (param $old-length i32) (param $align i32) (param $length i32)
    (result i32)
    (local $pages i32)
    (local.set $pages
      (memory.grow (i32.add (i32.div_u (local.get $length) (i32.const 65536)) (i32.const 1))))
    (if (i32.eq (local.get $pages) (i32.const -1))
      (then unreachable))
    (i32.mul (local.get $pages) (i32.const 65536)))

  ;; Each change is an offset, a length, and bytes to be written there.
  (func (export "restore") (param $change i32) (param $length i32)
    (local $end i32)
    (local $bytes i32)
    (local.set $end (i32.add (local.get $change) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $change) (local.get $end)))
        (local.set $bytes (i32.load offset=4 align=1 (local.get $change)))
        (memory.copy
          (i32.load align=1 (local.get $change))
          (i32.add (local.get $change) (i32.const 8))
          (local.get $bytes))
        (local.set $change
          (i32.add (i32.add (local.get $change) (i32.const 8)) (local.get $bytes)))
        (br $next)))))
