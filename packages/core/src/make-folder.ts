import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { hasCode } from "./unknown-values.ts";

/**
 * Makes a folder that only its owner can look into, with those above it, where it is missing.
 *
 * `mkdir` of Node does so too with `recursive`, and never returns where the system says of a folder that it is not there
 * while the one above it is, as below `/proc`. Here the second refusal counts.
 */
export function makeFolder(path: string): void {
  try {
    makeOne(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    makeOne(path);
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Of a folder that it may not make, the system may say so before it says that it is there.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
