import type { BowlineError, Clock, Random } from "@bowline/core";
import { createInformer, resources, type Informer, type KubeClient, type KubeObject } from "@bowline/kube";

import { eventFields, type EventSighting } from "./event-sighting.ts";

export interface EventWatchOptions {
  readonly client: KubeClient;
  readonly project: (event: KubeObject) => EventSighting;
  /** New, or repeated. */
  readonly seen: (sighting: EventSighting, before: EventSighting | undefined) => void;
  /** The cluster has forgotten it. */
  readonly gone: (sighting: EventSighting) => void;
  readonly onError: (error: BowlineError) => void;
  readonly clock: Clock;
  readonly random: Random;
}

const regarding = "regarding";

/** Follows the Events of the cluster, all of them by one watch, and finds those about an object. */
export class EventWatch {
  readonly #client: KubeClient;
  readonly #informer: Informer<EventSighting>;

  constructor({ client, project, seen, gone, onError, clock, random }: EventWatchOptions) {
    this.#client = client;
    this.#informer = createInformer<EventSighting>({
      transport: client.transport,
      resource: resources.coreEvents,
      project,
      fields: eventFields,
      indexers: { [regarding]: ({ regardingUid }) => (regardingUid === "" ? [] : [regardingUid]) },
      onError,
      clock,
      random,
    });
    this.#informer.addHandler({
      add: (sighting) => seen(sighting, undefined),
      update: (before, sighting) => seen(sighting, before),
      delete: gone,
    });
    this.#informer.start();
  }

  get phase(): string {
    return this.#informer.state().phase;
  }

  get error(): BowlineError | undefined {
    return this.#informer.state().error;
  }

  get objects(): number {
    return this.#informer.state().objects;
  }

  about(uid: string): readonly EventSighting[] {
    return this.#informer.byIndex(regarding, uid);
  }

  read({ namespace, name }: EventSighting, signal: AbortSignal): Promise<KubeObject> {
    return this.#client.get(resources.coreEvents, { namespace, name, signal });
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }
}
