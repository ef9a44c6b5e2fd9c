/** Keys that reach an object's prototype in code that copies carelessly, here or in any program that reads our answers. */
const refused: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export function isRefusedKey(key: string): boolean {
  return refused.has(key);
}
