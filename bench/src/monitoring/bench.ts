import type { Benchmark } from "../benchmark.ts";
import { measureRender } from "./measure-render.ts";

export const monitoringBenchmark: Benchmark = {
  description: "Renders ServiceMonitors of three endpoints each into a configuration of Prometheus.",
  run: measureRender,
};
