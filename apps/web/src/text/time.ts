import { formatAge } from "@bowline/api";

/** The zone of the browser; `UTC` and names such as `Europe/Paris` are others. */
export const localZone = "local";

const formats = new Map<string, Intl.DateTimeFormat>();

/** A moment in a zone, to the second and with the name of the zone, as one writes it into a report. */
export function formatTime(atMs: number, zone: string = localZone): string {
  if (!Number.isFinite(atMs)) return "–";
  const parts = Object.fromEntries(
    formatIn(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, minute, second, timeZoneName = "" } = parts;
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}

function formatIn(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
    ...(zone === localZone || !isZone(zone) ? {} : { timeZone: zone }),
  });
  formats.set(zone, format);
  return format;
}

export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== "";
  } catch {
    return false;
  }
}

/** How long ago, as the tables of the command line have it; `–` for what never was. Clocks differ: nothing is to come. */
export function ageOf(at: string | undefined, nowMs: number): string {
  const atMs = Date.parse(at ?? "");
  return Number.isNaN(atMs) ? "–" : formatAge(Math.max(0, nowMs - atMs));
}
