// Random numbers for `Math.random`, which are xorshift32's (Marsaglia 2003), and no secret.

let number;

/** Has numbers begin anew, from the clock of the first that is asked for or from `start`. */
export function seed(start) {
  // Of zero there would be nothing but zeros.
  number = start === undefined ? undefined : start | 1;
}

export function random() {
  number ??= (Date.now() ^ (performance.now() * 1e6)) | 1;
  number ^= number << 13;
  number ^= number >>> 17;
  number ^= number << 5;
  return (number >>> 0) / 2 ** 32;
}
