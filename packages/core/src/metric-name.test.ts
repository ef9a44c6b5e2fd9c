import { describe, expect, test } from "vitest";

import { checkMetricName, type MetricKind } from "./metric-name.ts";

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
