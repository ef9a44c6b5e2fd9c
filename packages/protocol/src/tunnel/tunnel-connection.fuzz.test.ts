import * as fc from "fast-check";
import { expect, test } from "vitest";

import { arbitraryFrame, frameBytes } from "../testing/frame-samples.ts";
import { StrictHandler } from "../testing/recording-handler.ts";
import { RawPeer } from "../testing/recording-sink.ts";
import { initialWindowBytes } from "./frame.ts";

const seed = 20_260_117;
const request = { method: "POST", path: "/", headers: [] };

/** Frames of a stream, on one of a few streams that exist or not; the first stream is left alone. */
const someFrames = fc.array(
  fc
    .tuple(fc.integer({ min: 2, max: 7 }), arbitraryFrame)
    .filter(([, { body }]) => body.case !== "drain")
    .map(([stream, frame]) => ({ ...frame, stream })),
  { maxLength: 40 },
);

test("frames in any order end their own streams at most; a neighbour does not notice", () => {
  fc.assert(
    fc.property(someFrames, fc.boolean(), (frames, paused) => {
      const peer = new RawPeer({});
      const bystander = new StrictHandler();
      const others = Array.from({ length: 4 }, () => new StrictHandler());
      peer.tunnel.open(request, bystander);
      for (const handler of others) {
        handler.takesMore = !paused;
        peer.tunnel.open(request, handler, { hasBody: true });
      }
      peer.send({ stream: 1, body: { case: "headers", value: { status: 200 } } });
      for (const frame of frames) {
        peer.send(frame);
        peer.send({ stream: 1, body: { case: "data", value: Buffer.of(frame.stream) } });
      }
      peer.send({ stream: 1, body: { case: "end", value: {} } });
      expect(peer.tunnel.state).toBe("open");
      expect([...bystander.body]).toEqual(frames.map(({ stream }) => stream));
      expect(bystander).toMatchObject({ ends: [[]], errors: [] });
      expect(peer.tunnel.heldBytes).toBeLessThanOrEqual(others.length * initialWindowBytes);
      // Every frame is answered by one reset at most.
      expect(peer.read().filter(({ kind }) => kind === "reset").length).toBeLessThanOrEqual(frames.length);
    }),
    { seed, numRuns: 500 },
  );
});

test("an agent that is sent frames in any order answers or resets, and goes on", () => {
  fc.assert(
    fc.property(someFrames, (frames) => {
      const handlers: StrictHandler[] = [];
      const peer = new RawPeer({
        accept: (stream) => {
          const handler = new StrictHandler();
          handlers.push(handler);
          stream.sendHeaders({ status: 200, headers: [] });
          stream.write(Buffer.from("answer"));
          return handler;
        },
      });
      peer.send(...frames);
      expect(peer.tunnel.state).toBe("open");
      peer.read();
      peer.send({ stream: 100, body: { case: "open", value: { method: "GET", path: "/", end: true } } });
      expect(handlers.at(-1)?.ends).toEqual([[]]);
      const answer = peer.read().filter((event) => "stream" in event && event.stream === 100);
      expect(answer.map(({ kind }) => kind)).toEqual(["headers", "data"]);
    }),
    { seed, numRuns: 500 },
  );
});

test("any bytes leave a tunnel that is open, or closed with an error for each stream", () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(arbitraryFrame, fc.nat(), fc.nat(255)).map(([frame, at, byte]) => {
      const bytes = frameBytes(frame);
      bytes[at % bytes.length] = byte;
      return bytes;
    }),
  );
  fc.assert(
    fc.property(fc.array(noise, { maxLength: 10 }), (chunks) => {
      const peer = new RawPeer({});
      const handlers = Array.from({ length: 3 }, () => new StrictHandler());
      for (const handler of handlers) peer.tunnel.open(request, handler, { hasBody: true });
      for (const chunk of chunks) peer.sendBytes(chunk);
      const told = handlers.filter(({ errors }) => errors.length === 1).length;
      const closed = peer.tunnel.state === "closed";
      expect(told).toBeGreaterThanOrEqual(closed ? handlers.length : 0);
      expect(peer.tunnel.streams).toBe(handlers.length - told);
      expect(peer.clock.pending).toBe(closed ? 0 : 1);
    }),
    { seed, numRuns: 1000 },
  );
});
