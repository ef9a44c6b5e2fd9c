import { BowlineError, Metrics } from "@bowline/core";
import { expect, test } from "vitest";

import { ProxyMetrics } from "./proxy-metrics.ts";

async function linesOf(metrics: Metrics): Promise<string[]> {
  return (await metrics.text()).split("\n").filter((line) => line.startsWith("bowline_proxy_"));
}

test("counts requests and bytes by cluster, as of the moment somebody looks", async () => {
  const metrics = new Metrics({ version: "1", revision: "1" });
  const proxy = new ProxyMetrics(metrics, () => ({ requests: 1, streams: 2, upgrades: 3 }));
  const figures = { cluster: "prod", status: 200, requestBytes: 1, answerBytes: 10 };
  proxy.ended(figures);
  proxy.ended(figures);
  proxy.ended({ ...figures, status: 503 });
  proxy.ended({ ...figures, status: 0 });
  proxy.failed(new BowlineError("AgentOffline", "Gone."));
  proxy.auditDropped(5);
  const expected = [
    'bowline_proxy_open{type="request"} 1',
    'bowline_proxy_open{type="stream"} 2',
    'bowline_proxy_open{type="upgrade"} 3',
    'bowline_proxy_requests_total{cluster="prod",code="none"} 1',
    'bowline_proxy_requests_total{cluster="prod",code="2xx"} 2',
    'bowline_proxy_requests_total{cluster="prod",code="5xx"} 1',
    'bowline_proxy_bytes_total{cluster="prod",direction="in"} 4',
    'bowline_proxy_bytes_total{cluster="prod",direction="out"} 40',
    'bowline_proxy_failures_total{reason="AgentOffline"} 1',
    "bowline_proxy_audit_dropped_total 5",
  ];
  expect(await linesOf(metrics)).toEqual(expected);
  expect(await linesOf(metrics)).toEqual(expected);
});

test("has no more series than it may, however many clusters there are", async () => {
  const metrics = new Metrics({ version: "1", revision: "1" });
  const proxy = new ProxyMetrics(metrics, () => ({ requests: 0, streams: 0, upgrades: 0 }));
  for (let count = 0; count < 2_000; count += 1) {
    proxy.ended({ cluster: `c-${count}`, status: 200, requestBytes: 0, answerBytes: 0 });
  }
  const lines = (await linesOf(metrics)).filter((line) => line.startsWith("bowline_proxy_requests_total"));
  expect(lines).toHaveLength(501);
  expect(lines).toContain('bowline_proxy_requests_total{cluster="other",code="2xx"} 1500');
});
