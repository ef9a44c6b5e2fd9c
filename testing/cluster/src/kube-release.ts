/** The minor number of `v1.20.2`. Flags come and go with it; the major number has been 1 for ever. */
export function kubeMinorVersion(version: string): number {
  return Number(version.split(".")[1]);
}
