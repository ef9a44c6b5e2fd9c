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

/**
 * Lets every object begin in the young generation. By default V8 lets code allocate in the old one once most of what it
 * makes there has lived long, and a busy moment of a program that passes requests on is enough for that: many are under
 * way at once. It is not taken back when they are few again, and from then on each request leaves an old object behind,
 * which keeps everything it points to until the next full collection, and makes that come soon.
 *
 * Only a program calls this, first thing: it holds for the whole process.
 */
export function allocateInYoungGeneration(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
