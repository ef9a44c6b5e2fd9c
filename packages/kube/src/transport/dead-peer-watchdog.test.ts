import { EventEmitter } from "node:events";
import { ManualClock } from "@bowline/core/testing";
import { expect, it } from "vitest";
import { watchForDeadPeer } from "./dead-peer-watchdog.ts";

class FakeSocket extends EventEmitter {
  bytesRead = 0;
  error: Error | undefined;

  destroy(error: Error): void {
    this.error = error;
    this.emit("close");
  }
}

const limits = { pingIntervalMs: 15_000, silenceLimitMs: 45_000 };

it("lets a peer live as long as bytes keep coming", async () => {
  const clock = new ManualClock();
  const socket = new FakeSocket();
  watchForDeadPeer(socket, limits, clock);
  for (let minute = 0; minute < 10; minute++) {
    socket.bytesRead += 17;
    await clock.advance(40_000);
  }
  expect(socket.error).toBeUndefined();
});

it("ends a socket 45 to 50 s after its last byte, well below the 60 s in which a watch must resume", async () => {
  const clock = new ManualClock();
  const socket = new FakeSocket();
  watchForDeadPeer(socket, limits, clock);
  await clock.advance(10_001);
  socket.bytesRead = 100;
  await clock.advance(45_000);
  expect(socket.error).toBeUndefined();
  await clock.advance(5_000);
  expect(socket.error).toMatchObject({ code: "ETIMEDOUT" });
  expect(clock.pending).toBe(0);
});

it("leaves a peer the time to be heard when the process itself was held up", async () => {
  const clock = new ManualClock();
  let heldUpMs = 0;
  const socket = new FakeSocket();
  const heldUp = {
    after: (ms: number, callback: () => void) => clock.after(ms, callback),
    monotonicMs: () => clock.monotonicMs() + heldUpMs,
  };
  watchForDeadPeer(socket, limits, heldUp);
  await clock.advance(1_000);
  heldUpMs = 600_000;
  await clock.advance(43_000);
  expect(socket.error).toBeUndefined();
  await clock.advance(1_000);
  expect(socket.error).toMatchObject({ code: "ETIMEDOUT" });
});

it("leaves no timer behind when the socket closes by itself", () => {
  const clock = new ManualClock();
  const socket = new FakeSocket();
  watchForDeadPeer(socket, limits, clock);
  socket.emit("close");
  expect(clock.pending).toBe(0);
});
