import { createValidator, JoinTokenRequest } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { joinLifetimeSeconds } from "./agent-options.ts";
import { parseLabels } from "../../installation/ensure-cluster.ts";

describe("labels", () => {
  test("one by one, or several with commas", () => {
    expect(parseLabels(["env=prod,tier=a", "note="])).toEqual({ env: "prod", tier: "a", note: "" });
    expect(parseLabels([])).toEqual({});
  });

  test.each([[["env"]], [["=prod"]], [["a=1", "a=2"]], [[""]]])("%j is refused", (texts) => {
    expect(() => parseLabels(texts)).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
  });
});

describe("how long a join token works", () => {
  test.each([
    ["45m", 2_700],
    ["1h", 3_600],
    ["168h", 604_800],
    ["60s", 60],
  ])("%s", (text, seconds) => {
    expect(joinLifetimeSeconds(text)).toBe(seconds);
  });

  test.each(["", "soon", "59s", "169h", "-1h"])("%j is refused", (text) => {
    expect(() => joinLifetimeSeconds(text)).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
  });

  test("the limits are those of the API", () => {
    const validate = createValidator(JoinTokenRequest);
    for (const [seconds, ok] of [
      [59, false],
      [60, true],
      [604_800, true],
      [604_801, false],
    ] as const) {
      expect(validate({ expiresInSeconds: seconds }).ok).toBe(ok);
    }
  });
});
