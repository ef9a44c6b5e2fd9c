import { BowlineError } from "@bowline/core";

/** The version of the Prometheus that will read the configuration. */
export interface CollectorVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

export const defaultCollectorVersion = "v3.13.2";

const pattern = /^v?(\d{1,4})\.(\d{1,4})(\.\d{1,4})?([-+].{1,64})?$/u;

export function parseCollectorVersion(text: string): CollectorVersion {
  const match = pattern.exec(text);
  if (match === null) {
    throw new BowlineError(
      "InvalidArgument",
      `«${text.slice(0, 64)}» is no version of Prometheus; write it like ${defaultCollectorVersion}.`,
    );
  }
  return { text, major: Number(match[1]), minor: Number(match[2]) };
}

/** Whether the version is `minimum` ("2.45") or newer. No field has come with a patch release. */
export function isAtLeast(version: CollectorVersion, minimum: Minimum): boolean {
  const { major, minor } = parseMinimum(minimum);
  return version.major > major || (version.major === major && version.minor >= minor);
}

/** Every field of every endpoint asks, always for one of a few versions. */
const minimums = new Map<Minimum, Pick<CollectorVersion, "major" | "minor">>();

function parseMinimum(minimum: Minimum): Pick<CollectorVersion, "major" | "minor"> {
  const known = minimums.get(minimum);
  if (known !== undefined) return known;
  const [major = 0, minor = 0] = minimum.split(".").map(Number);
  minimums.set(minimum, { major, minor });
  return { major, minor };
}

export type Minimum = `${number}.${number}`;

/** The formats in which a collector can ask for metrics. */
export const scrapeProtocols = [
  "PrometheusProto",
  "OpenMetricsText0.0.1",
  "OpenMetricsText1.0.0",
  "PrometheusText0.0.4",
  "PrometheusText1.0.0",
] as const;
