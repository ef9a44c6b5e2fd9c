import { getEventListeners, once } from "node:events";
import { connect, createServer } from "node:net";

import { BowlineError, systemClock, type Clock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { ServerLinks } from "../session/server-links.ts";
import { ObservedCluster } from "../testing/observed-cluster.ts";
import { ReportServer } from "../testing/report-server.ts";
import { startScriptedServer, welcome, type ScriptedServer } from "../testing/scripted-server.ts";
import { openTestSession, silentLogger } from "../testing/session-fixture.ts";
import { ClusterReporter } from "./cluster-reporter.ts";

const service = { apiVersion: "v1", kind: "Service", spec: { ports: [{ port: 80 }] } };

const eventAbout = (uid: string, name: string): object => ({
  apiVersion: "v1",
  kind: "Event",
  involvedObject: { apiVersion: "v1", kind: "Service", namespace: "default", name, uid },
  type: "Warning",
  reason: "Trouble",
  message: `Something is wrong with ${name}, for the time being.`,
  count: 1,
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T00:00:00Z",
});

/** A cluster with one Service in one workload, and a server. */
class Stage {
  readonly cluster: ObservedCluster;
  readonly reports: ReportServer;
  server: ScriptedServer;
  /** Where the server is, or was. */
  url: string;
  readonly serviceUid: string;
  #events = 0;

  static async set(): Promise<Stage> {
    const cluster = await ObservedCluster.start();
    const { metadata } = cluster.create("services", service, { name: "web" });
    cluster.setWorkload("shop", "/Service default/web");
    const reports = new ReportServer();
    return new Stage(cluster, reports, metadata.uid, await startServer(reports));
  }

  private constructor(cluster: ObservedCluster, reports: ReportServer, uid: string, server: ScriptedServer) {
    this.cluster = cluster;
    this.reports = reports;
    this.serviceUid = uid;
    this.server = server;
    this.url = server.url;
  }

  /** The server is not there, whoever asks. */
  outage(): void {
    this.reports.hangUp();
    this.server.close();
  }

  async back(): Promise<void> {
    this.server = await startServer(this.reports);
    this.url = this.server.url;
  }

  /** Lets everything pass through a place where it is written down. */
  async capture(): Promise<readonly Buffer[]> {
    const sent: Buffer[] = [];
    const target = new URL(this.url);
    const relay = createServer((socket) => {
      const onward = connect(Number(target.port), target.hostname);
      socket.on("data", (chunk) => sent.push(chunk)).on("error", () => onward.destroy());
      onward.on("error", () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
    onTestFinished(() => void relay.close());
    const address = relay.address();
    if (typeof address === "object" && address !== null) this.url = `http://127.0.0.1:${address.port}`;
    return sent;
  }

  /** Makes events about the Service; resolves to how many there were so far. */
  makeEvents(count: number): number {
    for (let index = 0; index < count; index++) {
      this.#events += 1;
      this.cluster.create("events", eventAbout(this.serviceUid, "web"), { name: `web.${this.#events}` });
    }
    return this.#events;
  }

  /** An agent whose turn it is. */
  report(instance = "pod-1", clock: Clock = systemClock): Turn {
    const turn = new Turn(this, instance, clock);
    onTestFinished(() => turn.stop());
    return turn;
  }
}

function startServer(reports: ReportServer): Promise<ScriptedServer> {
  return startScriptedServer({
    session: async (call) => {
      await welcome(call);
      try {
        for await (const _ of call.messages);
      } catch {
        // The connection was cut.
      }
      call.end();
    },
    report: reports.answer,
  });
}

class Turn {
  readonly reporter: ClusterReporter;
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();
  readonly links: ServerLinks;

  constructor(stage: Stage, instance: string, clock: Clock) {
    const random = (): number => 0.99;
    this.links = new ServerLinks(
      {
        servers: () => [stage.url],
        open: (server, signal) => openTestSession(server, signal),
        refused: async () => false,
        clock: systemClock,
        random,
        logger: silentLogger,
      },
      this.#stop.signal,
    );
    const { client } = stage.cluster;
    this.reporter = new ClusterReporter({
      client,
      observesSecrets: true,
      links: this.links,
      instance,
      clock,
      random,
      logger: silentLogger,
      moreResources: () => [],
    });
    this.ended = this.reporter.work(this.#stop.signal);
  }

  async stop(reason = new BowlineError("Cancelled", "The agent is stopping.")): Promise<void> {
    this.#stop.abort(reason);
    await this.ended;
    await this.links.drain("Over.", 0);
  }
}

describe("the agent that reports", () => {
  test("tells everything that exists, that this is all, and then what changes", async () => {
    const stage = await Stage.set();
    stage.makeEvents(3);
    const { reporter } = stage.report();
    await expect.poll(() => [stage.reports.isComplete, stage.reports.events.size]).toEqual([true, 3]);
    expect([...stage.reports.objects.values()]).toMatchObject([{ ref: { name: "web" }, workload: "shop" }]);
    stage.makeEvents(1);
    await expect.poll(() => stage.reports.events.size).toBe(4);
    expect(reporter.status()).toMatchObject({
      isReporting: true,
      isComplete: true,
      workloads: 1,
      problems: [],
      queued: { items: 0, bytes: 0 },
      connectionProblem: undefined,
      counts: { refused: 0, dropped: 0, epochs: 1 },
    });
    expect(reporter.status().lastAcknowledgedAt).toBeDefined();
  });

  test("started again, it tells the same events with the same counts, and what went meanwhile is swept", async () => {
    const stage = await Stage.set();
    stage.makeEvents(20);
    const first = stage.report();
    await expect.poll(() => [stage.reports.isComplete, stage.reports.events.size]).toEqual([true, 20]);
    await first.stop();
    const [before, epoch] = [[...stage.reports.events.keys()].sort(), stage.reports.epoch];
    stage.report();
    await expect.poll(() => stage.reports.epoch > epoch && stage.reports.isComplete).toBe(true);
    await expect.poll(() => stage.reports.stories.length).toBe(40);
    expect([...stage.reports.events.keys()].sort()).toEqual(before);
    expect(new Set(stage.reports.stories).size).toBe(20);
  });

  test("another agent takes over without a gap", async () => {
    const stage = await Stage.set();
    const first = stage.report("pod-1");
    await expect.poll(() => stage.reports.isComplete).toBe(true);
    // It has lost the Lease: nothing more is to come from it.
    await first.stop(new BowlineError("Timeout", "Could not renew the lease."));
    stage.makeEvents(5);
    stage.report("pod-2");
    await expect.poll(() => stage.reports.events.size).toBe(5);
    expect(stage.reports.instance).toBe("pod-2");
  });

  test("an outage of the server loses no event, tells none twice, and takes a bounded amount of memory", async () => {
    const stage = await Stage.set();
    const { reporter } = stage.report();
    stage.makeEvents(10);
    await expect.poll(() => stage.reports.events.size).toBe(10);
    stage.outage();
    // Five minutes at fifty a second, and more than there is room for.
    let made = 0;
    let mostBytes = 0;
    while (made < 40_000) {
      made = stage.makeEvents(1_000);
      await new Promise((resolve) => setImmediate(resolve));
      mostBytes = Math.max(mostBytes, reporter.status().queued.bytes);
    }
    await expect.poll(() => reporter.status().deferred).toBeGreaterThan(1_000);
    expect(mostBytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    await stage.back();
    await expect.poll(() => stage.reports.events.size).toBe(made);
    expect([stage.reports.stories.length, new Set(stage.reports.stories).size]).toEqual([made, made]);
    expect(reporter.status()).toMatchObject({ deferred: 0, counts: { dropped: 0, epochs: 1 } });
  }, 120_000);

  test("a server that has lost what it was told is told everything anew, in a later epoch", async () => {
    const stage = await Stage.set();
    const { reporter } = stage.report();
    await expect.poll(() => stage.reports.isComplete).toBe(true);
    const before = reporter.status().epoch;
    stage.reports.lose();
    await expect.poll(() => stage.reports.isComplete && stage.reports.objects.size).toBe(1);
    expect(Number(stage.reports.epoch)).toBeGreaterThan(Number(before));
    expect(reporter.status().counts.epochs).toBe(2);
  });

  test("a server that refuses reports is asked again and again, over the same session and with nothing left behind", async () => {
    const stage = await Stage.set();
    const { answer } = stage.reports;
    let refusals = 0;
    stage.server.script.report = (call) => {
      refusals += 1;
      call.fail(new BowlineError("ServerUnavailable", "The database is away."));
    };
    const turn = stage.report();
    await expect.poll(() => refusals).toBeGreaterThan(4);
    expect(turn.reporter.status().connectionProblem).toBe("The database is away.");
    const { leaving } = await turn.links.session(new AbortController().signal);
    expect(getEventListeners(leaving, "abort").length).toBeLessThanOrEqual(1);
    stage.server.script.report = answer;
    await expect.poll(() => stage.reports.isComplete).toBe(true);
    expect(turn.reporter.status().connectionProblem).toBeUndefined();
  });

  test("an agent whose clock is behind that of the one before gets ahead of it", async () => {
    const stage = await Stage.set();
    stage.reports.epoch = BigInt(Date.now() + 200_000);
    stage.report();
    await expect.poll(() => stage.reports.isComplete).toBe(true);
    expect(stage.reports.begins).toBeLessThan(6);
  });

  test("what was observed when it is stopped is sent before it ends", async () => {
    const stage = await Stage.set();
    const turn = stage.report();
    await expect.poll(() => stage.reports.isComplete).toBe(true);
    stage.reports.acknowledges = false;
    stage.reports.maxUnacknowledged = 1;
    stage.makeEvents(3);
    const observed = (): number => {
      const { counts, queued } = turn.reporter.status();
      return counts.items + queued.items;
    };
    // The Service was one of them.
    await expect.poll(observed).toBe(4);
    const stopped = turn.stop();
    stage.reports.acknowledge();
    await stopped;
    expect(stage.reports.events.size).toBe(3);
    expect(turn.reporter.status()).toMatchObject({ isReporting: false });
  });

  test("an agent that may not read Workloads says nothing, not even that there is nothing", async () => {
    const stage = await Stage.set();
    const refusals = stage.cluster.sim.faults.failRequests({ resource: "workloads.bowline.dev", code: 403 });
    const { reporter } = stage.report();
    await expect
      .poll(() => reporter.status().problems.map(({ kind }) => kind))
      .toEqual(["bowline.dev/Workload"]);
    expect(stage.reports.begins).toBe(0);
    expect(refusals.hits).toBeLessThan(5);
    refusals.remove();
    await expect.poll(() => stage.reports.isComplete).toBe(true);
  });

  test("no value of a Secret, an environment or a last-applied configuration is in the bytes that leave", async () => {
    const stage = await Stage.set();
    const canary = "CANARY-7f3a";
    const lastApplied = { "kubectl.kubernetes.io/last-applied-configuration": `{"data":"${canary}"}` };
    const metadata = { annotations: { ...lastApplied, note: canary }, labels: { note: canary } };
    const data = { password: Buffer.from(canary).toString("base64") };
    stage.cluster.create("secrets", { kind: "Secret", data }, { name: "keys", ...metadata });
    const env = [{ name: "PASSWORD", value: canary }];
    const spec = { containers: [{ name: "a", image: "a:1", env, args: [canary] }] };
    stage.cluster.create("pods", { kind: "Pod", spec }, { name: "web-1", ...metadata });
    stage.cluster.setWorkload("shop", "/Secret default/keys", "/Pod default/web-1", "/Service default/web");
    const sent = await stage.capture();
    stage.report();
    await expect.poll(() => stage.reports.objects.size).toBe(3);
    const text = Buffer.concat(sent).toString("latin1");
    // What is not secret is there to be read, so that the search below can find something.
    expect(text).toContain("web-1");
    expect(text).not.toContain(canary);
    expect(text).not.toContain(data.password);
  });

  test("nothing is left behind, wherever it is stopped", async () => {
    const stage = await Stage.set();
    for (let turns = 0; turns < 5; turns++) {
      const clock = new ManualClock(Date.now() + turns * 1000);
      const turn = stage.report(`pod-${turns}`, clock);
      for (let count = 0; count < turns * 8; count++) await new Promise((resolve) => setImmediate(resolve));
      await turn.stop(new BowlineError("Timeout", "Lost."));
      expect(clock.pending).toBe(0);
    }
    await expect.poll(() => stage.cluster.sim.openWatches).toBe(0);
  });
});
