import { once } from "node:events";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { EagerSocket } from "./eager-socket.ts";

/** A socket whose network takes a chunk only when it is told to. */
class SlowSocket extends Duplex {
  readonly taken: string[] = [];
  reads = 0;
  #take = (): void => {};

  override _write(chunk: Buffer, _: BufferEncoding, callback: () => void): void {
    this.#take = () => {
      this.taken.push(String(chunk));
      callback();
    };
  }

  override _read(): void {
    this.reads++;
  }

  async takeOne(): Promise<void> {
    this.#take();
    await turn();
  }
}

describe("EagerSocket", () => {
  test("takes everything at once, and says when the network has it", async () => {
    const slow = new SlowSocket({ writableHighWaterMark: 4 });
    const eager = new EagerSocket(slow);
    const written: string[] = [];
    const flushed: string[] = [];
    for (const word of ["aaa", "bbb", "ccc"]) eager.write(word, () => written.push(word));
    await turn();
    expect(written).toEqual(["aaa", "bbb", "ccc"]);
    expect(slow.taken).toEqual([]);
    eager.flushed(() => flushed.push("all"));
    await slow.takeOne();
    await slow.takeOne();
    expect(flushed).toEqual([]);
    await slow.takeOne();
    expect(slow.taken).toEqual(["aaa", "bbb", "ccc"]);
    expect(flushed).toEqual(["all"]);
    eager.flushed(() => flushed.push("nothing to wait for"));
    expect(flushed).toHaveLength(2);
  });

  test("leaves a peer that does not read what it is sent", async () => {
    const slow = new SlowSocket();
    const eager = new EagerSocket(slow);
    const error = once(eager, "error");
    for (let sent = 0; sent < 20 && !eager.destroyed; sent++) {
      eager.write(Buffer.alloc(1024 * 1024));
      await turn();
    }
    expect(await error).toMatchObject([{ code: "Timeout" }]);
    expect(slow.destroyed).toBe(true);
  });

  test("passes on what comes, at the pace of its reader", async () => {
    const slow = new SlowSocket();
    const eager = new EagerSocket(slow);
    slow.push("one ");
    slow.push("two");
    slow.push(null);
    expect(await text(eager)).toBe("one two");
    const stuck = new SlowSocket();
    const unread = new EagerSocket(stuck);
    stuck.push(Buffer.alloc(unread.readableHighWaterMark + 1));
    await turn();
    expect(stuck.isPaused()).toBe(true);
  });

  test("what came before the other side closed can still be read", async () => {
    const slow = new SlowSocket();
    const eager = new EagerSocket(slow);
    const flushed = Promise.withResolvers<void>();
    eager.write("never taken");
    eager.flushed(flushed.resolve);
    slow.push("last words");
    slow.push(null);
    await once(slow, "end");
    slow.destroy();
    await once(slow, "close");
    await flushed.promise;
    expect(eager.destroyed).toBe(false);
    expect(await text(eager)).toBe("last words");
    if (!eager.closed) await once(eager, "close");
  });

  test("can be ended after the socket has ended by itself", async () => {
    const slow = new SlowSocket({ allowHalfOpen: false, autoDestroy: false });
    const eager = new EagerSocket(slow);
    slow.push(null);
    await once(slow, "finish");
    const errors: unknown[] = [];
    eager.on("error", (error) => errors.push(error)).resume();
    eager.end();
    await once(eager, "close");
    expect(errors).toEqual([]);
    expect(slow.destroyed).toBe(true);
  });

  test("ends and breaks together with the socket", async () => {
    const slow = new SlowSocket();
    const eager = new EagerSocket(slow);
    eager.end("last");
    await turn();
    await slow.takeOne();
    expect(slow.writableFinished).toBe(true);
    const broken = new SlowSocket();
    const above = new EagerSocket(broken);
    broken.destroy(new Error("cut"));
    const [error] = await once(above, "error");
    expect(error).toMatchObject({ message: "cut" });
    const below = new SlowSocket();
    const left = new EagerSocket(below);
    const flushed = Promise.withResolvers<void>();
    left.write("never taken");
    left.flushed(flushed.resolve);
    left.destroy();
    await flushed.promise;
    expect(below.destroyed).toBe(true);
  });
});
