;; Says that half is done, works on for a while, and answers 2. A client that got both at once might be done with
;; the answer before it looks at the report.
(component
  (import "tool-hub:tool/interaction@0.1.0" (instance $interaction
    (export "report-progress" (func
      (param "done" f64) (param "total" (option f64)) (param "message" (option string))))))

  (core module $libc
    (memory (export "memory") 1)
    (data (i32.const 16) "halfway"))
  (core instance $libc (instantiate $libc))
  (core func $report-progress (canon lower (func $interaction "report-progress")
    (memory (core memory $libc "memory"))))

  (core module $main
    (import "host" "report-progress" (func $report-progress (param f64 i32 f64 i32 i32 i32)))
    (func (export "work") (result i32)
      (local $left i32)
      (call $report-progress (f64.const 1) (i32.const 1) (f64.const 2)
        (i32.const 1) (i32.const 16) (i32.const 7))
      (local.set $left (i32.const 200000000))
      (loop $on
        (br_if $on (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (i32.const 2)))
  (core instance $main (instantiate $main
    (with "host" (instance (export "report-progress" (func $report-progress))))))

  (func (export "work") (result u32) (canon lift (core func $main "work"))))
