import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { PodsBehindServer } from "../../testing/pods-behind-server.ts";
import { runBowline, type Ran, type RunBowlineOptions } from "../../testing/run-bowline.ts";

const running = { id: "1", state: { running: {} }, lines: [] };
const success = JSON.stringify({ status: "Success" });
const failure = (code: string): string =>
  JSON.stringify({
    status: "Failure",
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: code }] },
  });

let server: PodsBehindServer;
beforeEach(async () => {
  server = await PodsBehindServer.start("east");
  server.set("east", "a", "broken", { id: "", state: { waiting: {} }, lines: [] });
  server.set("east", "b", "app", running);
  server.set("east", "b", "side", running);
});
afterEach(() => server[Symbol.asyncDispose]());

function exec(args: readonly string[], options: RunBowlineOptions = {}): Promise<Ran> {
  return runBowline(["exec", ...args], { environment: server.environment, ...options });
}

describe("exec", () => {
  test("runs a command in a pod that runs, and ends with its exit code", async () => {
    server.onExec("east", "b", (socket) => {
      socket.send(1, "out\n");
      socket.send(2, "err\n");
      socket.send(3, failure("42"));
    });
    const ran = await exec(["wi/web", "--", "sh", "-c", "exit 42 & echo"]);
    expect(ran).toMatchObject({ code: 42, out: "out\n", error: "In east/b/app:\nerr\n" });
    expect(server.upgrades).toEqual([
      "/clusters/east/api/v1/namespaces/shop/pods/b/exec?container=app&stdout=true&stderr=true&command=sh&command=-c&command=exit+42+%26+echo",
    ]);
  });

  test("passes input on, and says where it ends", async () => {
    server.onExec("east", "b", (socket) => {
      socket.onMessage((channel, bytes) => {
        if (channel === 0) socket.send(1, bytes.toString().toUpperCase());
        else if (channel === 255) socket.send(3, bytes[0] === 0 ? success : failure("1"));
      });
    });
    const terminal = new FakeTerminal({ stdin: "abc" });
    const ran = await exec(["web", "-i", "-c", "side", "--", "cat"], { terminal });
    expect(ran).toMatchObject({ code: 0, out: "ABC", error: "In east/b/side:\n" });
    expect(terminal.inputs).toEqual(["plain", "closed"]);
  });

  test("gives the command a terminal, with its size as it changes", async () => {
    const sizes: string[] = [];
    const terminal = new FakeTerminal({ isTty: true, columns: 120, answers: [], stdin: "x" });
    server.onExec("east", "b", (socket) => {
      socket.onMessage((channel, bytes) => {
        if (channel !== 4) return;
        sizes.push(bytes.toString());
        if (sizes.length === 1) for (const resize of terminal.resized) resize({ columns: 90, rows: 30 });
        if (sizes.length === 2) socket.send(3, success);
      });
    });
    const ran = await exec(["web", "-it", "--", "sh"], { terminal });
    expect(ran.code).toBe(0);
    expect(sizes).toEqual(['{"Width":120,"Height":24}', '{"Width":90,"Height":30}']);
    expect(terminal.inputs).toEqual(["raw", "closed"]);
    expect(server.upgrades[0]).toContain("stdin=true&tty=true&command=sh");
  });

  test("says so when there is no terminal to give", async () => {
    server.onExec("east", "b", (socket) => socket.send(3, success));
    const ran = await exec(["web", "-t", "--", "sh"]);
    expect(ran).toMatchObject({
      code: 0,
      error: "In east/b/app:\nThere is no terminal here to give to the command.\n",
    });
    expect(server.upgrades[0]).not.toContain("tty");
  });

  test("fails when the connection is lost, the command cannot be run, or nobody may run any", async () => {
    server.onExec("east", "b", (socket) => socket.cut());
    expect(await exec(["web", "--", "sh"])).toMatchObject({
      code: 1,
      error: "In east/b/app:\nerror: The connection was lost before the command ended.\n",
    });
    const status = JSON.stringify({ status: "Failure", reason: "InternalError", message: "no such file" });
    server.onExec("east", "b", (socket) => socket.send(3, status));
    expect((await exec(["web", "--", "sh"])).error).toContain("The command could not be run: no such file");
    server.set("east", "c", "app", running);
    expect(await exec(["web", "--pod", "c", "--", "sh"])).toMatchObject({
      code: 1,
      error: "In east/c/app:\nerror: you may not run commands here\n",
    });
  });

  test("tells a cluster that offers no exec from a pod that is gone", async () => {
    server.withoutExec.set("east", "the server could not find the requested resource");
    expect((await exec(["web", "--", "sh"])).error).toMatch(
      /^In east\/b\/app:\nerror: The API server of the cluster east offers no exec for the pod b\. /u,
    );
    server.withoutExec.set("east", 'pods "b" not found');
    expect((await exec(["web", "--", "sh"])).error).toBe('In east/b/app:\nerror: pods "b" not found\n');
  });

  test("ends when it is interrupted", async () => {
    const stopping = new AbortController();
    server.onExec("east", "b", () => stopping.abort());
    expect(await exec(["web", "--", "sleep", "60"], { signal: stopping.signal })).toMatchObject({
      code: 130,
    });
  });

  test("does not leave a command of an old cluster waiting for the end of its input", async () => {
    server.protocol = "v4.channel.k8s.io";
    server.onExec("east", "b", (socket) => socket.send(3, success));
    expect((await exec(["web", "-i", "--", "cat"])).error).toContain("older than Kubernetes 1.30");
    expect((await exec(["web", "--", "true"])).code).toBe(0);
  });

  test.each([
    [["--pod", "nope"], "has no pod nope in east"],
    [["--pod", "a"], "No container runs in the pod a."],
    [["-c", "nope"], "No container nope runs in the pod b; these do: app, side."],
  ])("refuses %j", async (flags, message) => {
    const ran = await exec(["web", ...flags, "--", "sh"]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.error).toContain(message);
  });
});
