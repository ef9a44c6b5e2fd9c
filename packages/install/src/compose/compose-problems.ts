import { BowlineError, isRecord } from "@bowline/core";

import type { InstallationValues } from "../values/parse-values.ts";

/** Values that are about a cluster: whoever gives them expects something that a compose file does not have. */
const checks: readonly (readonly [path: string, isGiven: (values: InstallationValues) => boolean])[] = [
  ["ingress.enabled", ({ ingress }) => ingress.enabled],
  ["gateway.enabled", ({ gateway }) => gateway.enabled],
  ["serviceMonitor.enabled", ({ serviceMonitor }) => serviceMonitor.enabled],
  ["tls.certManager.issuerRef.name", ({ tls }) => tls.certManager.issuerRef.name !== ""],
  ["extraVolumes", ({ extraVolumes }) => extraVolumes.length > 0],
  ["extraVolumeMounts", ({ extraVolumeMounts }) => extraVolumeMounts.length > 0],
  ["extraEnv", ({ extraEnv }) => extraEnv.some((each) => isRecord(each["valueFrom"]))],
];

/** `InvalidArgument` for a PostgreSQL whose address nobody knows, and for a second NATS. */
export function checkOwnServices(
  { database, nats }: InstallationValues,
  own: { readonly postgres?: boolean; readonly nats?: boolean },
): void {
  if (own.postgres === true && database.postgres.existingSecret === "") {
    throw new BowlineError(
      "InvalidArgument",
      "Servers have to know the address of the PostgreSQL, with its password: name the folder it is in with database.postgres.existingSecret, below ./secrets.",
    );
  }
  if (own.nats === true && nats.existingSecret !== "") {
    throw new BowlineError(
      "InvalidArgument",
      "nats.existingSecret names a NATS already: leave it out, or the NATS in the compose file.",
    );
  }
}

/** `InvalidArgument` names the values that nothing would come of. */
export function refuseClusterValues(values: InstallationValues): void {
  const given = checks.filter(([, isGiven]) => isGiven(values)).map(([path]) => path);
  if (given.length === 0) return;
  throw new BowlineError(
    "InvalidArgument",
    `A compose file cannot have ${given.join(", ")}: ${given.length === 1 ? "that is" : "those are"} for Kubernetes. Leave ${given.length === 1 ? "it" : "them"} out.`,
  );
}
