import type { Benchmark } from "../benchmark.ts";
import { milliseconds } from "../format-table.ts";
import { measureOperator } from "./measure-operator.ts";
import { measureRender } from "./measure-render.ts";

export const monitoringBenchmark: Benchmark = {
  description:
    "Renders ServiceMonitors of three endpoints each into a configuration of Prometheus, and has an operator write it after each change of one among a thousand.",
  needs: { programs: [] },
  async run(context) {
    const rendered = await measureRender(context);
    const { firstConfigMs, p50Ms, p99Ms, changes } = await measureOperator(context);
    const { columns, rows } = rendered.table;
    const event = [
      `event to Secret (${changes})`,
      `p50 ${milliseconds(p50Ms)}`,
      `p99 ${milliseconds(p99Ms)}`,
    ];
    return {
      ratios: rendered.ratios,
      figures: {
        ...rendered.figures,
        eventToSecretP50Ms: p50Ms,
        eventToSecretP99Ms: p99Ms,
        operatorFirstConfigMs: firstConfigMs,
      },
      table: { columns, rows: [...rows, event] },
    };
  },
};
