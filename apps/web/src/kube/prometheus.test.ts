import { describe, expect, test } from "vitest";

import { findPrometheus, parseService, printService, rangePath, readRange } from "./prometheus.ts";

const range = { query: "up", startMs: 1_000_000, endMs: 1_030_000, stepMs: 10_000 };

function answer(result: unknown, more: object = {}): unknown {
  return { status: "success", data: { resultType: "matrix", result }, ...more };
}

describe("an answer over time", () => {
  test("becomes lines over one axis, with holes where there is no sample", () => {
    const chart = readRange(
      answer([
        {
          metric: { __name__: "up", job: "web" },
          values: [
            [1_000, "1"],
            [1_020, "0.5"],
          ],
        },
        { metric: {}, values: [[1_030, "7"]] },
      ]),
      range,
    );
    expect(chart).toEqual({
      times: [1_000, 1_010, 1_020, 1_030],
      series: [
        { name: 'up{job="web"}', values: [1, null, 0.5, null] },
        { name: "value", values: [null, null, null, 7] },
      ],
      seriesCount: 2,
      warnings: [],
    });
  });

  test("that is hostile has holes and no surprises", () => {
    const chart = readRange(
      answer(
        [
          {
            metric: JSON.parse('{"__proto__": {"polluted": "yes"}, "a": "\\"}</script>"}'),
            values: [
              [1_000, "NaN"],
              [1_010, "+Inf"],
              [1_020, 5],
              ["1030", "5"],
              [1e300, "5"],
              [-1, "5"],
              [1_030, ""],
              null,
              "text",
            ],
          },
          null,
          { metric: "text", values: "text" },
        ],
        { warnings: ["slow", 7, {}] },
      ),
      range,
    );
    expect(chart.series.map(({ values }) => values)).toEqual(
      Array.from({ length: 3 }, () => [null, null, null, null]),
    );
    expect(chart.series[0]?.name).toContain("</script>");
    expect(chart.warnings).toEqual(["slow"]);
    expect("polluted" in {}).toBe(false);
  });

  test("that is huge is cut, and says so", () => {
    const line = { metric: { path: "x".repeat(100_000) }, values: [[1_000, "1"]] };
    const chart = readRange(answer(Array.from({ length: 10_000 }, () => line)), range);
    expect(chart).toMatchObject({ seriesCount: 10_000, series: { length: 50 } });
    expect(chart.series[0]?.name.length).toBeLessThan(300);
  });

  test.each<[unknown, RegExp]>([
    [{ status: "error", error: "parse error: unexpected end" }, /unexpected end/u],
    [{ status: "error", error: { html: true } }, /none of Prometheus/u],
    ["<html>", /none of Prometheus/u],
    [null, /none of Prometheus/u],
    [{ status: "success", data: { resultType: "string", result: [1, "a"] } }, /no answer over time/u],
    [{ status: "success", data: { resultType: "matrix", result: {} } }, /no answer over time/u],
  ])("that is none is refused: %j", (body, problem) => {
    expect(() => readRange(body, range)).toThrow(problem);
  });
});

describe("a Prometheus", () => {
  test.each(["monitoring/prometheus:9090", "a/https:b:web"])("%s is read as it is written", (text) => {
    const service = parseService(text);
    expect(service === undefined ? undefined : printService(service)).toBe(text);
  });

  test.each([
    "",
    "prometheus",
    "a/b",
    "a/../b:80",
    "a/b:80/proxy",
    "a/b:",
    "A/b:80",
    "a/b:80?x",
    "a/b%2f:80",
  ])("%j is none", (text) => {
    expect(parseService(text)).toBeUndefined();
  });

  test("is asked through the API server's proxy of services", () => {
    const service = { namespace: "monitoring", name: "prometheus", port: "9090", isTls: false };
    expect(rangePath("edge", service, { ...range, query: "a & b{c='#'}" })).toBe(
      "/clusters/edge/api/v1/namespaces/monitoring/services/http:prometheus:9090/proxy/api/v1/query_range?query=a+%26+b%7Bc%3D%27%23%27%7D&start=1000&end=1030&step=10",
    );
  });

  test("is found by name, label or port among the services of a cluster", () => {
    const service = (name: unknown, port: unknown, labels = {}): object => ({
      metadata: { name, namespace: "m", labels },
      spec: { ports: [{ port: "none" }, { port }] },
    });
    const found = findPrometheus({
      items: [
        service("prometheus-operated", 9090),
        service("web", 80),
        service("store", 8080, { "app.kubernetes.io/name": "prometheus" }),
        service("other", 9090),
        service(7, 9090),
        null,
        "text",
      ],
    });
    expect(found.map(printService)).toEqual(["m/prometheus-operated:9090", "m/store:8080", "m/other:9090"]);
    expect([findPrometheus(null), findPrometheus({ items: "x" })]).toEqual([[], []]);
  });
});
