import { setFlagsFromString } from "node:v8";

/**
 * Keeps compiled code through idle moments. When a process has been idle for eight seconds, V8 collects in a way that
 * gives back all memory it can. That includes what its code was compiled for: the shapes of objects of which none is
 * alive just then, such as requests. Hundreds of functions are then interpreted again, and for seconds each request
 * takes up to half as long again. With this, the same collections leave those shapes alone; what a busy moment added
 * to the young generation stays with the process too.
 *
 * Only a program calls this, first thing: it holds for the whole process.
 */
export function keepOptimizedCode(): void {
  setFlagsFromString("--no-memory-reducer-favors-memory");
}
