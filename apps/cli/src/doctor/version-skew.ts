/** How far apart two versions are, in minor versions: positive when the first is newer; undefined when nobody can tell. */
export function versionSkew(one: string, other: string): number | undefined {
  const [a, b] = [parts(one), parts(other)];
  if (a === undefined || b === undefined) return undefined;
  if (a.major !== b.major) return (a.major - b.major) * Number.POSITIVE_INFINITY;
  return a.minor - b.minor;
}

/** Whether the first comes after the other; a pre-release comes before its release. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [parts(one), parts(other)];
  if (a === undefined || b === undefined) return false;
  const far = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  return far > 0 || (far === 0 && b.isEarly && !a.isEarly);
}

/** Server, agent and command line may be so far apart. */
export const promisedSkew = 1;

interface Parts {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** A pre-release. */
  readonly isEarly: boolean;
}

function parts(version: string): Parts | undefined {
  const [, major, minor, patch = "0", early] =
    /^v?(\d{1,6})\.(\d{1,6})\b(?:\.(\d{1,6})\b(-)?)?/u.exec(version) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), isEarly: early !== undefined };
}
