export { makeExecutable } from "./executable/make-executable.ts";
export { bowlineImage } from "./image/bowline-image.ts";
export { createImageArchive, type ImageOptions } from "./image/image-archive.ts";
export { programFiles } from "./image/program-files.ts";
export type { TarEntry } from "@bowline/core";
export { bundleProgram, type Program } from "./program/bundle-program.ts";
