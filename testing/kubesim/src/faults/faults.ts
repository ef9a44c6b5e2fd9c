import type { Socket } from "node:net";

import { seededRandom } from "@bowline/core/testing";

import type { OpenWatch, RequestTraits, WatchRegistry } from "../api/watch-registry.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { expired, internalError } from "../store/status-errors.ts";
import { matchesFault, type FaultMatch } from "./fault-match.ts";
import type { RewriteLine } from "./rewrite-answer.ts";
import type { RequestEffect, RequestFaults } from "./request-faults.ts";

/** A fault that is in force until it is removed or used up. */
export interface Fault {
  /** How many requests or connections it has met. */
  readonly hits: number;
  remove(): void;
}

/** How often a fault strikes: a number of times, a share of the requests, or always. */
interface FaultLimits {
  readonly times?: number;
  /** From 0 to 1; with the same seed the same requests are met. */
  readonly share?: number;
  readonly seed?: number;
}

export type RequestFaultOptions = FaultMatch & FaultLimits;

export interface FaultsOptions {
  readonly requests: RequestFaults;
  readonly watches: WatchRegistry;
  readonly objects: ObjectStore;
}

/** Everything that can be made to go wrong, on command. */
export class Faults {
  readonly #options: FaultsOptions;
  readonly #active = new Set<Fault>();

  constructor(options: FaultsOptions) {
    this.#options = options;
  }

  /** Answers with an error status; 429 and 503 may say when to come back. */
  failRequests(
    options: RequestFaultOptions & { readonly code: number; readonly retryAfterSeconds?: number },
  ): Fault {
    return this.#meet(options, {
      kind: "answer",
      error: plainError(options.code, options.retryAfterSeconds),
    });
  }

  /** Answers 410, as after a compaction. */
  expireRequests(options: RequestFaultOptions = {}): Fault {
    return this.#meet(options, {
      kind: "answer",
      error: expired("The resourceVersion for the provided list is too old."),
    });
  }

  /** Takes watches that ask for initial events and ends them at once, as a server does whose etcd is older than 3.5. */
  endWatchLists(options: Omit<RequestFaultOptions, "path"> = {}): Fault {
    return this.#meet(
      { ...options, path: /[?&]sendInitialEvents=true/ },
      {
        kind: "endStream",
        error: internalError(
          "a watch stream was requested by the client but the required storage feature RequestWatchProgress is disabled",
        ),
      },
    );
  }

  answerHtml(options: RequestFaultOptions & { readonly code?: number } = {}): Fault {
    return this.#meet(options, { kind: "html", code: options.code ?? 200 });
  }

  /**
   * Passes every line of an answer through a function: a document, an event of a watch, a line of a log. So a cluster can
   * say what no real one would.
   */
  rewriteAnswers(options: RequestFaultOptions & { readonly rewrite: RewriteLine }): Fault {
    return this.#meet(options, { kind: "rewrite", rewrite: options.rewrite });
  }

  slowRequests(options: RequestFaultOptions & { readonly delayMs: number }): Fault {
    return this.#meet(options, { kind: "delay", delayMs: options.delayMs });
  }

  /** Resets the connection instead of answering. */
  resetConnections(options: RequestFaultOptions = {}): Fault {
    return this.#meet(options, { kind: "reset" });
  }

  /** Cuts every open watch that matches, once; says how many. */
  dropWatches(match: FaultMatch = {}): number {
    const open = this.#openWatches(match);
    for (const watch of open) watch.drop();
    return open.length;
  }

  /** Keeps matching watches open but silent, until removed. Watches that are opened later are not touched. */
  stallWatches(match: FaultMatch = {}): Fault {
    const stalled = this.#openWatches(match);
    for (const watch of stalled) watch.stall();
    return this.#register(
      () => stalled.length,
      () => {
        for (const watch of stalled) watch.resume();
      },
    );
  }

  /** The next event of every matching watch ends in the middle of its line. */
  cutLines(match: FaultMatch = {}): number {
    const open = this.#openWatches(match);
    for (const watch of open) watch.cutNextLine();
    return open.length;
  }

  /**
   * Freezes connections: TCP stays up, but nothing is read or written any more, as when a machine in between has
   * forgotten the connection. Strikes the connections of open watches now and those of matching requests from now on.
   */
  freezeSockets(match: FaultMatch = {}): Fault {
    const frozen = new Set<Socket>();
    const freeze = (socket: Socket): void => {
      if (frozen.has(socket)) return;
      frozen.add(socket);
      socket.pause();
      socket.cork();
    };
    const stalled = this.#openWatches(match);
    for (const watch of stalled) {
      watch.stall();
      if (watch.socket) freeze(watch.socket);
    }
    const stop = this.#options.requests.add({ match, effect: { kind: "freeze", freeze }, meets: () => true });
    return this.#register(
      () => frozen.size,
      () => {
        stop();
        for (const watch of stalled) watch.resume();
        for (const socket of frozen) {
          socket.uncork();
          socket.resume();
        }
      },
    );
  }

  /** Forgets all history: older revisions and continue tokens are gone from now on. */
  compact(): void {
    this.#options.objects.compact();
  }

  /** Removes every fault that is in force. */
  clear(): void {
    for (const fault of this.#active) fault.remove();
  }

  #openWatches(match: FaultMatch): OpenWatch[] {
    return this.#options.watches.matching((traits: RequestTraits) => matchesFault(match, traits));
  }

  #meet(options: RequestFaultOptions, effect: RequestEffect): Fault {
    const { times = Number.POSITIVE_INFINITY, share = 1, seed = 1 } = options;
    const random = seededRandom(seed);
    let hits = 0;
    const meets = (): boolean => {
      if (hits >= times || (share < 1 && random() >= share)) return false;
      hits += 1;
      return true;
    };
    return this.#register(() => hits, this.#options.requests.add({ match: options, effect, meets }));
  }

  #register(hits: () => number, undo: () => void): Fault {
    const active = this.#active;
    const fault: Fault = {
      get hits() {
        return hits();
      },
      remove: () => {
        if (active.delete(fault)) undo();
      },
    };
    active.add(fault);
    return fault;
  }
}

const reasons: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  500: ["InternalError", "Internal error occurred: a simulated fault"],
  502: ["", "bad gateway"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "Timeout: request did not complete within the allotted timeout"],
};

function plainError(code: number, retryAfterSeconds: number | undefined): SimStatusError {
  const [reason, message] = reasons[code] ?? ["", `a simulated fault with status ${code}`];
  return new SimStatusError({
    code,
    ...(reason === "" ? {} : { reason }),
    message,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  });
}
