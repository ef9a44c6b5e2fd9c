/** What to do about the reasons of `docs/guides/expose-a-workload.md`, which has a table of them; a test holds both together. */
export const adviceByReason: Readonly<Record<string, string>> = {
  InstallingService: "Look at the workload that is named: what the cluster lacks is being installed by it.",
  ServiceNotInstalled: "Do what the message says: what the cluster lacks cannot be installed.",
  ClassMissing: "Install an implementation of the Gateway API, start its controller, or name a class.",
  CertificatePending: "Look at the Certificate that is named, and at its Order; name an issuer.",
  CertificateExpired: "Look at the Certificate that is named; replace the Secret.",
  NotProgrammed: "Look at the Gateway or the route that is named; a load balancer may be missing.",
  BackendMissing: "Correct the rule, or deploy the Service.",
  HostTaken: "Remove the route that has the host, or choose another one.",
  RecordPending: "Make the DNS record; the message has the address that it leads to.",
  RecordForeign: "Correct the DNS record: it leads elsewhere.",
  NotReachable: "Look whether the workload runs, and whether a firewall is in between.",
  NotGranted: "Have an AccessGrant made for whoever wrote it last, or have somebody who has one write it.",
  NameTaken: "Rename the workload that has the name of one that it needs.",
  EntryFull: "Use another class, or a wildcard in the place of several hosts.",
  Leaving: "Wait: its routes there go when no records lead there; where the agent is away, when it is back.",
  AgentDisconnected: "Look at the agent: what was made in the cluster stays meanwhile.",
};

/** A sentence that says what to do, if there is one. */
export function adviceFor(reason: string): string | undefined {
  return Object.hasOwn(adviceByReason, reason) ? adviceByReason[reason] : undefined;
}
