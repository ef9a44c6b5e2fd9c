import { BowlineError } from "@bowline/core";

/** A version of Kubernetes that the tests can build for themselves. */
export interface KubeRelease {
  /** The name it is chosen by, and the first two numbers of its version. */
  readonly name: string;
  readonly version: string;
  /** Raised when the way it is built changes, so that nobody goes on with programs of an older build. */
  readonly buildRevision: number;
}

/** Made of Go modules. */
export const newestRelease: KubeRelease = { name: "1.36", version: "1.36.4", buildRevision: 1 };

/** The version Debian 12 has the source of; also the oldest that Bowline supports. */
export const floorRelease: KubeRelease = { name: "1.20", version: "1.20.2", buildRevision: 2 };

/** In the order of preference: tests that name none run on the first that is there. */
export const kubeReleases: readonly KubeRelease[] = [newestRelease, floorRelease];

/** The environment variable that names the release to test on. */
export const releaseVariable = "TEST_KUBERNETES";

export function releaseNamed(name: string): KubeRelease {
  const found = kubeReleases.find((release) => release.name === name);
  if (found !== undefined) return found;
  const names = kubeReleases.map((release) => release.name).join(" or ");
  throw new BowlineError("InvalidArgument", `There is no Kubernetes "${name}" for tests: choose ${names}.`);
}

/** The minor number of `v1.20.2`. Flags come and go with it; the major number has been 1 for ever. */
export function kubeMinorVersion(version: string): number {
  return Number(version.split(".")[1]);
}
