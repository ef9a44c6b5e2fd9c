import { BowlineError } from "@bowline/core";
import type { ClusterConnection, Discovery, KubeClient, KubeObject, ResourceRef } from "@bowline/kube";

import type { CommandContext } from "../../command/command-context.ts";
import type { ResourceName } from "../installation-state.ts";
import type { PhaseContext } from "../target.ts";
import type { KubernetesOptions } from "./kubernetes-options.ts";

const fieldManager = "bowline-up";

/** A place in a cluster, enough to look at an object there. */
export interface ObjectPlace {
  readonly resource: ResourceRef;
  readonly namespace?: string;
  readonly name: string;
}

/** A kubeconfig that is made when it is needed, with a token that ends, and kept nowhere. */
export type ClusterAccess = (context: PhaseContext) => Promise<string>;

/** The cluster that a server is installed in, with every write as a call that leaves something behind. */
export class KubeCluster implements AsyncDisposable {
  readonly connection: ClusterConnection;
  readonly client: KubeClient;
  readonly discovery: Discovery;

  constructor(connection: ClusterConnection, client: KubeClient, discovery: Discovery) {
    this.connection = connection;
    this.client = client;
    this.discovery = discovery;
  }

  /** Nobody is called yet. */
  static async open(
    { kubeconfig, kubeContext }: Pick<KubernetesOptions, "kubeconfig" | "kubeContext">,
    { environment, clock, version }: Pick<CommandContext, "environment" | "clock" | "version">,
  ): Promise<KubeCluster> {
    const { loadKubeconfig } = await import("@bowline/kube");
    const context = kubeContext === undefined ? {} : { context: kubeContext };
    const connection = await loadKubeconfig({ paths: [kubeconfig], ...context });
    return KubeCluster.#connect(connection, { environment, clock, version });
  }

  /** The same of a kubeconfig that is at hand as a text. */
  static async openText(
    kubeconfig: string,
    context: Pick<CommandContext, "environment" | "clock" | "version">,
  ): Promise<KubeCluster> {
    const { kubeconfigConnection } = await import("@bowline/kube");
    return KubeCluster.#connect(kubeconfigConnection(kubeconfig), context);
  }

  static async #connect(
    connection: ClusterConnection,
    { environment, clock, version }: Pick<CommandContext, "environment" | "clock" | "version">,
  ): Promise<KubeCluster> {
    const { connect, Discovery, KubeClient } = await import("@bowline/kube");
    const transport = connect(connection, {
      exec: { env: environment },
      clock,
      userAgent: `bowline/${version}`,
    });
    const client = new KubeClient(transport);
    return new KubeCluster(connection, client, new Discovery(client, { clock }));
  }

  /** `NotFound` when the cluster has no such kind, as where Gateway API is not installed. */
  async placeOf(object: KubeObject, namespace: string): Promise<ObjectPlace> {
    const { apiVersion, kind } = object;
    const [version = "", group = ""] = apiVersion.split("/").toReversed();
    const resource = await this.discovery.findKind({ kind, group, version });
    if (resource === undefined) {
      throw new BowlineError(
        "NotFound",
        `The cluster has no ${kind} of ${apiVersion}; install what brings it, or change the values that ask for it.`,
      );
    }
    const name = object.metadata.name ?? "";
    const own = object.metadata.namespace ?? namespace;
    return resource.namespaced ? { resource, namespace: own, name } : { resource, name };
  }

  async find({ resource, ...target }: ObjectPlace, signal: AbortSignal): Promise<KubeObject | undefined> {
    return unlessMissing(this.client.get(resource, { ...target, signal }));
  }

  /** Writes down what is to be, applies it, and writes down that it was. */
  async apply(context: PhaseContext, object: KubeObject, namespace: string): Promise<void> {
    const place = await this.placeOf(object, namespace);
    const { ledger, call, signal } = context;
    const named = place.namespace === undefined ? {} : { namespace: place.namespace };
    const whole = { ...object, metadata: { ...object.metadata, ...named } };
    await ledger.make(resourceName(place), () =>
      call(`apply ${describe(place)}`, () =>
        this.client.apply(place.resource, whole, { fieldManager, force: true, signal }),
      ),
    );
  }

  async create(context: PhaseContext, object: KubeObject): Promise<void> {
    const place = await this.placeOf(object, "");
    const { ledger, call, signal } = context;
    await ledger.make(resourceName(place), () =>
      call(`create ${describe(place)}`, () =>
        this.client.create(place.resource, object, { fieldManager, signal }),
      ),
    );
  }

  /** Asks for its end; gone already is fine. */
  async delete(context: PhaseContext, place: ObjectPlace): Promise<void> {
    const { resource, ...target } = place;
    await context.call(`delete ${describe(place)}`, () =>
      unlessMissing(
        this.client.delete(resource, { ...target, propagationPolicy: "Foreground", signal: context.signal }),
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.transport.close();
  }
}

export function describe({ resource, namespace, name }: ObjectPlace): string {
  return `${resource.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

export function resourceName({ resource, namespace, name }: ObjectPlace): ResourceName {
  return { type: resource.kind, id: namespace === undefined ? name : `${namespace}/${name}` };
}

export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof BowlineError && error.code === "NotFound") return undefined;
    throw error;
  }
}
