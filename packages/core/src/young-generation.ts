import { setFlagsFromString } from "node:v8";

/**
 * Keeps the heap's space for new objects at the size it starts with. By default V8 lets it grow to tens of megabytes,
 * and what dies young, socket buffers included, is held until it is full: for a process that mostly reads streams and
 * keeps little of them that is half its memory. The price is more, but smaller, collections.
 *
 * Only a program calls this, first thing: it holds for the whole process.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
