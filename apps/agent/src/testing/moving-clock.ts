import { systemClock, type Clock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { expect } from "vitest";

/** The most often that anybody looks. */
const stepMs = 250;
/** The shortest limit of a request; nothing else is set off after so long without somebody sleeping. */
const shortestLimitMs = 10_000;

/**
 * A clock that goes on while a test waits for something to be so: whoever sleeps, sleeps by this clock. Requests are
 * answered in real time, however long a busy machine takes for it, and so their limits are in real time too.
 */
export class MovingClock implements Clock {
  readonly #moved = new ManualClock();

  now(): number {
    return this.#moved.now();
  }

  monotonicMs(): number {
    return this.#moved.monotonicMs();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#moved.sleep(ms, signal);
  }

  after(ms: number, callback: () => void): () => void {
    return (ms < shortestLimitMs ? this.#moved : systemClock).after(ms, callback);
  }

  armed(ms: number): Promise<void> {
    return this.#moved.armed(ms);
  }

  advance(ms: number): Promise<void> {
    return this.#moved.advance(ms);
  }

  until<T>(read: () => T): ReturnType<typeof expect.poll<T>> {
    const look = async (): Promise<T> => {
      await this.advance(stepMs);
      return read();
    };
    return expect.poll(look, { interval: 10, timeout: 30_000 });
  }
}
