;; A tool for the tests: every function shows one thing that a server must carry.
(component
  (import "tool-hub:tool/interaction@0.1.0" (instance $interaction
    (type $ask-error' (variant
      (case "declined") (case "cancelled") (case "unavailable") (case "invalid-question" string)))
    (export "ask-error" (type $ask-error (eq $ask-error')))
    (export "report-progress" (func
      (param "done" f64) (param "total" (option f64)) (param "message" (option string))))
    (export "ask" (func
      (param "key" string) (param "question" string) (param "schema" string)
      (result (result string (error $ask-error)))))
  ))

  ;; One memory, and an allocator that never frees: an instance lives for one call.
  (core module $libc
    (memory (export "memory") 2)
    (global $next (mut i32) (i32.const 8192))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (block $enough
        (loop $more
          (br_if $enough (i32.le_u (global.get $next) (i32.mul (memory.size) (i32.const 65536))))
          (drop (memory.grow (i32.const 1)))
          (br $more)))
      (memory.copy (local.get $at) (local.get 0) (local.get 1))
      (local.get $at))
  )
  (core instance $libc (instantiate $libc))
  (core func $report-progress (canon lower (func $interaction "report-progress")
    (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
  (core func $ask (canon lower (func $interaction "ask")
    (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))

  (core module $main
    (import "libc" "memory" (memory 1))
    (import "host" "report-progress" (func $report-progress (param f64 i32 f64 i32 i32 i32)))
    (import "host" "ask" (func $ask (param i32 i32 i32 i32 i32 i32 i32)))

    (data (i32.const 16) "halfway")
    (data (i32.const 32) "sure")
    (data (i32.const 48) "Delete 12 notes?")
    (data (i32.const 80) "really")
    (data (i32.const 96) "Really?")
    (data (i32.const 128) "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"}},\"required\":[\"ok\"]}")
    (data (i32.const 256) "nobody said yes")
    (data (i32.const 288) "image/png")
    (data (i32.const 304) "\89PNG")

    (func (export "add") (param i32 i32) (result i32)
      (i32.add (local.get 0) (local.get 1)))

    ;; Both bounds of a record, in place 1024.
    (func (export "bounds") (param i32 i32) (result i32)
      (i32.store (i32.const 1024) (local.get 0))
      (i32.store (i32.const 1028) (local.get 1))
      (i32.const 1024))

    (func (export "echo") (param i32 i32) (result i32)
      (i32.store (i32.const 1024) (local.get 0))
      (i32.store (i32.const 1028) (local.get 1))
      (i32.const 1024))

    ;; result<string, string>, always the error.
    (func (export "refuse") (param i32 i32) (result i32)
      (i32.store (i32.const 1024) (i32.const 1))
      (i32.store (i32.const 1028) (local.get 0))
      (i32.store (i32.const 1032) (local.get 1))
      (i32.const 1024))

    (func (export "spin")
      (loop $forever (br $forever)))

    (func (export "picture") (result i32)
      (i32.store (i32.const 1024) (i32.const 288))
      (i32.store (i32.const 1028) (i32.const 9))
      (i32.store (i32.const 1032) (i32.const 304))
      (i32.store (i32.const 1036) (i32.const 4))
      (i32.const 1024))

    (func (export "work") (result i32)
      (call $report-progress (f64.const 1) (i32.const 1) (f64.const 2)
        (i32.const 1) (i32.const 16) (i32.const 7))
      (i32.const 2))

    ;; Asks two questions; the answer to the second, or an error where either has none.
    (func (export "confirm") (result i32)
      (call $ask (i32.const 32) (i32.const 4) (i32.const 48) (i32.const 16)
        (i32.const 128) (i32.const 74) (i32.const 1040))
      (if (i32.eqz (i32.load8_u (i32.const 1040)))
        (then (call $ask (i32.const 80) (i32.const 6) (i32.const 96) (i32.const 7)
          (i32.const 128) (i32.const 74) (i32.const 1040))))
      (if (i32.eqz (i32.load8_u (i32.const 1040)))
        (then
          (i32.store (i32.const 1024) (i32.const 0))
          (i32.store (i32.const 1028) (i32.load (i32.const 1044)))
          (i32.store (i32.const 1032) (i32.load (i32.const 1048))))
        (else
          (i32.store (i32.const 1024) (i32.const 1))
          (i32.store (i32.const 1028) (i32.const 256))
          (i32.store (i32.const 1032) (i32.const 15))))
      (i32.const 1024))
  )
  (core instance $main (instantiate $main
    (with "libc" (instance $libc))
    (with "host" (instance
      (export "report-progress" (func $report-progress))
      (export "ask" (func $ask))))))

  (func $add (param "a" u32) (param "b" u32) (result u32)
    (canon lift (core func $main "add")))
  (type $bounds' (record (field "low" s32) (field "high" s32)))
  (type $image' (record (field "media-type" string) (field "data" (list u8))))
  (func $bounds (param "low" s32) (param "high" s32) (result $bounds')
    (canon lift (core func $main "bounds") (memory (core memory $libc "memory"))))
  (func $echo (param "text" string) (result string)
    (canon lift (core func $main "echo") (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
  (func $refuse (param "text" string) (result (result string (error string)))
    (canon lift (core func $main "refuse") (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
  (func $spin (canon lift (core func $main "spin")))
  (func $picture (result $image')
    (canon lift (core func $main "picture") (memory (core memory $libc "memory"))))
  (func $work (result u32) (canon lift (core func $main "work")))
  (func $confirm (result (result string (error string)))
    (canon lift (core func $main "confirm") (memory (core memory $libc "memory"))))

  (export "add" (func $add))
  (export "echo" (func $echo))
  (export "refuse" (func $refuse))
  (export "spin" (func $spin))
  (export "work" (func $work))
  (export "confirm" (func $confirm))

  ;; Functions whose types have names stand in an interface that exports the names, too.
  (component $records'
    (type $bounds'' (record (field "low" s32) (field "high" s32)))
    (type $image'' (record (field "media-type" string) (field "data" (list u8))))
    (import "bounds-record" (type $bounds-in (eq $bounds'')))
    (import "image" (type $image-in (eq $image'')))
    (import "bounds" (func $bounds
      (param "low" s32) (param "high" s32) (result $bounds-in)))
    (import "picture" (func $picture (result $image-in)))
    (export $bounds-out "bounds-record" (type $bounds-in))
    (export $image-out "image" (type $image-in))
    (export "bounds" (func $bounds)
      (func (param "low" s32) (param "high" s32) (result $bounds-out)))
    (export "picture" (func $picture) (func (result $image-out)))
  )
  (instance $records (instantiate $records'
    (with "bounds-record" (type $bounds'))
    (with "image" (type $image'))
    (with "bounds" (func $bounds))
    (with "picture" (func $picture))))
  (export "demo:guest/records" (instance $records))
)
