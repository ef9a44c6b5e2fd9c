import { join } from "node:path";

import { BowlineError } from "@bowline/core";

import { pathBelow } from "../files/choose-files.ts";
import type { CheckedRequest, RenderedText } from "../rendered-text.ts";
import { PrivateFolder } from "../sandbox/private-folder.ts";
import { runTool } from "../sandbox/run-tool.ts";
import type { FoundTool } from "./render-tools.ts";
import { toolFailure } from "./tool-failure.ts";

/**
 * Has Helm print the objects of a chart, twice: a chart that makes a password or a date of its own gives other objects
 * each time, and every look at it would be a change for all clusters.
 */
export async function renderHelm(request: CheckedRequest): Promise<RenderedText> {
  const { limits, tools } = request;
  const tool = await tools.find("helm");
  const first = await runHelm(request, tool);
  const second = await runHelm(request, tool);
  if (!Buffer.from(first).equals(second)) {
    const line = firstDifferentLine(first, second);
    throw new BowlineError(
      "RenderFailed",
      `The chart gives something else each time it is rendered, first on line ${line} of its output: give what it makes up (a password, a certificate, a date) as a value.`,
      { details: { renderer: tool.name, version: tool.version, line, limitMs: limits.renderMs } },
    );
  }
  return { bytes: first, tool: { name: tool.name, version: tool.version } };
}

async function runHelm(request: CheckedRequest, tool: FoundTool): Promise<Uint8Array> {
  const { files, folder, limits, tools, signal, values, releaseName, namespace } = request;
  await using place = await PrivateFolder.create(tools.temporaryFolder);
  // Only the chart itself: a chart cannot refer to files outside.
  const chart = files.flatMap((file) => {
    const path = pathBelow(file.path, folder);
    return path === undefined ? [] : [{ path, bytes: file.bytes }];
  });
  const source = await place.write("chart", chart);
  const given = await place.write("values", [
    { path: "values.json", bytes: new TextEncoder().encode(JSON.stringify(values)) },
  ]);
  const command = await tools.sandbox.lockedUp(
    [
      tool.program,
      "template",
      releaseName,
      source,
      `--namespace=${namespace}`,
      `--values=${join(given, "values.json")}`,
      "--include-crds",
    ],
    place,
    limits,
  );
  const end = await runTool({
    ...command,
    cwd: source,
    timeoutMs: limits.renderMs,
    maxOutputBytes: limits.renderedBytes,
    clock: tools.clock,
    signal,
  });
  if (end.exitCode !== 0) throw toolFailure(end, { tool, limits, folder: place.path });
  return end.output;
}

function firstDifferentLine(a: Uint8Array, b: Uint8Array): number {
  const others = new TextDecoder().decode(b).split("\n");
  const lines = new TextDecoder().decode(a).split("\n");
  const at = lines.findIndex((line, index) => line !== others[index]);
  return (at < 0 ? lines.length : at) + 1;
}
