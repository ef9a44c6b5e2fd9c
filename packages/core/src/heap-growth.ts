import { setFlagsFromString } from "node:v8";

/**
 * Lets the old generation grow by so many percent of what is alive in it before the next full collection. By default V8
 * allows a process that has been idle a tenth, and a busy moment later that is a few megabytes: with the buffers of
 * sockets, which count too, it then collects everything several times a second, and what passes costs twice as much.
 *
 * Only a program calls this, first thing: it holds for the whole process.
 */
export function letHeapGrow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
