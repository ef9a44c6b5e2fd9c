import {
  Backoff,
  BowlineError,
  watchBackoff,
  type Clock,
  type Random,
  type ResettingBackoffPolicy,
} from "@bowline/core";
import { describeTarget } from "../client/resource-path.ts";
import { retryAfterMs } from "../client/status-error.ts";
import type { FieldMask } from "../decode/field-mask.ts";
import { ObjectDecoder } from "../decode/object-decoder.ts";
import type { KubeObject, ResourceRef } from "../object.ts";
import type { Transport } from "../transport.ts";
import type { WatchEvent } from "../watch/event-decoder.ts";
import { watch, type WatchOptions } from "../watch/watch.ts";
import type { InformerPhase, InformerState } from "./informer-state.ts";
import { streamList, type Selection } from "./stream-list.ts";

/** Where the reflector writes what it learns. Between `beginSync` and `endSync` comes everything that exists. */
export interface ReflectorSink {
  beginSync(): void;
  upsert(object: KubeObject): void;
  remove(object: KubeObject): void;
  endSync(): void;
}

/**
 * How to read everything that exists.
 * - `never`: by paged lists, which every server can.
 * - `always`: by a watch with `sendInitialEvents`, which spares the server's memory; for servers of 1.34 and later.
 * - `auto`: by such a watch as long as the server takes it. One that knows of it but does not offer it refuses, and
 *   lists are used from then on. So they are after a few watches that the server took and ended before everything was
 *   read, as it does on an etcd that is too old for it. One from before 1.19 ignores it: that shows by a missing
 *   bookmark, after a delay and after objects of unknown age, so for such a server choose `never`.
 */
export type WatchListMode = "auto" | "never" | "always";

interface ReflectorOptions extends Selection {
  readonly transport: Transport;
  readonly resource: ResourceRef;
  readonly sink: ReflectorSink;
  readonly fields: FieldMask;
  readonly metadataOnly: boolean;
  readonly watchList: WatchListMode;
  /** Told once, when the server has ended so many WatchLists early that lists are used instead. */
  readonly onWatchListGivenUp: (error: BowlineError) => void;
  readonly pageSize: number;
  readonly maxObjectBytes: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: ResettingBackoffPolicy | undefined;
}

/** A list, or the first part of a WatchList, that brings nothing for so long is dead. */
const silenceMs = 45_000;
/** Reading everything that exists takes a while where there is much of it or the way is slow. */
const watchListTimeoutSeconds = 600;
/** One may be cut by accident. So many in a row are the server's way, and the next would end like them. */
const maxWatchListEnds = 3;
/** A watch that ends sooner and empty says that something in between ends it; asking again at once would be a storm. */
const shortestWatchMs = 1000;

type ReflectorState = Omit<InformerState, "objects">;

/** Mirrors a resource into a sink: reads all of it, follows its changes, and never gives up. */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #decoder: ObjectDecoder;
  readonly #backoff: Backoff;
  #phase: InformerPhase = "idle";
  #since: number;
  #error: BowlineError | undefined;
  #syncs = 0;
  #watches = 0;
  #failures = 0;
  #resumeFrom: string | undefined;
  #lastVersion: string | undefined;
  /** Whether a watch has worked since the last sync or expiry. What expires before that would only expire again. */
  #progressed = false;
  #watchListRefused = false;
  /** WatchLists in a row that the server took and that ended before everything was read. */
  #watchListEnds = 0;
  #metadataRefused = false;

  constructor(options: ReflectorOptions) {
    const { clock, random, backoff = watchBackoff } = options;
    this.#options = options;
    this.#decoder = new ObjectDecoder(options.resource, options.fields);
    this.#backoff = new Backoff(backoff, clock, random);
    this.#since = clock.now();
  }

  state(): ReflectorState {
    return {
      phase: this.#phase,
      since: this.#since,
      synced: this.#syncs > 0,
      resourceVersion: this.#lastVersion,
      reconnects: Math.max(0, this.#watches - 1),
      relists: Math.max(0, this.#syncs - 1),
      failures: this.#failures,
      error: this.#error,
    };
  }

  /** Runs until the signal aborts. Never rejects: what goes wrong is in `state()`. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#resumeFrom === undefined) await this.#sync(signal);
        await this.#follow(signal);
      } catch (thrown) {
        if (!signal.aborted) await this.#recover(BowlineError.from(thrown), signal);
      }
    }
    this.#enter("stopped");
  }

  async #sync(signal: AbortSignal): Promise<void> {
    this.#enter("syncing");
    const version = (await this.#syncByWatch(signal)) ?? (await this.#syncByList(signal));
    this.#syncs++;
    this.#progressed = false;
    this.#advanceTo(version);
    this.#error = undefined;
    this.#options.sink.endSync();
  }

  /** The version everything was read at, or nothing where the server will not do it this way. */
  async #syncByWatch(signal: AbortSignal): Promise<string | undefined> {
    const { watchList, sink } = this.#options;
    if (watchList === "never" || this.#watchListRefused) return undefined;
    sink.beginSync();
    const timeouts = { timeoutSeconds: watchListTimeoutSeconds, silenceMs };
    let isTaken = false;
    const onOpen = (): void => void (isTaken = true);
    try {
      const options = { sendInitialEvents: true, ...timeouts, onOpen, signal };
      for await (const event of this.#watch(options)) {
        if (event.type !== "BOOKMARK") this.#apply(event);
        else if (event.initialEventsEnd) {
          this.#watchListEnds = 0;
          return event.resourceVersion;
        }
      }
      throw new BowlineError(
        "ResponseInvalid",
        "The API server ended a WatchList before its end was marked.",
      );
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      if (watchList === "always" || signal.aborted) throw error;
      if (isTaken) this.#watchListEnds++;
      if (isRefusal(error)) this.#watchListRefused = true;
      else if (this.#watchListEnds >= maxWatchListEnds) this.#giveUpWatchList(error);
      else if (!mayBeIgnored(error)) throw error;
      return undefined;
    }
  }

  #giveUpWatchList(cause: BowlineError): void {
    this.#watchListRefused = true;
    const { resource, namespace, onWatchListGivenUp } = this.#options;
    const subject = describeTarget(resource, { namespace });
    const message =
      `The API server ended ${this.#watchListEnds} WatchLists of ${subject} before everything was read, the last with: ` +
      `${cause.message} From now on they are listed. A server of 1.34 or later does this when its etcd is older than 3.5.`;
    onWatchListGivenUp(new BowlineError("ResponseInvalid", message, { cause }));
  }

  async #syncByList(signal: AbortSignal): Promise<string> {
    try {
      return await this.#list(signal, this.#options.pageSize);
    } catch (thrown) {
      if (BowlineError.from(thrown).code !== "Expired") throw thrown;
      // The pages took longer than the server keeps a version. One answer without pages cannot expire.
      return this.#list(signal, undefined);
    }
  }

  #list(signal: AbortSignal, pageSize: number | undefined): Promise<string> {
    const { transport, resource, sink, clock, maxObjectBytes } = this.#options;
    sink.beginSync();
    return streamList(transport, resource, {
      ...this.#selection(),
      decoder: this.#decoder,
      maxItemBytes: maxObjectBytes,
      pageSize,
      silenceMs,
      clock,
      signal,
      onObject: (object) => sink.upsert(object),
    });
  }

  /** One watch, from the last version seen to its end. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    this.#enter("connecting");
    this.#watches++;
    const startedMs = clock.monotonicMs();
    let events = 0;
    const onOpen = (): void => {
      this.#error = undefined;
      this.#enter("watching");
    };
    const options = { resourceVersion: this.#resumeFrom, onOpen, signal };
    for await (const event of this.#watch(options)) {
      events++;
      this.#progressed = true;
      if (event.type === "BOOKMARK") {
        this.#advanceTo(event.resourceVersion);
      } else {
        this.#apply(event);
        this.#advanceTo(event.object.metadata.resourceVersion);
      }
    }
    if (events === 0 && clock.monotonicMs() - startedMs < shortestWatchMs) {
      throw new BowlineError(
        "ConnectionFailed",
        "The API server, or a proxy before it, ended the watch at once.",
      );
    }
    this.#progressed = true;
  }

  #watch(options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    const { transport, resource, fields, maxObjectBytes, clock, random } = this.#options;
    const all = { ...this.#selection(), fields, maxLineBytes: maxObjectBytes, clock, random, ...options };
    return watch(transport, resource, all);
  }

  #selection(): Selection & { readonly metadataOnly: boolean } {
    const { namespace, labelSelector, fieldSelector, metadataOnly } = this.#options;
    return { namespace, labelSelector, fieldSelector, metadataOnly: metadataOnly && !this.#metadataRefused };
  }

  #apply(event: Exclude<WatchEvent, { type: "BOOKMARK" }>): void {
    if (event.type === "DELETED") this.#options.sink.remove(event.object);
    else this.#options.sink.upsert(event.object);
  }

  #advanceTo(version: string | undefined): void {
    this.#resumeFrom = version;
    this.#lastVersion = version;
  }

  /** Decides what a failure means for the next attempt, and waits until it is due. */
  async #recover(error: BowlineError, signal: AbortSignal): Promise<void> {
    if (this.#mayAskForWhole(error)) {
      this.#metadataRefused = true;
      return;
    }
    this.#failures++;
    this.#error = error;
    this.#enter("waiting");
    if (error.code === "Expired") {
      this.#resumeFrom = undefined;
      const hadProgressed = this.#progressed;
      this.#progressed = false;
      if (hadProgressed) return;
    }
    const delayMs = Math.max(this.#backoff.nextDelayMs(), retryAfterMs(error));
    try {
      await this.#options.clock.sleep(delayMs, signal);
    } catch {
      // Only the signal ends it early, and the loop looks at that.
    }
  }

  /**
   * A server too simple to cut objects down to their metadata (406) sends them whole, and the decoder drops the rest.
   * Not for Secrets: their values must not travel at all.
   */
  #mayAskForWhole(error: BowlineError): boolean {
    const { metadataOnly, resource } = this.#options;
    const isSecret = resource.group === "" && resource.plural === "secrets";
    return metadataOnly && !this.#metadataRefused && !isSecret && error.details?.["httpStatus"] === 406;
  }

  #enter(phase: InformerPhase): void {
    this.#phase = phase;
    this.#since = this.#options.clock.now();
  }
}

/** A server that knows of WatchList and does not offer it. */
function isRefusal(error: BowlineError): boolean {
  const httpStatus = error.details?.["httpStatus"];
  return httpStatus === 400 || httpStatus === 422;
}

/** A server that does not know of WatchList fails so. It may as well be an accident, so it is tried again. */
function mayBeIgnored(error: BowlineError): boolean {
  return error.code === "ResponseInvalid" || error.code === "Timeout";
}
