/** What to do about the reasons of `docs/reference/kinds/domain-name.md`, which has a table of them; a test holds both together. */
export const adviceByReason: Readonly<Record<string, string>> = {
  FailedOver: "Look at the clusters that were lost: nobody has to do anything for the host to answer.",
  NotReachable: "Wait, or look at what is told of the cluster: it is not lost yet.",
  NoHealthyCluster: "Look at what is told of each cluster; records stay as they are meanwhile.",
  RecordPending: "Look at the name server or the Credential; it is tried again by itself.",
  RecordForeign: "Remove the records that somebody else has there, or take the host out of the Gateway.",
  OldRecords:
    "Look at the name server where it was before, or let the records stay there with the deletion policy orphan.",
  NoAddress: "Look at the Gateway: no cluster has an address for it yet.",
  NoCluster: "Look at where the workload is placed, and at the clusters that the DomainName names.",
  NameAlone:
    "Choose the policy single, or weighted with Route 53: a load balancer with a name has no place beside others.",
  Deleting: "Look at the name server, or let the records stay with the deletion policy orphan.",
  TooManyHosts: "Give some of its hosts a DomainName with a longer domain.",
};

/** A sentence that says what to do, if there is something. */
export function adviceFor(reason: string): string | undefined {
  return Object.hasOwn(adviceByReason, reason) ? adviceByReason[reason] : undefined;
}
