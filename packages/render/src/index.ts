/** @public For the controller of workloads. */
export type { RendererType } from "./files/choose-files.ts";
export { detectRenderer, rendererTypes } from "./files/choose-files.ts";
export type { SourceFile } from "./files/source-file.ts";
export { firstDifference } from "./program/first-difference.ts";
export { appTypes, runProgram } from "./program/run-program.ts";
export { renderFiles, type RenderSettings } from "./render-files.ts";
/** @public For the controller of workloads. */
export type { Rendered, RenderRequest } from "./render-files.ts";
export { defaultRenderLimits } from "./render-limits.ts";
/** @public For the controller of workloads. */
export type { RenderLimits } from "./render-limits.ts";
export { readFiles, type FileDocument } from "./read-files.ts";
export { RenderTools } from "./tools/render-tools.ts";
/** @public For the controller of workloads. */
export type { RenderTool, ToolName } from "./tools/render-tools.ts";
export { describeRenderProblem } from "./worker/read-manifests.ts";
/** @public For the controller of workloads. */
export type { RenderProblem } from "./worker/read-manifests.ts";
export { RenderPool } from "./worker/render-pool.ts";
/** @public For the controller of workloads. */
export type { RenderPoolOptions } from "./worker/render-pool.ts";
