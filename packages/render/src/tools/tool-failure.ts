import { BowlineError, shortened } from "@bowline/core";

import { tooLarge } from "../files/source-file.ts";
import type { RenderLimits } from "../render-limits.ts";
import type { ToolEnd } from "../sandbox/run-tool.ts";
import type { FoundTool } from "./render-tools.ts";

interface FailureContext {
  readonly tool: FoundTool;
  readonly limits: RenderLimits;
  /** Taken out of what the program said: it is of no use to anybody. */
  readonly folder: string;
}

/** The first kustomize that knows all fields of today's. */
const currentKustomize = 5;

/** What a renderer that did not end well has to say, as an error. */
export function toolFailure(end: ToolEnd, { tool, limits, folder }: FailureContext): BowlineError {
  const said = shortened(
    end.complaint
      .replaceAll(`${folder}/`, "")
      .replaceAll(/[\p{Cc}\s]+/gu, " ")
      .trim(),
    1_000,
  );
  const details = { renderer: tool.name, version: tool.version };
  if (/out of memory|cannot allocate memory|failed to reserve/u.test(said)) {
    const message = `${tool.name} took more than ${limits.memoryBytes} bytes of memory.`;
    return tooLarge(message, { ...details, exceeded: "memory", limit: limits.memoryBytes });
  }
  if (end.endedBy === "SIGXFSZ" || /file too large/iu.test(said)) {
    const message = `${tool.name} wrote a file of more than ${limits.renderedBytes} bytes.`;
    return tooLarge(message, { ...details, exceeded: "fileBytes", limit: limits.renderedBytes });
  }
  const field = unknownField(said, tool);
  if (field !== undefined) {
    return new BowlineError(
      "RendererTooOld",
      `${tool.name} ${tool.version} does not know ${field}. Install kustomize ${currentKustomize} or kubectl 1.27 or newer, or commit the rendered manifests.`,
      { details: { ...details, field } },
    );
  }
  const how =
    end.exitCode === undefined ? `was ended by ${end.endedBy ?? "a signal"}` : `failed (${end.exitCode})`;
  const why = said === "" ? "." : `: ${said}`;
  return new BowlineError("RenderFailed", `${tool.name} ${tool.version} ${how}${why}`, { details });
}

/** The field that an old kustomize stumbled over; in a current one it is a slip of whoever wrote it. */
function unknownField(said: string, { name, numbers }: FoundTool): string | undefined {
  const [major = 0] = numbers;
  if (name === "helm" || major >= currentKustomize) return undefined;
  const field = /unknown field \\?"([^"\\]{1,100})/u.exec(said)?.[1];
  if (field !== undefined) return `the field ${field}`;
  return /must be a file \(got d=/u.test(said) ? "folders under the field resources" : undefined;
}
