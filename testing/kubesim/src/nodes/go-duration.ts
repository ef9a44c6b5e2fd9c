/** A duration as Go prints it, which is how messages of Kubernetes show them: `350ms`, `10s`, `2m40s`. */
export function goDuration(ms: number): string {
  if (ms < 1000) return ms === 0 ? "0s" : `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ""}${ms >= 60_000 ? `${minutes}m` : ""}${seconds}s`;
}
