import type { Clock, Random } from "@bowline/core";

import { EventLog } from "../controllers/events/event-log.ts";
import { WorkLoop } from "../controllers/loop/work-loop.ts";
import type { SimApi } from "../store/sim-api.ts";
import { Behaviours } from "./behaviour.ts";
import { Heartbeats } from "./heartbeats.ts";
import { Kubelet } from "./kubelet.ts";
import { defaultKubeletSettings, type KubeletSettings } from "./kubelet-settings.ts";
import type { SimNode, SimNodeOptions } from "./sim-node.ts";
import { SimNodes } from "./sim-nodes.ts";

export type { KubeletSettings } from "./kubelet-settings.ts";
export type { SimNodeOptions } from "./sim-node.ts";
export type { SimNodes } from "./sim-nodes.ts";

export interface StartNodesOptions extends Partial<KubeletSettings> {
  readonly clock: Clock;
  readonly random: Random;
  /** The loop to work on; controllers and nodes of one cluster share it. Without it the nodes have their own. */
  readonly loop?: WorkLoop;
  /** How many nodes of the default size there are at the start, or what each is like. */
  readonly nodes?: number | readonly SimNodeOptions[];
  /** How often each node renews its Lease; 0 turns it off, and nodes live until they are told to fail. */
  readonly leasePeriodMs?: number;
  /** How long the pods of Jobs run that are not told otherwise. */
  readonly jobRunSeconds?: number;
  readonly kubeletVersion?: string;
  /** The oldest events leave when nodes have written more than this. */
  readonly maxEvents?: number;
}

export interface RunningNodes {
  readonly nodes: SimNodes;
  /** Resolves when nothing is left to do now. */
  settled(): Promise<void>;
  stop(): void;
}

/** Starts simulated nodes that run what is bound to them. */
export function startNodes(api: SimApi, options: StartNodesOptions): RunningNodes {
  const { clock, random } = options;
  const loop = options.loop ?? new WorkLoop({ clock });
  const machines = new Map<string, SimNode>();
  const node = (name: string): SimNode | undefined => machines.get(name);
  const events = new EventLog(api, loop, { maxEvents: options.maxEvents });
  const behaviours = new Behaviours(options.jobRunSeconds ?? 1);
  const settings = kubeletSettings(options);
  const kubelet = new Kubelet({ api, loop, events, random, behaviours, settings, node });
  const { leasePeriodMs = 10_000, kubeletVersion = "v1.36.4" } = options;
  const heartbeats = new Heartbeats({ api, loop, node, leasePeriodMs, kubeletVersion });
  const nodes = new SimNodes({ api, events, kubelet, heartbeats, behaviours, machines });
  const wanted = options.nodes ?? 3;
  const initial: readonly SimNodeOptions[] =
    typeof wanted === "number" ? Array.from({ length: wanted }, () => ({})) : wanted;
  for (const each of initial) nodes.add(each);
  return {
    nodes,
    settled: () => loop.settled(),
    stop: () => {
      if (options.loop === undefined) loop.stop();
      for (const part of [nodes, heartbeats, kubelet, events]) part.close();
    },
  };
}

function kubeletSettings(options: Partial<KubeletSettings>): KubeletSettings {
  const base = defaultKubeletSettings;
  return {
    startDelayMs: options.startDelayMs ?? base.startDelayMs,
    stopDelayMs: options.stopDelayMs ?? base.stopDelayMs,
    syncMs: options.syncMs ?? base.syncMs,
    resyncMs: options.resyncMs ?? base.resyncMs,
    backoffBaseMs: options.backoffBaseMs ?? base.backoffBaseMs,
    backoffMaxMs: options.backoffMaxMs ?? base.backoffMaxMs,
    honourProbeDelays: options.honourProbeDelays ?? base.honourProbeDelays,
    keptLogLines: options.keptLogLines ?? base.keptLogLines,
  };
}
