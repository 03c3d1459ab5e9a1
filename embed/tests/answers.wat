;; A tool for the tests: it asks a question and replies with what became of it.
(component
  (import "tool-hub:tool/interaction@0.1.0" (instance $interaction
    (type $ask-error' (variant
      (case "declined") (case "cancelled") (case "unavailable") (case "invalid-question" string)))
    (export "ask-error" (type $ask-error (eq $ask-error')))
    (export "ask" (func
      (param "key" string) (param "question" string) (param "schema" string)
      (result (result string (error $ask-error)))))))
  (core module $libc
    (memory (export "memory") 1)
    ;; There is one answer, and it is short.
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096)))
  (core instance $libc (instantiate $libc))
  (core func $ask (canon lower (func $interaction "ask")
    (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
  (core module $main
    (import "libc" "memory" (memory 1))
    (import "host" "ask" (func $ask (param i32 i32 i32 i32 i32 i32 i32)))
    (data (i32.const 16) "sure")
    (data (i32.const 32) "Delete 12 notes?")
    (data (i32.const 64) "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"}},\"required\":[\"ok\"]}")
    ;; The names of the errors by their numbers, each padded to 16 bytes.
    (data (i32.const 256) "declined        cancelled       unavailable     invalid-question")
    (data (i32.const 320) "\08\09\0b\10")
    ;; The answer, or the name of the error.
    (func (export "ask") (result i32)
      (local $error i32)
      (call $ask (i32.const 16) (i32.const 4) (i32.const 32) (i32.const 16)
        (i32.const 64) (i32.const 74) (i32.const 1040))
      (if (i32.load8_u (i32.const 1040))
        (then
          (local.set $error (i32.load8_u (i32.const 1044)))
          (i32.store (i32.const 1044)
            (i32.add (i32.const 256) (i32.mul (i32.const 16) (local.get $error))))
          (i32.store (i32.const 1048) (i32.load8_u offset=320 (local.get $error)))))
      (i32.const 1044)))
  (core instance $main (instantiate $main
    (with "libc" (instance $libc))
    (with "host" (instance (export "ask" (func $ask))))))
  (func (export "ask") (result string)
    (canon lift (core func $main "ask") (memory (core memory $libc "memory")))))
