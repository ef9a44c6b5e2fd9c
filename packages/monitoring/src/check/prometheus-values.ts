import type { ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";

const durationPattern =
  /^(?:(\d{1,9})y)?(?:(\d{1,9})w)?(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/u;
/** Prometheus counts nanoseconds in 64 bits, and refuses what does not fit. */
const longestMs = 9_223_372_036_854;
const unitsMs = [31_536_000_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1000, 1];

/** A duration as Prometheus writes it (`1d12h`, `30s`), in milliseconds; undefined for what is none. */
export function parsePrometheusDurationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const match = text === "" ? null : durationPattern.exec(text);
  if (match === null) return undefined;
  const durationMs = unitsMs.reduce((sum, unitMs, index) => sum + unitMs * Number(match[index + 1] ?? 0), 0);
  return durationMs <= longestMs ? durationMs : undefined;
}

/** The text of a duration that Prometheus will accept. */
export function readDuration(field: Field): string | undefined {
  const text = field.word();
  if (text === undefined || parsePrometheusDurationMs(text) !== undefined) return text;
  field.reject(`${field.path} is no duration.`, "Write a duration such as 30s, 5m or 1h30m.");
  return undefined;
}

/** When a job scrapes. Prometheus refuses a configuration in which any job times out after its interval. */
export function timing(interval: Field, timeout: Field, defaultInterval: string): ConfigMap {
  const scrapeInterval = readDuration(interval);
  const scrapeTimeout = readDuration(timeout);
  checkTimeout(timeout, scrapeTimeout, scrapeInterval ?? defaultInterval);
  return { scrape_interval: scrapeInterval, scrape_timeout: scrapeTimeout };
}

export function checkTimeout(field: Field, timeout: string | undefined, interval: string): boolean {
  if (timeout === undefined) return true;
  const fits = (parsePrometheusDurationMs(timeout) ?? 0) <= (parsePrometheusDurationMs(interval) ?? 0);
  if (!fits) {
    field.reject(
      `${field.path} is ${timeout}, longer than the interval of ${interval}.`,
      `Make the timeout ${interval} or shorter, or the interval longer.`,
    );
  }
  return fits;
}

const sizePattern = /^(\d{1,15})(B|KB|KiB|MB|MiB|GB|GiB|TB|TiB|PB|PiB|EB|EiB)?$/u;
/** Prometheus counts in 64 bits, and refuses what does not fit. */
const maxBytes = 2 ** 63;
const exponents = "BKMGTPE";

/** A size as Prometheus writes it, in bytes: its `KB` counts by 1024, as its `KiB` does. */
export function parseByteSize(text: string): number | undefined {
  const match = sizePattern.exec(text);
  if (match === null) return undefined;
  const bytes = Number(match[1]) * 1024 ** exponents.indexOf(match[2]?.[0] ?? "B");
  return bytes < maxBytes ? bytes : undefined;
}

export function readByteSize(field: Field): string | undefined {
  const text = field.word();
  if (text === undefined || parseByteSize(text) !== undefined) return text;
  field.reject(`${field.path} is no size.`, "Write a size such as 500KB, 10MB or 1GiB.");
  return undefined;
}

/** The smaller of two sizes, as it was written. */
export function smallerSize(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return (parseByteSize(a) ?? 0) <= (parseByteSize(b) ?? 0) ? a : b;
}

/** As much of the grammar as every reader of addresses agrees on: ours takes some that Prometheus refuses. */
const urlPattern =
  /^([a-z][a-z0-9+.-]*):\/\/(?:[\w.~!$&'()*+,;=:%-]*@)?(?:[\w.~\u{80}-\u{10ffff}-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:[/?#][^\p{Cc}]*)?$/iu;
const brokenEscape = /%(?![0-9a-f]{2})/iu;

/** Whether the collector takes it for an address with a host. A bad one costs it the whole configuration. */
export function isUrl(text: string): boolean {
  return urlPattern.test(text) && !brokenEscape.test(text) && URL.canParse(text);
}

/** The text of an address with a scheme and a host. */
export function readHttpUrl(field: Field): string | undefined {
  const text = field.word();
  if (text !== undefined && !(isUrl(text) && /^https?:/iu.test(text))) {
    field.reject(`${field.path} is no URL.`, "Give a URL that begins with http:// or https://.");
  }
  return text;
}
