/** How far apart two versions are, in minor versions: positive when the first is newer; undefined when nobody can tell. */
export function versionSkew(one: string, other: string): number | undefined {
  const [a, b] = [parts(one), parts(other)];
  if (a === undefined || b === undefined) return undefined;
  if (a.major !== b.major) return (a.major - b.major) * Number.POSITIVE_INFINITY;
  return a.minor - b.minor;
}

/** Server, agent and command line may be so far apart. */
export const promisedSkew = 1;

function parts(version: string): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /^v?(\d{1,6})\.(\d{1,6})\b/u.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}
