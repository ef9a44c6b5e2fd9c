import type { Coverage } from "@bowline/store";
import { describe, expect, test } from "vitest";

import { observedStatement } from "./observed-condition.ts";

const coverage = (kind: string, state: Coverage["state"], more: Partial<Coverage> = {}): Coverage => ({
  group: "",
  kind,
  namespace: "",
  state,
  message: "",
  sinceMs: 0,
  ...more,
});

describe("whether everything is observed", () => {
  test("is so where nothing is missed but what the cluster does not have", () => {
    expect(observedStatement([])).toMatchObject({ status: "True" });
    const all = [coverage("Pod", "observed"), coverage("Widget", "absent")];
    expect(observedStatement(all)).toEqual({ status: "True", reason: "Observed", message: "" });
  });

  test("names what may not be read, and what cannot be", () => {
    const { status, reason, message } = observedStatement([
      coverage("Secret", "forbidden"),
      coverage("Service", "failing", { namespace: "shop" }),
      coverage("Deployment", "failing", { group: "apps" }),
    ]);
    expect([status, reason]).toEqual(["False", "Forbidden"]);
    expect(message).toMatch(
      /^May not be read: Secret\. Cannot be read at the moment: Service in shop, Deployment\.apps\. .*--rights/u,
    );
    expect(observedStatement([coverage("Pod", "failing")])).toMatchObject({ reason: "Failing" });
  });

  test("does not name all of a thousand", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => coverage(`Kind${index}`, "forbidden"));
    const { message } = observedStatement(many);
    expect(message).toContain("Kind11 and 988 more.");
    expect(message).not.toContain("Kind12");
  });
});
