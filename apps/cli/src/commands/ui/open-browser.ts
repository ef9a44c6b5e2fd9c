import { spawn } from "node:child_process";

import type { Environment } from "../../command/command-context.ts";

/** The program that opens an address, by platform; the address comes last. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens an address with `$BROWSER`, or with what the system has for it. Resolves to whether such a program was started. */
export function openBrowser(
  url: string,
  environment: Environment,
  platform: string = process.platform,
): Promise<boolean> {
  const own = environment["BROWSER"] ?? "";
  const [program, ...others] = own === "" ? (openers[platform] ?? ["xdg-open"]) : [own];
  return new Promise((resolve) => {
    const child = spawn(program, [...others, url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
