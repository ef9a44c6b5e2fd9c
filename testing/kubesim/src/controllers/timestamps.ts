let lastSecond = Number.NaN;
let lastText = "";

/** Times as Kubernetes writes them: whole seconds. */
export function timestamp(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  // Thousands of objects are written within one second; formatting a date is the dearer part of it.
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
  }
  return lastText;
}

/** Times with microseconds, as leases and the newer events carry them. */
export function microTimestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 23)}000Z`;
}

export function parseTimestamp(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
