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
      coverage("Node", "forbidden"),
      coverage("Service", "failing", { namespace: "shop", message: "It answers 503" }),
      coverage("Deployment", "failing", { group: "apps", sinceMs: 1_000 }),
    ]);
    expect([status, reason]).toEqual(["False", "Forbidden"]);
    expect(message).toMatch(
      /^May not be read: Node\. Cannot be read at the moment: Service in shop \(since 1970-01-01T00:00:00\.000Z: It answers 503\), Deployment\.apps \(since 1970-01-01T00:00:01\.000Z\)\. .*--rights/u,
    );
    expect(observedStatement([coverage("Pod", "failing")])).toMatchObject({ reason: "Failing" });
  });

  test("is so without Secrets, which are a choice of their own, and says it", () => {
    const secrets = coverage("Secret", "forbidden", { message: "Secrets are not observed." });
    expect(observedStatement([coverage("Pod", "observed"), secrets])).toEqual({
      status: "True",
      reason: "Observed",
      message: "Secrets are not observed.",
    });
    const { status, message } = observedStatement([coverage("Node", "forbidden"), secrets]);
    expect(status).toBe("False");
    expect(message).toMatch(/^May not be read: Node\. .* Secrets are not observed\.$/u);
    expect(observedStatement([coverage("Secret", "failing")])).toMatchObject({ status: "False" });
  });

  test("does not name all of a thousand", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => coverage(`Kind${index}`, "forbidden"));
    const { message } = observedStatement(many);
    expect(message).toContain("Kind11 and 988 more.");
    expect(message).not.toContain("Kind12");
  });
});
