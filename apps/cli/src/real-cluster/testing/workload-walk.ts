import assert from "node:assert/strict";

import type { WorkloadTree } from "@bowline/api";
import type { Cluster } from "@bowline/test-cluster";
import { vi } from "vitest";

import { patienceMs, type ApiState, type BothSides, type ClusterState, type Pod } from "./both-sides.ts";
import type { Editor } from "./editors.ts";
import { isWorkloadReady, manifestOf, namespace, podReason, type Wish } from "./web-workload.ts";

interface WalkOptions {
  readonly cluster: Cluster;
  readonly editor: Editor;
  readonly sides: BothSides;
}

/** The Deployment `web` of the instance `web`, taken from one state to the next by commands, and compared after each. */
export class WorkloadWalk {
  readonly #options: WalkOptions;
  /** Where the events of each step begin. */
  readonly #steps: { readonly name: string; readonly mark: number }[] = [];

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  /** `bowline deploy`, with further flags. */
  deploy(wish: Wish, ...flags: string[]): Promise<unknown> {
    return this.#options.editor.bowline(["deploy", "-", "--name", "web", ...flags], manifestOf(wish));
  }

  /** `bowline apply` of the definition alone: the instance follows. */
  apply(wish: Wish): Promise<unknown> {
    const spec = { source: { inline: { manifests: manifestOf(wish) } } };
    const definition = { kind: "WorkloadDefinition", metadata: { name: "web" }, spec };
    return this.#options.editor.bowline(["apply", "-f", "-"], JSON.stringify(definition));
  }

  /** The rollout comes to its end. */
  async isRolledOut(
    name: string,
    wish: Wish,
    act = (): Promise<unknown> => this.deploy(wish),
  ): Promise<void> {
    await this.#step(name, act, {
      inCluster: ({ deployments: [deployment] }) => {
        if (deployment?.spec.template.metadata.labels?.["version"] !== wish.version) return false;
        const { observedGeneration, updatedReplicas, availableReplicas, replicas } = deployment.status ?? {};
        return (
          observedGeneration === deployment.metadata.generation &&
          [updatedReplicas, availableReplicas, replicas].every((count) => count === wish.replicas)
        );
      },
      inApi: isWorkloadReady,
    });
    const { readyReplicas = 0 } = this.#options.sides.cluster.deployments[0]?.status ?? {};
    const said =
      readyReplicas === 1 ? "The one pod is available." : `All ${readyReplicas} pods are available.`;
    assert.equal(resourceOf(this.#options.sides.api)?.healthMessage, said);
    assert.match((await this.#options.editor.bowline(["get", "wi"])).out, /^web +web +True +1\/1 /mu);
  }

  /** A pod of the rollout gets stuck for one of these reasons, which the message explains. */
  async isStuck(name: string, wish: Wish, reasons: readonly string[], message: RegExp): Promise<void> {
    await this.#step(name, () => this.deploy(wish), {
      inCluster: ({ pods }) =>
        pods.some(
          (pod) => pod.metadata.labels?.["version"] === wish.version && reasons.includes(podReason(pod)),
        ),
      // In one look: a container that is started again and again does well in between.
      inApi: (state) => {
        const { healthReason = "", healthMessage = "" } = resourceOf(state) ?? {};
        return isApplied(state) && reasons.includes(healthReason) && message.test(healthMessage);
      },
    });
    assert.match((await this.#options.editor.bowline(["get", "wi"])).out, /^web +web +False +0\/1 /mu);
  }

  /** Once the reason is shown, it is the only one while containers of a version are started so many times more. */
  async keepsReason(
    reason: string,
    { version, restarts }: { version: string; restarts: number },
  ): Promise<void> {
    const { sides } = this.#options;
    const restartsIn = ({ pods }: ClusterState): number =>
      Math.max(
        ...pods
          .filter(({ metadata }) => metadata.labels?.["version"] === version)
          .map(({ status }) => status.containerStatuses?.[0]?.restartCount ?? 0),
      );
    let first: number | undefined;
    const shown = await sides.shownUntil({
      inApi: (state) => resourceOf(state)?.healthReason === reason,
      inCluster: (state) => restartsIn(state) >= (first ??= restartsIn(state)) + restarts,
    });
    const told = shown.map((state) => resourceOf(state)?.healthReason);
    assert.deepEqual(new Set(told), new Set([reason]));
    // One for each restart, and one for each time that its end was told a moment later; and what was shown at first.
    const messages = new Set(shown.map((state) => resourceOf(state)?.healthMessage));
    assert.ok(
      messages.size <= restarts + 1,
      `It was told in ${messages.size} ways: ${[...messages].join("\n")}`,
    );
    console.info(`${reason}: ${shown.length} states of the API over ${restarts} restarts`);
  }

  /** `bowline delete`, with what is left to compare of the events before it. */
  async isGone(): Promise<void> {
    const { sides, editor } = this.#options;
    const { events } = sides;
    await vi.waitFor(() => assert.deepEqual(events.shownBy("api"), events.shownBy("cluster")), {
      timeout: patienceMs,
    });
    await this.#reportEvents();
    await sides.step("delete", {
      act: () => editor.bowline(["delete", "wi/web", "wd/web"]),
      inCluster: ({ deployments, pods }) => deployments.length === 0 && pods.length === 0,
      inApi: ({ instance, placement }) => instance === undefined && placement === undefined,
    });
    console.info(`delete: status ${sides.differences.at(-1)?.ms} ms`);
    const left = await this.#options.cluster.kubectl(["get", "workloads.bowline.dev", "-o", "name"]);
    assert.doesNotMatch(left, /\/web$/mu);
  }

  async #step(
    name: string,
    act: () => Promise<unknown>,
    shown: {
      readonly inCluster: (state: ClusterState) => boolean;
      readonly inApi: (state: ApiState) => boolean;
    },
  ): Promise<void> {
    const { sides } = this.#options;
    this.#steps.push({ name, mark: sides.events.mark });
    const before = sides.api.placement?.spec.revision;
    const inApi = (state: ApiState): boolean =>
      state.placement?.spec.revision !== before && shown.inApi(state);
    await sides.step(name, { act, inCluster: shown.inCluster, inApi });
    // Two looks at what goes on changing agree only now and then.
    await vi.waitFor(() => this.#isAsKubectlShows(), { timeout: patienceMs, interval: 100 });
  }

  async #isAsKubectlShows(): Promise<void> {
    const { cluster, editor } = this.#options;
    const listed = await cluster.kubectl(["--namespace", namespace, "get", "replicasets,pods", "-o", "json"]);
    const tree = await editor.client.tree("web");
    const { items } = JSON.parse(listed) as { readonly items: readonly Owned[] };
    // ReplicaSets that were left behind without pods are not told of.
    const shown = items.filter(({ kind, spec }) => kind === "Pod" || spec.replicas !== 0);
    assert.deepEqual(ownedIn(tree), shown.map(ownedText).toSorted());
    const [, health, healthy, all] = (
      await cluster.kubectl(["get", "workloads.bowline.dev", "web", "--no-headers"])
    ).split(/ +/u);
    const told = (await editor.bowline(["get", "wp"])).out;
    assert.match(told, new RegExp(`^web-\\S+ +\\S+ +\\S+ +${health} +${healthy}/${all} `, "mu"));
  }

  async #reportEvents(): Promise<void> {
    const { sides } = this.#options;
    const lines: string[] = [];
    for (const [index, { name, mark }] of this.#steps.entries()) {
      const to = this.#steps[index + 1]?.mark ?? sides.events.mark;
      const events = await sides.events.differences({ from: mark, to, limitMs: patienceMs });
      const status = sides.differences.find((difference) => difference.name === name)?.ms;
      lines.push(`${name}: status ${status} ms, ${events.length} events at most ${Math.max(...events)} ms`);
    }
    // For whoever reads the output of a run: how far behind the cluster the API was.
    console.info(lines.join("\n"));
  }
}

const resourceOf = ({ placement }: ApiState) => placement?.status.resources[0];

function isApplied({ placement }: ApiState): boolean {
  const applied = placement?.status.conditions.find(({ type }) => type === "Applied");
  return applied?.status === "True" && applied.observedGeneration === placement?.metadata.generation;
}

type Owned = Pod & { readonly kind: string; readonly spec: { readonly replicas?: number } };

function ownedText(object: Owned): string {
  const reason = object.kind === "Pod" ? ` ${podReason(object)}` : "";
  return `${object.kind} ${object.metadata.name}${reason}`;
}

/** What the Deployment owns, with the reasons of pods. */
function ownedIn({ clusters: [cluster] }: WorkloadTree): string[] {
  return (cluster?.resources ?? [])
    .filter(({ depth }) => depth > 0)
    .map(({ kind, name, healthReason }) => `${kind} ${name}${kind === "Pod" ? ` ${healthReason}` : ""}`)
    .toSorted();
}
