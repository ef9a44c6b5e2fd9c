import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

interface AuditEntry {
  readonly requestURI: string;
  readonly impersonatedUser?: { readonly username: string };
  readonly requestReceivedTimestamp: string;
}

/** The audit log of the API server itself: what reached the cluster, for whom, and when. */
export interface ApiAudit {
  /** For kube-apiserver. */
  readonly flags: readonly string[];
  /** When the requests came that somebody had made for a user, to paths that begin so. */
  readonly requestsOf: (user: string, path: string) => Promise<Date[]>;
}

const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    { level: "Metadata", verbs: ["create", "update", "patch", "delete"], resources: [{ group: "" }] },
    { level: "None" },
  ],
};

export async function prepareApiAudit(folder: string): Promise<ApiAudit> {
  const [policyFile, logFile] = [join(folder, "audit-policy.json"), join(folder, "audit.log")];
  await writeFile(policyFile, JSON.stringify(policy));
  return {
    flags: [`--audit-policy-file=${policyFile}`, `--audit-log-path=${logFile}`],
    requestsOf: async (user, path) => {
      const lines = (await readFile(logFile, "utf8")).split("\n").filter((line) => line !== "");
      return lines
        .map((line) => JSON.parse(line) as AuditEntry)
        .filter(
          ({ impersonatedUser, requestURI }) =>
            impersonatedUser?.username === user && requestURI.startsWith(path),
        )
        .map(({ requestReceivedTimestamp }) => new Date(requestReceivedTimestamp));
    },
  };
}
