/** A Kubernetes version as the server reports it. */
export interface ServerVersion {
  readonly gitVersion: string;
  readonly major: number;
  readonly minor: number;
}

export function parseServerVersion(text: string): ServerVersion {
  const match = /^v?(\d+)\.(\d+)(?:\.\d+)?/.exec(text);
  if (!match) throw new RangeError(`"${text}" is not a Kubernetes version such as v1.36.4`);
  return {
    gitVersion: text.startsWith("v") ? text : `v${text}`,
    major: Number(match[1]),
    minor: Number(match[2]),
  };
}

/** `/version` */
export function versionDocument(version: ServerVersion): unknown {
  return {
    major: String(version.major),
    minor: String(version.minor),
    gitVersion: version.gitVersion,
    gitCommit: "0000000000000000000000000000000000000000",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "none",
    compiler: "none",
    platform: "kubesim",
  };
}
