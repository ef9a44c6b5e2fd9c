import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { KubeSocket, type KubeSocketOptions } from "./testing/kube-socket.ts";

let sim: Kubesim;
let clock: ManualClock;
const name = { namespace: "default", name: "web" };

beforeEach(async () => {
  clock = new ManualClock();
  sim = await startKubesim({ tls: false, nodes: 1, clock });
  sim.api.create("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "db", namespace: "default" },
    data: { password: Buffer.from("hunter2").toString("base64") },
  });
  sim.api.create("pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: name,
    spec: { containers: [{ name: "app", image: "nginx", env: environment }] },
  });
  await pass(5_000);
});
afterEach(() => sim.stop());

const environment = [
  { name: "MODE", value: "demo" },
  { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "db", key: "password" } } },
  { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
];

async function pass(ms: number): Promise<void> {
  await sim.settled();
  await clock.advance(ms);
  await sim.settled();
}

function path(command: readonly string[], query = "stdin=true&stdout=true&stderr=true"): string {
  const words = command.map((word) => `command=${encodeURIComponent(word)}`);
  return `/api/v1/namespaces/default/pods/web/exec?${[...words, query].join("&")}`;
}

async function open(at: string, options: Partial<KubeSocketOptions> = {}): Promise<KubeSocket> {
  const { url, caCert, adminToken: token } = sim;
  const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
  const socket = await KubeSocket.open({ url, caCert, token, path: at, protocols, ...options });
  onTestFinished(() => socket[Symbol.dispose]());
  return socket;
}

interface Ended {
  readonly out: string;
  readonly err: string;
  readonly status: unknown;
}

/** Everything that came, by channel. */
async function ended(socket: KubeSocket): Promise<Ended> {
  const texts = ["", "", "", ""];
  for (let message = await socket.next(); message !== undefined; message = await socket.next()) {
    const channel = message.data[0] ?? 0;
    texts[channel] += message.data.subarray(1).toString();
  }
  expect(await socket.closed).toBe(1000);
  const [, out = "", err = "", status = ""] = texts;
  return { out, err, status: JSON.parse(status) };
}

const succeeded = { metadata: {}, status: "Success" };
const failed = (code: number): unknown =>
  expect.objectContaining({
    status: "Failure",
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  });

describe("a command", () => {
  it.each([
    [["hostname"], "web\n"],
    [["cat", "/etc/hostname"], "web\n"],
    [["printenv", "MODE", "POD"], "demo\nweb\n"],
    [["sh", "-c", "cd /etc && pwd; echo \"$MODE-$?\" '$MODE' 2>/dev/null"], "/etc\ndemo-0 $MODE\n"],
    [["sh", "-c", "false || echo rescued; exit"], "rescued\n"],
    [["date"], "Thu, 01 Jan 2026"],
    [["ls", "/etc"], "hostname\nhosts\nos-release\npasswd\nresolv.conf\n"],
  ])("%j prints %j", async (command, printed) => {
    const { out, err, status } = await ended(await open(path(command)));
    expect({ out: command[0] === "date" ? out.slice(0, 16) : out, err, status }).toEqual({
      out: printed,
      err: "",
      status: succeeded,
    });
  });

  it("tells nobody what is in a Secret", async () => {
    const { out } = await ended(await open(path(["env"])));
    expect(out).toContain("PASSWORD=(a value of a Secret");
    expect(out).not.toContain("hunter2");
  });

  it("that fails says so by its code, and on its own stream", async () => {
    expect(await ended(await open(path(["sh", "-c", "echo problem >&2; exit 5"])))).toEqual({
      out: "",
      err: "problem\n",
      status: failed(5),
    });
    expect(await ended(await open(path(["sh", "-c", "nonsense"])))).toEqual({
      out: "",
      err: "sh: nonsense: not found\n",
      status: failed(127),
    });
  });

  it("that is not there is no failure of a command", async () => {
    expect((await ended(await open(path(["nonsense"])))).status).toMatchObject({
      status: "Failure",
      reason: "InternalError",
      message: expect.stringContaining('exec: "nonsense": executable file not found in $PATH'),
    });
    expect((await ended(await open(path([])))).status).toMatchObject({ reason: "InternalError" });
  });

  it("reads its input to the end that the client gives it", async () => {
    const socket = await open(path(["cat"]));
    socket.send(Buffer.from("\0one\n"));
    socket.send(Buffer.from("\0two"));
    socket.send(Buffer.from([255, 0]));
    expect(await ended(socket)).toEqual({ out: "one\ntwo", err: "", status: succeeded });
  });

  it("without input has none", async () => {
    const socket = await open(path(["cat"], "stdout=true"));
    expect(await socket.next()).toEqual({ isText: false, data: Buffer.from([1]) });
    expect(await ended(socket)).toMatchObject({ out: "", status: succeeded });
  });

  it("takes lines one by one", async () => {
    const socket = await open(path(["sh", "-c", 'read -r line; echo "you said $line"; exit 5']));
    socket.send(Buffer.from("\0hello\n"));
    expect(await ended(socket)).toEqual({ out: "you said hello\n", err: "", status: failed(5) });
  });

  it("ends with its container", async () => {
    const socket = await open(path(["sleep", "600"]));
    await socket.next();
    sim.nodes?.kill(name, { exitCode: 2 });
    await pass(5_000);
    expect((await ended(socket)).status).toEqual(failed(137));
  });

  it("ends after its time", async () => {
    const socket = await open(path(["sh", "-c", "sleep 10; echo done"]));
    await socket.next();
    await pass(10_000);
    expect(await ended(socket)).toMatchObject({ out: "done\n", status: succeeded });
  });
});

describe("a shell in a terminal", () => {
  const terminal = "stdin=true&stdout=true&stderr=true&tty=true";
  const best = "command -v bash >/dev/null 2>&1 && exec bash; exec sh";

  it("shows what is typed, and what comes of it", async () => {
    const socket = await open(path(["sh", "-c", best], terminal));
    socket.send(Buffer.concat([Buffer.from([4]), Buffer.from(JSON.stringify({ Width: 80, Height: 24 }))]));
    for (const typed of ["echp\u007Fo hi\r", "\u0003", "exit 3\r"]) socket.send(Buffer.from(`\0${typed}`));
    expect(await ended(socket)).toEqual({
      out: "root@web:/# echp\b \bo hi\r\nhi\r\nroot@web:/# ^C\r\nroot@web:/# exit 3\r\n",
      err: "",
      status: failed(3),
    });
  });

  it("recalls lines, and ends with Ctrl-D", async () => {
    const socket = await open(path(["sh"], terminal));
    for (const typed of ["pwd\r", "\u001B[A\r", "\u0004"]) socket.send(Buffer.from(`\0${typed}`));
    const { out, status } = await ended(socket);
    expect(out).toBe("/ # pwd\r\n/\r\n/ # pwd\r\n/\r\n/ # ");
    expect(status).toEqual(succeeded);
  });

  it("is not there in an image without one", async () => {
    sim.api.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "default", name: "bare" },
      spec: { containers: [{ name: "app", image: "gcr.io/distroless/static" }] },
    });
    await pass(5_000);
    const socket = await open(path(["sh", "-c", best], terminal).replace("pods/web", "pods/bare"));
    expect((await ended(socket)).status).toMatchObject({ message: expect.stringContaining('exec: "sh"') });
  });
});

describe("a command in a container that does not run", () => {
  beforeEach(async () => {
    sim.nodes?.behaviour({ name: "web" }, { kind: "crash-loop", runSeconds: 1 });
    await pass(2_000);
  });

  it("is refused over the WebSocket where the server can, else as an answer", async () => {
    const { status } = await ended(await open(path(["sh"])));
    expect(status).toMatchObject({
      code: 500,
      message: 'Internal error occurred: unable to upgrade connection: container not found ("app")',
    });
    await expect(open(path(["sh"]), { protocols: ["v4.channel.k8s.io"] })).rejects.toMatchObject({
      status: 500,
      body: 'container not found ("app")',
    });
  });
});

it("a command of nobody's streams is refused", async () => {
  const protocols = ["v4.channel.k8s.io"];
  await expect(open(path(["ls"], ""), { protocols })).rejects.toMatchObject({ status: 400 });
  await expect(open(path(["ls"]), { protocols: ["binary.k8s.io"] })).rejects.toMatchObject({ status: 403 });
});

it("base64 is for clients that cannot do bytes", async () => {
  const socket = await open(path(["hostname"]), { protocols: ["v4.base64.channel.k8s.io"] });
  expect(await socket.next()).toEqual({ isText: true, data: Buffer.from("1") });
  expect((await socket.next())?.data.toString()).toBe(`1${Buffer.from("web\n").toString("base64")}`);
});
