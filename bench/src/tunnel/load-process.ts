/** A client as cheap as can be, so that what is measured is the way to the backend and not the client. */
import type { Socket } from "node:net";

import { answerCommands } from "../measure-process.ts";
import { percentile } from "../median.ts";
import { AnswerCounter } from "./answer-counter.ts";
import { headOf, openConnection } from "./connection.ts";
import type { LoadOrder, LoadResult, TransferOrder } from "./load-order.ts";
import { bulkBytes, bulkPath, smallPath, uploadPath, type Target } from "./target.ts";

/** Calls back for every complete answer; rejects when the connection ends before it is told to. */
function answersOn(socket: Socket, onAnswer: (finish: () => void) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const counter = new AnswerCounter();
  const finish = (): void => {
    resolve();
    socket.destroy();
  };
  socket.on("data", (chunk: Buffer) => {
    try {
      if (counter.receive(chunk)) onAnswer(finish);
    } catch (error) {
      reject(error);
    }
  });
  socket.on("error", reject);
  socket.on("close", () => reject(new Error("The connection was closed early.")));
  return promise;
}

async function load({ target, connections, durationMs }: LoadOrder): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => openConnection(target)));
  const request = headOf(target, { method: "GET", path: smallPath });
  const latenciesMs: number[] = [];
  const startedAtMs = performance.now();
  const untilMs = startedAtMs + durationMs;
  const hammer = (socket: Socket): Promise<void> => {
    let sentAtMs = performance.now();
    socket.write(request);
    return answersOn(socket, (finish) => {
      const nowMs = performance.now();
      latenciesMs.push(nowMs - sentAtMs);
      if (nowMs > untilMs) return finish();
      sentAtMs = nowMs;
      socket.write(request);
    });
  };
  await Promise.all(sockets.map(hammer));
  return {
    requests: latenciesMs.length,
    requestsPerSecond: latenciesMs.length / ((performance.now() - startedAtMs) / 1000),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

async function download(target: Target): Promise<void> {
  const socket = await openConnection(target);
  socket.write(headOf(target, { method: "GET", path: bulkPath }));
  await answersOn(socket, (finish) => finish());
}

const uploaded = Buffer.alloc(64 * 1024, "u");

async function upload(target: Target): Promise<void> {
  const socket = await openConnection(target);
  const answered = answersOn(socket, (finish) => finish());
  socket.write(headOf(target, { method: "PUT", path: uploadPath, bodyBytes: bulkBytes }));
  let left = bulkBytes;
  const pour = (): void => {
    while (left > 0 && !socket.destroyed) {
      const chunk = left < uploaded.length ? uploaded.subarray(0, left) : uploaded;
      left -= chunk.length;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on("drain", pour);
  pour();
  await answered;
}

/** Megabytes per second, all of them together. */
async function transfer({ target, direction, atOnce }: TransferOrder): Promise<number> {
  const startedAtMs = performance.now();
  const one = direction === "down" ? download : upload;
  await Promise.all(Array.from({ length: atOnce }, () => one(target)));
  return (atOnce * bulkBytes) / 1e6 / ((performance.now() - startedAtMs) / 1000);
}

const stalled: Socket[] = [];

/** Asks for 100 MB and reads none of it. */
async function stall(target: Target): Promise<void> {
  const socket = await openConnection(target);
  socket.pause();
  socket.on("error", () => {});
  socket.write(headOf(target, { method: "GET", path: bulkPath }));
  stalled.push(socket);
}

answerCommands({
  load,
  transfer,
  stall,
  endStall: async () => {
    for (const socket of stalled.splice(0)) socket.destroy();
  },
});
