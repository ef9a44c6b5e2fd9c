import { LruMap } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { Fetcher } from "../observe/fetcher.ts";
import type { KindWatch } from "../observe/kind-watch.ts";
import { kindKey, type ObjectPlace } from "../observe/kube-message.ts";
import { isAppliedByServer, objectReport, type ObjectReport } from "./object-report.ts";
import type { ObservationSink } from "./observation-sink.ts";
import type { OwnedObject, Ownership } from "./ownership.ts";
import type { NamedResource } from "./watched-workload.ts";

export interface ObservedObjectsOptions {
  readonly ownership: Ownership;
  readonly sink: ObservationSink;
  readonly fetcher: Pick<Fetcher<OwnedObject>, "add" | "delete">;
  /** The watch of a kind, by its key. */
  readonly watchOf: (key: string) => Pick<KindWatch, "get" | "read"> | undefined;
  /** An object belongs to a Workload since just now: what happened to it is told too. */
  readonly tellEvents: (uid: string) => void;
}

/** Objects that the server has applied and no Workload names yet: it is written after them, a moment later. */
const maxUnnamed = 256;

/** The objects of the kinds that are watched, of which those that belong to Workloads are told. */
export class ObservedObjects {
  readonly #options: ObservedObjectsOptions;
  /** An object that is just being told of needs not be fetched. */
  #arriving = "";
  /** Reports of what is likely to be named soon, by UID, as it was last seen. */
  readonly #unnamed = new LruMap<string, ObjectReport>(maxUnnamed);

  constructor(options: ObservedObjectsOptions) {
    this.#options = options;
    options.ownership.onMoved = (object, before) => this.#moved(object, before);
  }

  /** It is there, or has changed. */
  seen(place: ObjectPlace, seen: KubeObject): void {
    const { ownership, fetcher } = this.#options;
    const isOurs = ownership.workloadOf(place) !== undefined;
    const report = isOurs ? objectReport(seen, ownership.isNamed(place)) : undefined;
    this.#arriving = report === undefined ? "" : place.uid;
    const object = ownership.see(place);
    this.#arriving = "";
    if (object.workload === undefined) {
      this.#keepUnnamed(place.uid, seen);
      return;
    }
    if (report === undefined) {
      fetcher.add(object);
    } else {
      fetcher.delete(object);
      this.#put(object, report);
    }
  }

  gone(uid: string): void {
    const { ownership, fetcher, sink } = this.#options;
    this.#unnamed.delete(uid);
    const object = ownership.forget(uid);
    if (object === undefined) return;
    fetcher.delete(object);
    if (object.workload !== undefined) sink.gone(object);
  }

  /** A Workload names an object, or does no more. */
  review({ kind, namespace, name }: NamedResource): void {
    const { ownership, fetcher, watchOf } = this.#options;
    const key = kindKey(kind);
    const sighting = watchOf(key)?.get(namespace, name);
    // A watch that begins anew has yet to find what was seen before.
    const object =
      sighting === undefined ? ownership.find(key, namespace, name) : ownership.get(sighting.place.uid);
    if (object === undefined) return;
    const { uid } = object.place;
    const report = ownership.isNamed(object.place) ? this.#unnamed.get(uid) : undefined;
    this.#unnamed.delete(uid);
    this.#arriving = uid;
    ownership.review(object);
    this.#arriving = "";
    if (object.workload === undefined) return;
    // More is told of an object that is named itself than of one that another owns.
    object.digest = undefined;
    if (report === undefined) fetcher.add(object);
    else this.#put(object, report);
  }

  /** A kind that is watched anew was not watched for a moment: what is not there any more went then. */
  forgetUnseen(key: string): void {
    const { ownership, watchOf } = this.#options;
    const watch = watchOf(key);
    if (watch === undefined) return;
    for (const { place } of ownership.objects()) {
      if (place.kind !== key || watch.get(place.namespace, place.name)?.place.uid === place.uid) continue;
      this.gone(place.uid);
    }
  }

  /** No Workload needs the kind any more. */
  forgetKind(key: string): void {
    for (const { place } of this.#options.ownership.objects()) if (place.kind === key) this.gone(place.uid);
  }

  /** Reads an object of which only the name was kept, and tells it. */
  async fetch(object: OwnedObject, signal: AbortSignal): Promise<void> {
    const { ownership, watchOf } = this.#options;
    const { kind, uid } = object.place;
    const watch = watchOf(kind);
    if (watch === undefined) return;
    const read = await watch.read(object.place, signal);
    // The watch was faster, or has told that it is another one now.
    const isStale = object.digest !== undefined || ownership.get(uid) !== object;
    if (isStale || read.metadata.uid !== uid || object.workload === undefined) return;
    this.#put(object, objectReport(read, ownership.isNamed(object.place)));
  }

  #keepUnnamed(uid: string, seen: KubeObject): void {
    if (isAppliedByServer(seen)) this.#unnamed.set(uid, objectReport(seen, true));
    else this.#unnamed.delete(uid);
  }

  #put(object: OwnedObject, report: ObjectReport): void {
    const { ownership, sink, fetcher } = this.#options;
    const isPut = sink.object(object, report, ownership.isNamed(object.place));
    if (!isPut) fetcher.add(object);
  }

  #moved(object: OwnedObject, before: string | undefined): void {
    const { sink, fetcher, tellEvents } = this.#options;
    if (object.workload === undefined) {
      fetcher.delete(object);
      if (before !== undefined) sink.gone(object);
      return;
    }
    object.digest = undefined;
    const { uid } = object.place;
    if (uid !== this.#arriving) fetcher.add(object);
    tellEvents(uid);
  }
}
