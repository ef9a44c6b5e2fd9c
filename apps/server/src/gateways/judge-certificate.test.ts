import { describe, expect, test } from "vitest";

import { missing } from "./check.ts";
import { certificateFor } from "./host-certificate.ts";
import { judgeCertificates } from "./judge-certificate.ts";

const entry = { cluster: "a", class: "reference", visibility: "public" } as const;
const nowMs = Date.parse("2026-06-01T00:00:00Z");
const issuer = { from: "issuer", issuer: "ca" } as const;

function certificate(status: object | undefined) {
  return {
    apiVersion: "cert-manager.io/v1",
    kind: "Certificate",
    metadata: { name: "x" },
    ...(status === undefined ? {} : { status }),
  };
}

function condition(status: "True" | "False", message = "") {
  return { conditions: [{ type: "Ready", status, reason: "Issuing", message }] };
}

function judged(object: ReturnType<typeof certificate> | undefined, pending?: string) {
  const seen = { host: "a.example.com", certificate: issuer, object, refused: undefined };
  return judgeCertificates([seen], { entry, nowMs, pending });
}

describe("a certificate", () => {
  test("that is issued is told with its end", () => {
    const status = { ...condition("True"), notAfter: "2026-07-01T00:00:00Z" };
    expect(judged(certificate(status))).toMatchObject({
      finding: { status: "True", reason: "Issued" },
      notAfter: "2026-07-01T00:00:00.000Z",
    });
  });

  test.each([
    ["is not there", undefined, "is not there yet: the agent is away"],
    ["nobody looks at", certificate(undefined), "cert-manager has said nothing about it yet"],
    ["is never issued", certificate(condition("False", "the order has failed")), "the order has failed"],
  ])("that %s is pending, and says why", (_, object, message) => {
    expect(judged(object, "the agent is away").finding).toMatchObject({
      status: "False",
      reason: "CertificatePending",
      message: expect.stringContaining(message),
    });
  });

  test("that has ended says so, although it was issued", () => {
    const status = { ...condition("True"), notAfter: "2026-05-01T00:00:00Z" };
    expect(judged(certificate(status)).finding).toMatchObject({ reason: "CertificateExpired" });
  });
});

describe("certificateFor", () => {
  const namespace = "shop";
  const installing = { names: [], waitsFor: missing("InstallingService", "It is on its way.") };
  test.each([
    ["the only issuer", {}, { names: ["ca"], isServed: true }, issuer],
    [
      "an issuer that is there, while cert-manager is changed",
      {},
      { ...installing, names: ["ca"], isServed: true },
      issuer,
    ],
    [
      "the issuer that is named",
      { issuer: "b" },
      { names: ["a", "b"], isServed: true },
      { from: "issuer", issuer: "b" },
    ],
    ["Bowline without cert-manager", {}, undefined, { from: "bowline" }],
    [
      "Bowline where that is wanted",
      { certificate: "selfSigned" as const },
      { names: ["ca"], isServed: true },
      { from: "bowline" },
    ],
    [
      "a Secret",
      { certificate: "secret" as const, secret: "tls" },
      undefined,
      { from: "secret", namespace, name: "tls" },
    ],
  ])("takes %s", (_, tls, issuers, expected) => {
    expect(certificateFor({ mode: "terminate", ...tls }, { namespace, issuers })).toEqual(expected);
  });

  test.each([
    [
      {},
      { names: ["a", "b"], isServed: true },
      "There are several ClusterIssuers (a, b); name one in spec.tls.issuer.",
    ],
    [{}, { names: [], isServed: true }, expect.stringContaining("has no ClusterIssuer")],
    [{}, { names: undefined, isServed: true }, expect.stringContaining("may not be listed")],
    [{ issuer: "a" }, undefined, "There is no cert-manager for the ClusterIssuer a."],
    [{}, { ...installing, isServed: false }, "It is on its way."],
    [{}, { ...installing, isServed: true }, "It is on its way."],
    [{ issuer: "a" }, { ...installing, isServed: false }, "It is on its way."],
  ])("says what is missing: %j of %j", (tls, issuers, problem) => {
    expect(certificateFor({ mode: "terminate", ...tls }, { namespace, issuers })).toMatchObject({ problem });
  });
});
