import { join } from "node:path";

import { PrivateFolder } from "../sandbox/private-folder.ts";
import { runTool } from "../sandbox/run-tool.ts";
import type { CheckedRequest, RenderedText } from "../rendered-text.ts";
import type { RenderProblem } from "../worker/read-manifests.ts";
import { toolFailure } from "./tool-failure.ts";

/** Has kustomize print the objects of a folder, once nothing it would read is outside of the files. */
export async function renderKustomize(
  request: CheckedRequest,
): Promise<RenderedText | readonly RenderProblem[]> {
  const { files, folder, limits, tools, pool, signal } = request;
  const tool = await tools.find("kustomize");
  const { problems } = await pool.run(
    { kind: "checkKustomizations", request: { files, folder, limits } },
    { timeoutMs: limits.renderMs, signal },
  );
  if (problems.length > 0) return problems;
  await using place = await PrivateFolder.create(tools.temporaryFolder);
  const source = await place.write("source", files);
  const verb = tool.name === "kubectl" ? "kustomize" : "build";
  const command = await tools.sandbox.lockedUp([tool.program, verb, join(source, folder)], place, limits);
  const end = await runTool({
    ...command,
    cwd: source,
    timeoutMs: limits.renderMs,
    maxOutputBytes: limits.renderedBytes,
    clock: tools.clock,
    signal,
  });
  if (end.exitCode !== 0) throw toolFailure(end, { tool, limits, folder: source });
  return { bytes: end.output, tool: { name: tool.name, version: tool.version } };
}
