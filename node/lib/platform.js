// The name of this platform, by which its binary package is called.

/** `linux-x64-gnu`, `darwin-arm64`, …: a platform for which there may be a binary. */
export function platform() {
  const { platform, arch } = process;
  return platform === "linux" ? `linux-${arch}-${libc()}` : `${platform}-${arch}`;
}

/** The C library that this Node stands on; only glibc says its version. */
function libc() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? "gnu" : "musl";
}
