import { BowlineError } from "@bowline/core";

/** It names files, units and Kubernetes objects, whose names get suffixes. */
export function requireInstallationName(name: string): string {
  if (/^[a-z](?:[-a-z0-9]{0,28}[a-z0-9])?$/u.test(name)) return name;
  throw new BowlineError(
    "InvalidArgument",
    `"${name.slice(0, 64)}" cannot be the name of an installation: up to 30 lower-case letters, digits and -, with a letter first.`,
  );
}
