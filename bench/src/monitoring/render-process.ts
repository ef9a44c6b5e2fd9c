/** The measured process of the renderer. */
import { render, resolveFromObjects } from "@bowline/monitoring";

import { answerCommands } from "../measure-process.ts";
import { median } from "../median.ts";
import { peakRssBytes } from "../memory-of.ts";
import type { RenderMeasurement } from "./measurement.ts";
import { monitoringObjects } from "./sample-monitors.ts";

const warmRounds = 5;

answerCommands({
  async render(monitorCount: number): Promise<RenderMeasurement> {
    const { root, objects } = monitoringObjects(monitorCount);
    const timed = () => {
      const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
      const result = render({ root, objects }, { resolve: resolveFromObjects(objects) });
      const { user, system } = process.cpuUsage(cpuBefore);
      return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1000, result };
    };
    const { ms: renderMs, cpuMs, result } = timed();
    const peak = await peakRssBytes();
    if (result.rejected.length > 0) throw new Error("The sample monitors are rejected.");
    const warm = Array.from({ length: warmRounds }, () => timed().ms);
    return {
      renderMs,
      cpuMs,
      warmMs: median(warm),
      peakRssBytes: peak,
      configBytes: Buffer.byteLength(result.config),
      jobs: result.jobs.length,
    };
  },
});
