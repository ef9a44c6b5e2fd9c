import { describe, expect, test } from "vitest";

import { checkMetricName, Metrics, type MetricKind } from "./metrics.ts";

const build = { version: "1.2.3", revision: "abc" };

async function linesOf(metrics: Metrics): Promise<string[]> {
  const text = await metrics.text();
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

describe("Metrics", () => {
  test("says what was built", async () => {
    expect(await linesOf(new Metrics(build))).toEqual([
      `bowline_build_info{version="1.2.3",revision="abc"} 1`,
    ]);
  });

  test("counts by label, in the text format of Prometheus", async () => {
    const metrics = new Metrics(build);
    const requests = metrics.counter({
      name: "bowline_requests_total",
      help: "Requests served.",
      labelNames: ["method", "code"],
    });
    requests.inc({ method: "GET", code: 200 }, 2);
    // @ts-expect-error a label that was not declared
    expect(() => requests.inc({ verb: "GET" })).toThrow("verb");
    expect(await linesOf(metrics)).toContain(`bowline_requests_total{method="GET",code="200"} 2`);
    expect(await metrics.text()).toContain("# TYPE bowline_requests_total counter");
    expect(metrics.contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  test("reads a gauge when it is asked for", async () => {
    const metrics = new Metrics(build);
    let connected = 1;
    const collect = (gauge: { set: (value: number) => void }): void => gauge.set(connected);
    metrics.gauge({ name: "bowline_agents_connected", help: "Agents connected.", collect });
    expect(await linesOf(metrics)).toContain("bowline_agents_connected 1");
    connected = 2;
    expect(await linesOf(metrics)).toContain("bowline_agents_connected 2");
  });

  test("takes what was gathered for a histogram when it is read", async () => {
    const metrics = new Metrics(build);
    const gathered = [1, 2];
    const duration = metrics.histogram({
      name: "bowline_sync_duration_seconds",
      help: "Time to sync.",
      buckets: [1],
      collect: () => {
        for (const seconds of gathered.splice(0)) duration.observe(seconds);
      },
    });
    expect(await linesOf(metrics)).toContain("bowline_sync_duration_seconds_sum 3");
    expect(await linesOf(metrics)).toContain("bowline_sync_duration_seconds_count 2");
  });

  test("sorts observations into buckets", async () => {
    const metrics = new Metrics(build);
    const duration = metrics.histogram({
      name: "bowline_sync_duration_seconds",
      help: "Time to sync.",
      buckets: [1, 10],
    });
    duration.observe(5);
    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        `bowline_sync_duration_seconds_bucket{le="1"} 0`,
        `bowline_sync_duration_seconds_bucket{le="10"} 1`,
        "bowline_sync_duration_seconds_sum 5",
      ]),
    );
  });

  test("checks every name", () => {
    const metrics = new Metrics(build);
    const help = "Wrong.";
    expect(() => metrics.counter({ name: "bowline_requests", help })).toThrow("_total");
    expect(() => metrics.gauge({ name: "agents", help })).toThrow("bowline_");
    expect(() => metrics.histogram({ name: "bowline_wait_ms", help, buckets: [1] })).toThrow("seconds");
  });

  test("two of them do not see each other", async () => {
    const [first, second] = [new Metrics(build), new Metrics(build)];
    const options = { name: "bowline_requests_total", help: "Requests served." };
    first.counter(options).inc();
    second.counter(options).inc(5);
    expect(await linesOf(first)).toContain("bowline_requests_total 1");
    expect(await linesOf(second)).toContain("bowline_requests_total 5");
    expect(() => first.counter(options)).toThrow("already been registered");
  });

  test("adds the metrics of the process on request", async () => {
    const metrics = new Metrics(build);
    expect(await metrics.text()).not.toContain("process_");
    metrics.collectProcessMetrics();
    expect(await metrics.text()).toMatch(/^process_resident_memory_bytes \d+$/m);
  });

  test("wakes a process at rest only a few times a second to see how late its event loop is", async () => {
    const metrics = new Metrics(build);
    metrics.collectProcessMetrics();
    // The histogram has the time from one look to the next, of those since it was last read.
    const atLeast = async (): Promise<number> => {
      const [, min, max] =
        /^nodejs_eventloop_lag_min_seconds (\S+)[^]*^nodejs_eventloop_lag_max_seconds (\S+)/mu.exec(
          await metrics.text(),
        ) ?? [];
      return Number(max) === 0 ? 0 : Number(min);
    };
    await expect.poll(atLeast, { interval: 500 }).toBeGreaterThan(0.04);
  });
});

describe("checkMetricName", () => {
  test.each<[MetricKind, string]>([
    ["counter", "bowline_tunnel_requests_total"],
    ["counter", "bowline_tunnel_received_bytes_total"],
    ["gauge", "bowline_agents_connected"],
    ["gauge", "bowline_cache_size_bytes"],
    ["gauge", "bowline_build_info"],
    ["histogram", "bowline_reconcile_duration_seconds"],
    ["counter", "workqueue_retries_total"],
    ["gauge", "workqueue_depth"],
    ["histogram", "controller_runtime_reconcile_time_seconds"],
  ])("accepts the %s %s", (kind, name) => {
    expect(() => checkMetricName(kind, name, ["controller"])).not.toThrow();
  });

  test.each<[MetricKind, string, RegExp]>([
    ["counter", "requests_total", /bowline_/],
    ["counter", "workqueue_invented_total", /bowline_/],
    ["counter", "bowline_tunnelRequests_total", /snake case/],
    ["counter", "bowline_requests", /_total/],
    ["gauge", "bowline_agents_total", /_total/],
    ["histogram", "bowline_latency_ms", /seconds/],
    ["counter", "bowline_waited_milliseconds_total", /seconds/],
    ["gauge", "bowline_cpu_percent", /ratio/],
    ["histogram", "bowline_reconcile_duration", /_seconds/],
    ["gauge", "bowline_agents_count", /histogram/],
  ])("refuses the %s %s", (kind, name, complaint) => {
    const expected = expect.objectContaining({
      code: "InvalidArgument",
      message: expect.stringMatching(complaint),
    });
    expect(() => checkMetricName(kind, name, [])).toThrow(expected);
  });

  test.each(["le", "podName", "__name__", ""])("refuses the label %j", (label) => {
    expect(() => checkMetricName("gauge", "bowline_agents_connected", ["ok", label])).toThrow(
      `label "${label}"`,
    );
  });
});
