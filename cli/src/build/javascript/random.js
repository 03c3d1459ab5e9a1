// Replaces `Math.random` in JavaScript projects, so that each call gets other numbers.
// It is put before every project's own code. The engine's numbers go on where they stood when the
// component was built, so each call would get the same ones: they begin anew with the clock of the
// first that is asked for. They are xorshift32's (Marsaglia 2003), and no secret.

let number;

Math.random = () => {
  number ??= (Date.now() ^ (performance.now() * 1e6)) | 1;
  number ^= number << 13;
  number ^= number >>> 17;
  number ^= number << 5;
  return (number >>> 0) / 2 ** 32;
};
