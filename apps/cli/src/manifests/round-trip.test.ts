import { kinds, splitSecrets, validateWrite, type ApiObject, type Kind } from "@bowline/api";
import { arbitraryBody, arbitraryFor } from "@bowline/api/testing";
import { readObject } from "@bowline/client/testing";
import { isRecord } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isPrintable } from "../output/terminal-text.ts";
import { printObjects } from "../resources/print-objects.ts";
import { parseManifests } from "./read-manifests.ts";

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Objects as a server returns them after it has accepted some body. */
function returnedObject(kind: Kind): fc.Arbitrary<ApiObject> {
  const accepted = arbitraryBody(kind)
    .map((body) => validateWrite(kind, body))
    .filter((result) => result.ok);
  const metadata = arbitraryFor(kind.schemas.read.properties?.["metadata"] ?? {});
  return fc
    .record({ accepted, metadata, status: arbitraryFor(kind.status) })
    .map(({ accepted: { object }, metadata: server, status }) =>
      readObject(kind, {
        ...object,
        metadata: { ...recordIn(server), ...object.metadata },
        spec: splitSecrets(kind, recordIn(object.spec)).spec,
        status,
      }),
    );
}

const options = {
  headers: true,
  showLabels: false,
  nowMs: 0,
  paint: (_: string, text: string) => text,
  withKind: false,
};

describe("what get prints, apply accepts", () => {
  test.each(kinds.map((kind) => [kind.kind, kind] as const))("%s", async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(returnedObject(kind), { minLength: 1, maxLength: 2 }),
        fc.constantFrom("yaml" as const, "json" as const),
        async (objects, output) => {
          const single = objects.length === 1;
          const found = objects.map((object) => ({ kind, object }));
          const text = await printObjects(found, { ...options, output, single });
          const manifests = parseManifests({ source: "printed", text });
          expect(manifests.map(({ body }) => body)).toEqual(objects);
          expect(isPrintable(text)).toBe(true);
          for (const [index, { body, name }] of manifests.entries()) {
            const { metadata, spec } = objects[index] ?? {};
            expect(validateWrite(kind, body, { name })).toMatchObject({
              ok: true,
              object: {
                metadata: { name, labels: metadata?.labels, annotations: metadata?.annotations },
                spec,
              },
              resourceVersion: metadata?.resourceVersion,
            });
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});
