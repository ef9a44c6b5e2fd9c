import type { AcceptStream, RequestHead, StreamHandler, TunnelStream } from "@bowline/protocol";

/** Before the deed, or after it, before anybody has heard of it. */
export type Moment = "before" | "after";

const nothing: ReadonlySet<string> = new Set();
const deaf: StreamHandler = { data: () => true, end: () => undefined, error: () => undefined };

/** A process that dies at its n-th deed, wherever that goes, and does nothing any more from then on. */
export class DyingProcess {
  readonly #at: number;
  readonly #moment: Moment;
  readonly #death = Promise.withResolvers<void>();
  #deeds = 0;

  constructor(at: number, moment: Moment = "before") {
    this.#at = at;
    this.#moment = moment;
  }

  get hasDied(): boolean {
    return this.#deeds > this.#at;
  }

  /** Resolves when it has died at a request to a cluster, and the cluster has done what it was asked for, if it was. */
  get death(): Promise<void> {
    return this.#death.promise;
  }

  /** Something outside as the process has it, and which of its methods write there. */
  using<T extends object>(outside: T, writes: ReadonlySet<string | symbol> = nothing): T {
    return new Proxy(outside, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member === "object" && member !== null) return this.using(member, writes);
        if (typeof member !== "function") return member;
        return (...given: unknown[]): unknown => {
          const wasAlive = !this.hasDied;
          if (writes.has(name)) this.#deeds += 1;
          if (!this.hasDied) return Reflect.apply(member, target, given);
          if (wasAlive && this.#moment === "after") return unheard(Reflect.apply(member, target, given));
          throw new Error("The process has died.");
        };
      },
    });
  }

  /** The way of its requests into a cluster, and which of them are deeds. */
  asking(accept: AcceptStream, isDeed: (head: RequestHead) => boolean): AcceptStream {
    return (stream, head, hasBody) => {
      const wasAlive = !this.hasDied;
      if (wasAlive && isDeed(head)) this.#deeds += 1;
      if (!this.hasDied) return accept(stream, head, hasBody);
      if (wasAlive) {
        if (this.#moment === "after") return accept(unanswered(stream, this.#death.resolve), head, hasBody);
        this.#death.resolve();
      }
      stream.reset("lost", "The process has died.");
      return deaf;
    };
  }
}

/** The same without a way back. */
function unanswered(stream: TunnelStream, onAnswer: () => void): TunnelStream {
  return {
    id: stream.id,
    sendHeaders: () => undefined,
    write: () => true,
    end: onAnswer,
    resume: () => stream.resume(),
    discard: () => stream.discard(),
    reset: onAnswer,
  };
}

async function unheard(deed: unknown): Promise<never> {
  await deed;
  throw new Error("The process has died.");
}
