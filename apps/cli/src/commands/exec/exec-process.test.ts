import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { expect, onTestFinished, test } from "vitest";

import { PodsBehindServer } from "../../testing/pods-behind-server.ts";

const program = fileURLToPath(new URL("../../main.ts", import.meta.url));

test("standard input of the process reaches the command, bytes stay bytes, and its end ends the process", async () => {
  await using server = await PodsBehindServer.start("east");
  server.set("east", "b", "app", { id: "1", state: { running: {} }, lines: [] });
  server.onExec("east", "b", (socket) => {
    const received: Buffer[] = [];
    socket.onMessage((channel, bytes) => {
      if (channel === 0) received.push(bytes);
      if (channel !== 255) return;
      socket.send(1, Buffer.concat(received).toString("hex"));
      socket.send(3, JSON.stringify({ status: "Success" }));
    });
  });
  const child = spawn(process.execPath, [program, "exec", "web", "-i", "--", "xxd"], {
    env: { PATH: process.env["PATH"], ...server.environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end(Buffer.from([0, 255, 10, 128]));
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  expect({ out, error, code }).toEqual({ out: "00ff0a80", error: "In east/b/app:\n", code: 0 });
});

test("a process whose input goes on ends with the command", async () => {
  await using server = await PodsBehindServer.start("east");
  server.set("east", "b", "app", { id: "1", state: { running: {} }, lines: [] });
  server.onExec("east", "b", (socket) => {
    const causes = [{ reason: "ExitCode", message: "7" }];
    socket.send(3, JSON.stringify({ status: "Failure", reason: "NonZeroExitCode", details: { causes } }));
  });
  const child = spawn(process.execPath, [program, "exec", "web", "-i", "--", "false"], {
    env: { PATH: process.env["PATH"], ...server.environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined);
  const [error, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect({ error, code }).toEqual({ error: "In east/b/app:\n", code: 7 });
});
