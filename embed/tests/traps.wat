;; A tool for the tests: each function traps in another of the ways in which the engine hears of it.
(component
  (core module $m
    (memory 1)
    (func (export "unreachable") (unreachable))
    (func (export "bounds") (drop (i32.load (i32.const 0x7fffffff))))
    (func (export "division") (drop (i32.div_s (i32.const 1) (i32.const 0))))
    (func $recursion (export "recursion") (call $recursion)))
  (core instance $i (instantiate $m))
  (func (export "unreachable") (canon lift (core func $i "unreachable")))
  (func (export "bounds") (canon lift (core func $i "bounds")))
  (func (export "division") (canon lift (core func $i "division")))
  (func (export "recursion") (canon lift (core func $i "recursion"))))
