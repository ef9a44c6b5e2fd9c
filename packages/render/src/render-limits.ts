/** How much rendering may take and give. Each one that is met is an error that names the file and both numbers. */
export interface RenderLimits {
  readonly fileBytes: number;
  readonly files: number;
  /** Of all files together. */
  readonly totalBytes: number;
  /** Of the objects, as JSON in UTF-8; and of what a renderer prints. */
  readonly renderedBytes: number;
  readonly objects: number;
  /** From the start of the work to its end; waiting for a turn is not counted. */
  readonly renderMs: number;
  readonly memoryBytes: number;
  /** A text may stand for so many times its length once its aliases are written out. */
  readonly expansion: number;
}

const mebibyte = 1024 * 1024;

/** `maxManifestDepth` and `maxManifestObjects` of `@bowline/manifests` hold as well. */
export const defaultRenderLimits: RenderLimits = {
  fileBytes: mebibyte,
  files: 2_000,
  totalBytes: 64 * mebibyte,
  renderedBytes: 10 * mebibyte,
  objects: 5_000,
  renderMs: 30_000,
  memoryBytes: 512 * mebibyte,
  expansion: 10,
};

/** A short text with a few aliases is no bomb, however often its one long line is repeated. */
const alwaysAllowedLength = 64 * 1024;

/** How many characters a text may stand for. */
export function maxExpandedLengthOf(text: string, { expansion }: RenderLimits): number {
  return Math.max(alwaysAllowedLength, text.length * expansion);
}
