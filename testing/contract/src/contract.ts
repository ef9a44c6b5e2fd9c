import { afterAll, beforeAll, describe } from "vitest";

import type { ContractTarget, RunningTarget } from "./target.ts";
import { applyContract } from "./topics/apply.ts";
import { authenticationContract } from "./topics/authentication.ts";
import { authorizationContract } from "./topics/authorization.ts";
import { cronJobsContract } from "./topics/cron-jobs.ts";
import { crudContract } from "./topics/crud.ts";
import { customResourcesContract } from "./topics/custom-resources.ts";
import { daemonSetsContract } from "./topics/daemon-sets.ts";
import { defaultsContract } from "./topics/defaults.ts";
import { deletionContract } from "./topics/deletion.ts";
import { discoveryContract } from "./topics/discovery.ts";
import { disruptionBudgetsContract } from "./topics/disruption-budgets.ts";
import { endpointsContract } from "./topics/endpoints.ts";
import { eventsContract } from "./topics/events.ts";
import { execContract } from "./topics/exec.ts";
import { garbageContract } from "./topics/garbage.ts";
import { informerContract } from "./topics/informer.ts";
import { kubectlReadContract } from "./topics/kubectl-read.ts";
import { kubectlRolloutContract } from "./topics/kubectl-rollout.ts";
import { kubectlWriteContract } from "./topics/kubectl-write.ts";
import { leaderElectionContract } from "./topics/leader-election.ts";
import { listsContract } from "./topics/lists.ts";
import { oldEtcdContract } from "./topics/old-etcd.ts";
import { patchesContract } from "./topics/patches.ts";
import { podLogsContract } from "./topics/pod-logs.ts";
import { selectorsContract } from "./topics/selectors.ts";
import { subresourcesContract } from "./topics/subresources.ts";
import { tablesContract } from "./topics/tables.ts";
import { validationContract } from "./topics/validation.ts";
import { watchContract } from "./topics/watch.ts";
import { webSocketsContract } from "./topics/web-sockets.ts";
import { workloadsContract } from "./topics/workloads.ts";

/** Registers the tests of one topic. The cluster runs only once they do, hence the function. */
type Topic = (cluster: () => RunningTarget) => void;

/** By the name they are chosen by: `vitest -t "topic watch"`. */
export type Topics = Readonly<Record<string, Topic>>;

/** What an API server does alone. */
export const apiTopics: Topics = {
  crud: crudContract,
  defaults: defaultsContract,
  validation: validationContract,
  lists: listsContract,
  selectors: selectorsContract,
  tables: tablesContract,
  watch: watchContract,
  "web sockets": webSocketsContract,
  exec: execContract,
  patches: patchesContract,
  apply: applyContract,
  deletion: deletionContract,
  "custom resources": customResourcesContract,
  authentication: authenticationContract,
  authorization: authorizationContract,
  subresources: subresourcesContract,
  events: eventsContract,
  discovery: discoveryContract,
  informer: informerContract,
  "leader election": leaderElectionContract,
};

/** What the real `kubectl` makes of the server. */
export const kubectlTopics: Topics = {
  "kubectl reads": kubectlReadContract,
  "kubectl writes": kubectlWriteContract,
};

/** What needs the controllers of Kubernetes beside it. */
export const controllerTopics: Topics = {
  garbage: garbageContract,
  workloads: workloadsContract,
  "daemon sets": daemonSetsContract,
  "cron jobs": cronJobsContract,
  endpoints: endpointsContract,
  "disruption budgets": disruptionBudgetsContract,
  "kubectl follows": kubectlRolloutContract,
};

/** What needs kubelets that run containers. */
export const kubeletTopics: Topics = {
  "pod logs": podLogsContract,
};

/** What a server does whose etcd is too old for WatchLists, and what the client makes of it. */
export const oldEtcdTopics: Topics = {
  "old etcd": oldEtcdContract,
};

/** Holds one cluster to the topics: it is started once, and every test keeps to a namespace of its own. */
export function contract(target: ContractTarget, topics: Topics): void {
  describe(`on ${target.name}`, () => {
    let running: RunningTarget | undefined;
    const cluster = (): RunningTarget => {
      if (running === undefined) throw new Error(`${target.name} has not started.`);
      return running;
    };
    beforeAll(async () => {
      running = await target.start();
    });
    afterAll(async () => {
      await running?.stop();
    });
    for (const [name, topic] of Object.entries(topics)) {
      describe(`topic ${name}`, () => {
        topic(cluster);
      });
    }
  });
}
