import { BowlineError, type Clock, type Random } from "@bowline/core";
import {
  createInformer,
  type Discovery,
  type FieldMask,
  type Informer,
  type KubeClient,
  type KubeObject,
  type ResourceRef,
  type ValueInterner,
} from "@bowline/kube";

import { NamespaceWatches } from "./namespace-watches.ts";
import { kindKey, placeOf, SeenObject, type KindRef, type KubeMessage } from "./kube-message.ts";

export interface KindWatchOptions {
  readonly kind: KindRef;
  /** All that any consumer needs. */
  readonly fields: FieldMask;
  /** Not to be read, by choice: nothing is asked of the API server. */
  readonly isLeftOut?: boolean;
  readonly client: KubeClient;
  readonly discovery: Pick<Discovery, "apis" | "findKind">;
  /** Places of many objects have much in common. */
  readonly interner: ValueInterner;
  readonly deliver: (message: KubeMessage) => void;
  /** The namespaces there are; undefined while nobody knows. */
  readonly namespaces: () => readonly string[] | undefined;
  readonly onError: (error: BowlineError) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** Why a kind cannot be watched now. Other failures are tried again soon, and nobody has to do anything. */
export interface WatchProblem {
  readonly reason: "WatchForbidden" | "KindUnknown";
  readonly message: string;
}

/** With the rule of RBAC that is missing. */
export function watchForbidden({ group, plural }: Pick<ResourceRef, "group" | "plural">): WatchProblem {
  const rule = JSON.stringify({ apiGroups: [group], resources: [plural], verbs: ["get", "list", "watch"] });
  const message = `The agent may not watch ${plural}${group === "" ? "" : `.${group}`}, so nothing is known of them. Add to its ClusterRole: ${rule}`;
  return { reason: "WatchForbidden", message };
}

/** Nobody has to do anything, unless they want to. */
const leftOut: WatchProblem = {
  reason: "WatchForbidden",
  message:
    "Secrets are not observed: the agent was not asked to. That they are referred to is known. The rights observe-secrets of bowline cluster add ask for them, as does --observe-secrets of an agent.",
};

/** How a kind does, in all namespaces (empty) or in one of those that may be read where not all may. */
export interface WatchScope {
  readonly namespace: string;
  readonly isSynced: boolean;
  readonly problem: WatchProblem | undefined;
  readonly error: BowlineError | undefined;
}

/** How long until a kind that the cluster does not have is looked for again; its definition may be on its way. */
const lookAgainMs = 10_000;

/**
 * Follows all objects of one kind, in all namespaces; where that is forbidden, in those where it is not. A kind that is
 * not there yet is waited for.
 */
export class KindWatch {
  readonly key: string;
  readonly fields: FieldMask;
  readonly #options: KindWatchOptions;
  readonly #stop = new AbortController();
  readonly #finished: Promise<void>;
  #resource: ResourceRef | undefined;
  #informer: Informer<SeenObject> | undefined;
  #some: NamespaceWatches | undefined;
  #isUnknown = false;

  constructor(options: KindWatchOptions) {
    this.#options = options;
    this.key = kindKey(options.kind);
    this.fields = options.fields;
    this.#finished = options.isLeftOut === true ? Promise.resolve() : this.#begin();
  }

  /** As the API server serves it; undefined before it is found. */
  get resource(): ResourceRef | undefined {
    return this.#resource;
  }

  get isSynced(): boolean {
    return this.#informer?.state().synced === true;
  }

  /** Everything was read, or nobody can say when it will be. */
  get isSettled(): boolean {
    const isReading = [...(this.#some?.all() ?? [])].some((each) => !each.state().synced);
    return this.isSynced || (this.problem !== undefined && !isReading);
  }

  get problem(): WatchProblem | undefined {
    if (this.#options.isLeftOut === true) return leftOut;
    const { group, kind } = this.#options.kind;
    const error = this.#informer?.state().error;
    if (this.#isUnknown || error?.code === "NotFound") {
      const message = `The cluster has no kind ${kind} in the group ${group === "" ? "of the core" : group} that can be watched; it is looked for again and again.`;
      return { reason: "KindUnknown", message };
    }
    if (error?.code !== "Forbidden" || this.#resource === undefined) return undefined;
    return watchForbidden(this.#resource);
  }

  /** How it does, for people. */
  get phase(): string {
    if (this.#options.isLeftOut === true) return "left out";
    return this.#informer?.state().phase ?? "looking for the kind";
  }

  /** Why it does not, if something failed. */
  get error(): BowlineError | undefined {
    return this.#informer?.state().error;
  }

  get objects(): number {
    return this.#informers().reduce((sum, informer) => sum + informer.state().objects, 0);
  }

  get(namespace: string, name: string): SeenObject | undefined {
    return (this.#some?.get(namespace) ?? this.#informer)?.get(namespace, name);
  }

  /** Of the objects in one namespace, or of all. Where one is watched by itself, others know only what was there before. */
  uids(namespace?: string): string[] {
    const own = namespace === undefined ? undefined : this.#some?.get(namespace);
    const informers = own === undefined ? this.#informers() : [own];
    return informers.flatMap((informer) => informer.list(namespace).map(({ place }) => place.uid));
  }

  names(): string[] {
    return this.#informers().flatMap((informer) => informer.list().map(({ place }) => place.name));
  }

  /** Each place in which it is watched, all namespaces first. */
  *scopes(): Generator<WatchScope> {
    const { isSynced, problem, error } = this;
    yield { namespace: "", isSynced, problem, error };
    for (const namespace of this.#some?.namespaces ?? []) {
      const state = this.#some?.get(namespace)?.state();
      const forbidden = state?.error?.code === "Forbidden" ? problem : undefined;
      yield { namespace, isSynced: state?.synced === true, problem: forbidden, error: state?.error };
    }
    for (const [namespace, failure] of this.#some?.failing() ?? []) {
      yield { namespace, isSynced: false, problem: undefined, error: failure };
    }
  }

  /** To be called again and again: where not all namespaces may be read, those are that may be. */
  attend(): void {
    if (this.#stop.signal.aborted || this.#resource?.namespaced !== true) return;
    if (this.error?.code === "Forbidden") this.#some ??= this.#newNamespaceWatches(this.#resource);
    else if (this.isSynced && this.error === undefined) this.#leaveNamespaces();
    const namespaces = this.#options.namespaces();
    if (namespaces !== undefined) this.#some?.attend(namespaces);
  }

  /** Reads one object anew, as the watch would have. */
  async read(
    target: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<KubeObject> {
    const { client, kind } = this.#options;
    const resource = this.#resource;
    if (resource === undefined) throw new BowlineError("NotFound", `The kind ${kind.kind} is not watched.`);
    const options = {
      ...(resource.namespaced ? { namespace: target.namespace } : {}),
      name: target.name,
      signal,
    };
    const object = this.#isMetadataOnly
      ? await client.getMetadata(resource, options)
      : await client.get(resource, options);
    const apiVersion = resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
    return { ...object, apiVersion, kind: resource.kind };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#finished;
    await this.#some?.stop();
    await this.#informer?.stop();
  }

  async #begin(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const resource = await this.#find();
      if (signal.aborted) return;
      if (resource !== undefined) return this.#follow(resource);
      await clock.sleep(lookAgainMs, signal).catch(() => {});
    }
  }

  /** Undefined where there is none, or the API server does not say. */
  async #find(): Promise<ResourceRef | undefined> {
    const { discovery, kind, onError } = this.#options;
    try {
      const found = await discovery.findKind(kind);
      const canBeWatched = found?.verbs.includes("list") === true && found.verbs.includes("watch");
      if (found === undefined) await this.#requireAnswer();
      this.#isUnknown = !canBeWatched;
      return canBeWatched ? found : undefined;
    } catch (error) {
      onError(BowlineError.from(error));
      return undefined;
    }
  }

  /** A group whose server is down has all its kinds nevertheless. */
  async #requireAnswer(): Promise<void> {
    const { discovery, kind } = this.#options;
    const { failures } = await discovery.apis();
    const failure = failures.find(({ group }) => group === kind.group);
    if (failure !== undefined) throw failure.error;
  }

  #follow(resource: ResourceRef): void {
    this.#resource = resource;
    this.#informer = this.#newInformer(resource, undefined);
    this.#informer.start();
  }

  #newInformer(resource: ResourceRef, namespace: string | undefined): Informer<SeenObject> {
    const { client, fields, interner, onError, clock, random } = this.#options;
    const informer = createInformer<SeenObject>({
      transport: client.transport,
      resource,
      namespace,
      project: (object) => new SeenObject(interner.keep(placeOf(this.key, object)), object),
      fields,
      metadataOnly: this.#isMetadataOnly,
      onError,
      clock,
      random,
    });
    informer.addHandler({
      add: (seen) => this.#applied(seen),
      update: (_, seen) => this.#applied(seen),
      delete: ({ place }) => this.#deliver(place.namespace, { action: "deleted", place }),
      synced: () => {
        if (namespace === undefined) this.#leaveNamespaces();
        this.#deliver(namespace ?? "", { action: "restarted" });
      },
    });
    return informer;
  }

  #newNamespaceWatches(resource: ResourceRef): NamespaceWatches {
    const { client, onError, clock, random } = this.#options;
    return new NamespaceWatches({
      probe: async (namespace, signal) => {
        await client.listMetadata(resource, { namespace, limit: 1, signal });
      },
      open: (namespace) => this.#newInformer(resource, namespace),
      closed: (namespace) => this.#deliver(namespace, { action: "restarted" }),
      onError,
      clock,
      random,
    });
  }

  /** All may be read now. */
  #leaveNamespaces(): void {
    void this.#some?.stop();
    this.#some = undefined;
  }

  #informers(): Informer<SeenObject>[] {
    const all = this.#informer === undefined ? [] : [this.#informer];
    return [...all, ...(this.#some?.all() ?? [])];
  }

  /** Where nothing else is wanted, and never more of kinds with data in them. */
  get #isMetadataOnly(): boolean {
    const { kind, fields } = this.#options;
    return hasData(kind) || Object.keys(fields).every((field) => field === "metadata");
  }

  #applied(seen: SeenObject): void {
    const { place } = seen;
    const object = seen.takeObject();
    if (object !== undefined) this.#deliver(place.namespace, { action: "applied", place, object });
  }

  #deliver(namespace: string, news: News): void {
    const { deliver, clock } = this.#options;
    deliver({ kind: this.key, namespace, observedAtMs: clock.now(), ...news });
  }
}

/** A message without the parts that all have. */
type News = KubeMessage extends infer Message
  ? Message extends KubeMessage
    ? Omit<Message, "kind" | "namespace" | "observedAtMs">
    : never
  : never;

/** Kinds with data in them: of these only metadata is asked for. */
function hasData({ group, kind }: KindRef): boolean {
  return group === "" && (kind === "Secret" || kind === "ConfigMap");
}
