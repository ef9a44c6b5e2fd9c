import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { runBowline, type Ran } from "../testing/run-bowline.ts";

const nowMs = Date.UTC(2026, 0, 1);

function jwt(claims: unknown): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.sig`;
}

function credential(environment: Readonly<Record<string, string>>): Promise<Ran> {
  return runBowline(["credential"], {
    environment: {
      BOWLINE_CONFIG: "/nowhere",
      BOWLINE_SERVER: "https://bowline.example.com",
      ...environment,
    },
    clock: new ManualClock(nowMs),
  });
}

describe("bowline credential", () => {
  test("prints the token as kubectl wants it", async () => {
    const { code, out, error } = await credential({ BOWLINE_TOKEN: "bwl_abc" });
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(JSON.parse(out)).toEqual({
      apiVersion: "client.authentication.k8s.io/v1beta1",
      kind: "ExecCredential",
      status: { token: "bwl_abc" },
    });
  });

  test("says when a JWT expires, so that kubectl asks again", async () => {
    const token = jwt({ exp: nowMs / 1000 + 60 });
    const { out } = await credential({ BOWLINE_TOKEN: token });
    expect(JSON.parse(out)).toMatchObject({ status: { token, expirationTimestamp: "2026-01-01T00:01:00Z" } });
  });

  test.each([["a word"], [{}], [{ exp: "soon" }], [{ exp: 1e300 }], [null]])(
    "does not mind the claims %j",
    async (claims) => {
      const { code, out } = await credential({ BOWLINE_TOKEN: jwt(claims) });
      expect(code).toBe(0);
      expect(JSON.parse(out)).toEqual(expect.objectContaining({ status: { token: jwt(claims) } }));
    },
  );

  test("a token that expired is not handed out, and not shown", async () => {
    const token = jwt({ exp: nowMs / 1000 });
    const { code, out, error } = await credential({ BOWLINE_TOKEN: token });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toBe(
      "error: The token for https://bowline.example.com expired at 2026-01-01T00:00:00.000Z; run `bowline login https://bowline.example.com`.\n",
    );
  });

  test("without a token, it says how to get one", async () => {
    const { code, out, error } = await credential({});
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toContain("There is no token for https://bowline.example.com; run `bowline login");
  });

  test("a context that is gone is named", async () => {
    const { code, error } = await runBowline(["credential", "--context", "gone"], {
      environment: { BOWLINE_CONFIG: "/nowhere" },
    });
    expect(code).toBe(1);
    expect(error).toContain('There is no context "gone"');
  });
});
