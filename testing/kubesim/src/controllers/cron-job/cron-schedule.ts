import { BowlineError } from "@bowline/core";

/** When a cron job runs, in UTC: the minutes, hours, days and months that its five fields allow. */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** Cron's odd rule: where both day fields are restricted, a day that fits either is a day. */
  readonly eitherDay: boolean;
}

const macros: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** February 29th on a given weekday comes once in 28 years, or 40 around a century; a schedule not met by then never is. */
const longestSearchMs = 41 * 366 * dayMs;

export function parseCronSchedule(text: string): CronSchedule {
  const fields = (macros[text.trim()] ?? text).trim().split(/\s+/);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (
    fields.length !== 5 ||
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    dayOfWeek === undefined
  ) {
    throw unparseable(text, `expected exactly 5 fields, found ${fields.length}`);
  }
  const daysOfWeek = parseField(dayOfWeek, { min: 0, max: 7, names: dayNames, nameBase: 0 }, text);
  return {
    minutes: parseField(minute, { min: 0, max: 59 }, text),
    hours: parseField(hour, { min: 0, max: 23 }, text),
    daysOfMonth: parseField(dayOfMonth, { min: 1, max: 31 }, text),
    months: parseField(month, { min: 1, max: 12, names: monthNames, nameBase: 1 }, text),
    // Sunday is 0 and 7.
    daysOfWeek: new Set([...daysOfWeek].map((day) => day % 7)),
    eitherDay: !isStar(dayOfMonth) && !isStar(dayOfWeek),
  };
}

/** The first time after `afterMs` that fits, if there ever is one. */
export function nextRun(schedule: CronSchedule, afterMs: number): number | undefined {
  const limitMs = afterMs + longestSearchMs;
  let timeMs = Math.floor(afterMs / minuteMs) * minuteMs + minuteMs;
  while (timeMs <= limitMs) {
    const time = new Date(timeMs);
    if (!schedule.months.has(time.getUTCMonth() + 1)) {
      timeMs = Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1);
    } else if (!fitsDay(schedule, time)) {
      timeMs = Math.floor(timeMs / dayMs) * dayMs + dayMs;
    } else if (!schedule.hours.has(time.getUTCHours())) {
      timeMs = Math.floor(timeMs / 3_600_000) * 3_600_000 + 3_600_000;
    } else if (!schedule.minutes.has(time.getUTCMinutes())) {
      timeMs += minuteMs;
    } else {
      return timeMs;
    }
  }
  return undefined;
}

function fitsDay({ daysOfMonth, daysOfWeek, eitherDay }: CronSchedule, time: Date): boolean {
  const fitsMonth = daysOfMonth.has(time.getUTCDate());
  const fitsWeek = daysOfWeek.has(time.getUTCDay());
  return eitherDay ? fitsMonth || fitsWeek : fitsMonth && fitsWeek;
}

interface FieldBounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
  readonly nameBase?: number;
}

function parseField(field: string, bounds: FieldBounds, text: string): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    for (const value of parsePart(part, bounds, text)) values.add(value);
  }
  return values;
}

/** `*`, `5`, `1-5`, each with an optional step; `5/10` starts at 5 and goes to the end. */
function parsePart(part: string, bounds: FieldBounds, text: string): number[] {
  const [range = "", stepText, ...rest] = part.split("/");
  const step = stepText === undefined ? 1 : Number(stepText);
  if (rest.length > 0 || !Number.isInteger(step) || step < 1)
    throw unparseable(text, `bad step in "${part}"`);
  const [from, to] = parseRange(range, stepText !== undefined, bounds, text);
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}

function parseRange(range: string, hasStep: boolean, bounds: FieldBounds, text: string): [number, number] {
  if (range === "*" || range === "?")
    return [bounds.min, bounds.names === dayNames ? bounds.max - 1 : bounds.max];
  const ends = range.split("-").map((end) => parseValue(end, bounds, text));
  const [from, to = hasStep ? bounds.max : from, ...rest] = ends;
  if (from === undefined || to === undefined || rest.length > 0 || from > to) {
    throw unparseable(text, `bad range "${range}"`);
  }
  return [from, to];
}

function parseValue(value: string, { min, max, names, nameBase = 0 }: FieldBounds, text: string): number {
  const named = names?.indexOf(value.toLowerCase()) ?? -1;
  const number = named === -1 ? Number(value === "" ? Number.NaN : value) : named + nameBase;
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw unparseable(text, `"${value}" is not between ${min} and ${max}`);
}

function isStar(field: string): boolean {
  return field === "*" || field === "?" || field.startsWith("*/");
}

function unparseable(text: string, why: string): BowlineError {
  return new BowlineError("InvalidArgument", `The schedule "${text}" cannot be read: ${why}.`, {
    details: { schedule: text },
  });
}
