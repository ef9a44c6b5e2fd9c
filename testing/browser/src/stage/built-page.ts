import { fileURLToPath } from "node:url";

import { runCommand } from "@bowline/test-services";

const script = fileURLToPath(new URL("../../../../apps/web/build/build-page.ts", import.meta.url));

/** Where the build leaves the page. */
export const pageFolder = fileURLToPath(new URL("../../../../apps/web/dist/", import.meta.url));

let building: Promise<unknown> | undefined;

/** Builds the page unless it is there; however many ask, in however many processes, it is built once. */
export async function requirePage(): Promise<void> {
  building ??= runCommand({ command: process.execPath, args: [script] });
  await building;
}
