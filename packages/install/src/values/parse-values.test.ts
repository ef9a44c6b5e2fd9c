import { describe, expect, test } from "vitest";

import { refusedValues } from "../testing/refused-values.ts";
import { sampleSettings } from "../testing/sample-settings.ts";
import { parseValues } from "./parse-values.ts";

describe("values", () => {
  test("need not be given", () => {
    for (const nothing of [undefined, null, {}]) {
      expect(parseValues(nothing, sampleSettings)).toMatchObject({
        replicas: 1,
        image: { repository: "docker.io/library/bowline", tag: "" },
        resources: { limits: { memory: "1Gi" } },
      });
    }
  });

  test("are put together as Helm does it: maps are merged, lists are not, null takes away", () => {
    const values = parseValues(
      {
        resources: { limits: { cpu: "2" } },
        networkPolicy: { egressPorts: [443] },
        nodeSelector: { "kubernetes.io/os": null, pool: "a" },
      },
      sampleSettings,
    );
    expect(values.resources.limits).toEqual({ cpu: "2", memory: "1Gi" });
    expect(values.networkPolicy.egressPorts).toEqual([443]);
    expect(values.nodeSelector).toEqual({ pool: "a" });
  });

  test.each(refusedValues)("are refused with %s", (_, values, path) => {
    expect(() => parseValues(values, sampleSettings)).toThrow(
      expect.objectContaining({ code: "InvalidArgument", message: expect.stringContaining(`${path} `) }),
    );
  });

  test("are refused with every value that is wrong, each in a sentence", () => {
    const wrong = { replicas: 2, image: { tag: "a b" }, settings: { log: { level: "loud" } } };
    expect(() => parseValues(wrong, sampleSettings)).toThrow(
      expect.objectContaining({
        message: "3 values are wrong, the first: image.tag must be a tag of an image.",
        details: {
          fields: [
            { path: "image.tag", message: "must be a tag of an image" },
            {
              path: "settings.log.level",
              message: "must be one of trace, debug, info, warn, error, fatal, silent",
            },
            { path: "replicas", message: expect.stringMatching(/^must be 1 with SQLite/u) },
          ],
        },
      }),
    );
  });

  test("are checked as the server would: what no schema can say, its own types say", () => {
    const wrong = { settings: { session: { idle: "1s" }, oidc: { roles: ["admins"] } } };
    expect(() => parseValues(wrong, sampleSettings)).toThrow(/settings\.oidc\.roles\[0\] must be/u);
    expect(() => parseValues({ settings: { session: { idle: "1s" } } }, sampleSettings)).toThrow(
      /settings\.session\.idle must be a duration such as 30s, 1h30m or 7d, from 5m to 30d\./u,
    );
  });

  test("must be an object", () => {
    expect(() => parseValues(["replicas"], sampleSettings)).toThrow(
      "The values must be an object, not a list.",
    );
  });
});
