import { checkAgentVersions, checkConnectedAgents } from "./agent-checks.ts";
import {
  checkClock,
  checkConnection,
  checkIdentity,
  checkShownCertificate,
  checkVersions,
} from "./client-checks.ts";
import type { DoctorFacts } from "./doctor-facts.ts";
import { error, worstFirst, type Finding } from "./finding.ts";
import { checkLocal } from "./local-checks.ts";
import {
  checkBackup,
  checkCertificate,
  checkDatabase,
  checkDisk,
  checkKeys,
  checkReadiness,
  checkReplicas,
  checkOrphans,
  checkUnknownWorkloads,
} from "./server-checks.ts";

const clientChecks = [checkConnection, checkShownCertificate, checkClock, checkVersions, checkIdentity];
const serverChecks = [
  checkReadiness,
  checkKeys,
  checkDisk,
  checkDatabase,
  checkCertificate,
  checkReplicas,
  checkOrphans,
  checkUnknownWorkloads,
  checkBackup,
];

/** All that is wrong, the worst first. */
export function examine({ client, server, serverProblem, clusters, local }: DoctorFacts): Finding[] {
  const version = server?.version ?? client.serverVersion;
  return worstFirst([
    ...clientChecks.flatMap((check) => check(client)),
    ...(serverProblem === undefined
      ? []
      : [
          error(
            "diagnosis",
            serverProblem.message,
            "Look into the server's log; a server that is too old cannot tell.",
          ),
        ]),
    ...(server === undefined ? [] : serverChecks.flatMap((check) => check(server))),
    ...(clusters === undefined ? [] : checkConnectedAgents(clusters, client.nowMs)),
    ...(clusters === undefined || version === undefined ? [] : checkAgentVersions(clusters, version)),
    ...(local === undefined ? [] : checkLocal(local)),
  ]);
}
