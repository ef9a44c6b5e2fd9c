import { setTimeout as sleep } from "node:timers/promises";

import type { Kubesim, NewObject, SimObject } from "@bowline/kubesim";

import { nowMs } from "../api/measurement.ts";
import { benchPod } from "../pods.ts";
import {
  changedAtAnnotation,
  changedAtText,
  probeNamespace,
  probeSecret,
  probesPerSecond,
  type ChangeOrder,
  type ChangeResult,
} from "./sim-order.ts";

type Api = Kubesim["api"];

const tickMs = 5;
/** One in so many changes is a pod that goes, and the next a pod that comes in its place. */
const replacedShare = 10;

/** Changes pods at a pace, in such a way that the graph is another one after each of the changes. */
export async function changeCluster(api: Api, order: ChangeOrder): Promise<ChangeResult> {
  const { perSecond, seconds } = order;
  const changing = new Changing(api, order.round);
  const count = perSecond * seconds;
  const perProbe = perSecond / probesPerSecond;
  const startMs = performance.now();
  for (let made = 0; made < count;) {
    const due = Math.min(count, ((performance.now() - startMs) / 1000) * perSecond);
    for (; made < due; made++) {
      if (made % perProbe === 0) changing.addProbe();
      else changing.changeOne(made);
    }
    await sleep(tickMs);
  }
  const { dated, lastAtMs, probesAtMs } = changing;
  return { dated, lastAtMs, probesAtMs, perSecond: (count * 1000) / (performance.now() - startMs) };
}

class Changing {
  dated = 0;
  lastAtMs = 0;
  readonly probesAtMs: number[] = [];
  readonly #api: Api;
  readonly #round: number;
  readonly #pods: SimObject[];
  #gone: SimObject | undefined;
  #next = 0;
  #replaced = 0;

  constructor(api: Api, round: number) {
    this.#api = api;
    this.#round = round;
    this.#pods = [...api.list("pods")];
  }

  addProbe(): void {
    const index = this.probesAtMs.length;
    const name = probeSecret(this.#round, index);
    const { spec } = benchPod(index);
    this.probesAtMs.push(nowMs());
    this.#api.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: probeNamespace },
      spec: { ...spec, imagePullSecrets: [{ name }] },
    });
  }

  changeOne(made: number): void {
    if (this.#gone !== undefined) this.#replace(this.#gone);
    else if (made % replacedShare === 0) this.#delete();
    else this.#touch();
  }

  #touch(): void {
    const [pod, index] = this.#take();
    const { annotations } = pod.metadata;
    this.#pods[index] = this.#api.update("pods", {
      ...pod,
      metadata: { ...pod.metadata, annotations: { ...annotations, ...this.#dated() } },
    });
  }

  #delete(): void {
    const [pod] = this.#take();
    const { namespace, name } = pod.metadata;
    this.#api.delete("pods", namespace, name, { gracePeriodSeconds: 0 });
    this.#gone = pod;
  }

  /** Its successor has another name, as that of a ReplicaSet has. */
  #replace({ metadata, ...pod }: SimObject): void {
    this.#gone = undefined;
    const { namespace, labels, ownerReferences, managedFields } = metadata;
    const name = `${metadata.name.slice(0, -5)}${this.#round}${(this.#replaced++).toString(36).padStart(4, "0")}`;
    const successor: NewObject = {
      ...pod,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
        ...(ownerReferences === undefined ? {} : { ownerReferences }),
        ...(managedFields === undefined ? {} : { managedFields }),
        annotations: this.#dated(),
      },
    };
    this.#pods[(this.#next - 1) % this.#pods.length] = this.#api.create("pods", successor);
  }

  #take(): readonly [pod: SimObject, index: number] {
    const index = this.#next++ % this.#pods.length;
    const pod = this.#pods[index];
    if (pod === undefined) throw new Error("There are no pods to change.");
    return [pod, index];
  }

  #dated(): Record<string, string> {
    this.dated += 1;
    // As exact as it is written.
    this.lastAtMs = Math.floor(nowMs() * 1000) / 1000;
    return { [changedAtAnnotation]: changedAtText(this.lastAtMs) };
  }
}
