import { beforeAll, describe, expect, test } from "vitest";

import { render, resolveFromObjects, type KubeObject, type RenderOptions } from "../index.ts";
import { promtoolName, promtoolProblem, promtoolVersion, understoodConfig } from "./promtool.ts";
import { renderings } from "./sample-objects.ts";

/** An agent takes fewer sections than a server. */
export function flagsFor(root: KubeObject, { mode }: Partial<RenderOptions>): string[] {
  const isAgent = (mode ?? (root.kind === "Prometheus" ? "server" : "agent")) === "agent";
  return isAgent ? ["--agent"] : [];
}

/** For the end of a file of tests: everything that was rendered there, again for the version that promtool knows. */
export function testRenderedWithPromtool(): void {
  beforeAll(() => renderings.clear());
  describe.skipIf(promtoolVersion === undefined)(`the verdict of ${promtoolName}`, () => {
    test.each([[["--agent"]], [[]]])("%j accepts every configuration above", (flags) => {
      const configs = [...renderings.values()]
        .filter(({ root, options }) => flagsFor(root, options).join() === flags.join())
        .map(({ root, objects, options }) => {
          const resolve = resolveFromObjects(objects);
          return understoodConfig(
            render({ root, objects }, { resolve, ...options, version: `v${promtoolVersion}` }),
          );
        });
      expect(promtoolProblem(configs, flags)).toBeUndefined();
    });
  });
}
