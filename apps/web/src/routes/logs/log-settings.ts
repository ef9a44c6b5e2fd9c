import type { LogPart } from "../../kube/log-feed.ts";

/** How logs are looked at; on the screen of logs all of it is in the address. */
export interface LogSettings {
  readonly q: string;
  readonly regex: boolean;
  readonly exact: boolean;
  /** Show only the lines that match, and not all of them with the matches marked. */
  readonly only: boolean;
  readonly wrap: boolean;
  readonly times: boolean;
  readonly previous: boolean;
  /** `5m`, `1h`, a time, or empty for the last lines. */
  readonly since: string;
  /** Empty for all containers. */
  readonly container: string;
}

export const defaultLogSettings: LogSettings = {
  q: "",
  regex: false,
  exact: false,
  only: false,
  wrap: false,
  times: false,
  previous: false,
  since: "",
  container: "",
};

/** The settings that an address has; whatever is none there is as always. */
export function logSettings(search: Readonly<Record<string, unknown>>): Partial<LogSettings> {
  const texts = (["q", "since", "container"] as const).flatMap((name) => {
    const value = search[name];
    const text = typeof value === "number" ? String(value) : value;
    return typeof text === "string" && text !== "" ? [[name, text] as const] : [];
  });
  const switches = (["regex", "exact", "only", "wrap", "times", "previous"] as const).flatMap((name) =>
    search[name] === true ? [[name, true] as const] : [],
  );
  return Object.fromEntries([...texts, ...switches]);
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The part of the log that is asked for; a time that is none asks for the last lines. */
export function logPart({ previous, since }: Pick<LogSettings, "previous" | "since">): LogPart {
  const [, amount, unit = ""] = /^(\d{1,6})([smhd])$/u.exec(since) ?? [];
  const timeMs = Date.parse(since);
  return {
    ...(previous ? { previous } : {}),
    ...(amount === undefined ? {} : { sinceSeconds: Number(amount) * (unitSeconds[unit] ?? 1) }),
    ...(amount === undefined && !Number.isNaN(timeMs) ? { sinceTime: new Date(timeMs).toISOString() } : {}),
  };
}
