// Imported by other test programs: reads beyond memory in a module of V8, which must trap it.

/** `(memory 1) (func (export "run") (drop (i32.load (i32.const 0x7fffffff))))` */
const MODULE = [
  [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  [1, 4, 1, 0x60, 0, 0],
  [3, 2, 1, 0],
  [5, 3, 1, 0, 1],
  [7, 7, 1, 3, 0x72, 0x75, 0x6e, 0, 0],
  [10, 14, 1, 12, 0, 0x41, 0xff, 0xff, 0xff, 0xff, 7, 0x28, 2, 0, 0x1a, 0x0b],
].flat();

/** Runs it, and holds V8 to the trap. */
export async function readsBeyond() {
  const { instance } = await WebAssembly.instantiate(new Uint8Array(MODULE));
  try {
    instance.exports.run();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) {
      return;
    }
    throw error;
  }
  throw new TypeError("V8 let a module read beyond its memory");
}
