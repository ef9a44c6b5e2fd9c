/** Certificates and keys with which a collector would not load its configuration, or not start at all. */
import { generateKeyPairSync } from "node:crypto";

import { sampleCertificate as cert, sampleKey as key } from "@bowline/core/testing";
import { expect, test } from "vitest";

import {
  metricsAgent,
  metricsInstance,
  prometheus,
  renderObjects,
  secret,
  serviceMonitor,
} from "../testing/sample-objects.ts";
import { pairProblem } from "./tls-files.ts";

const unreadable = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const otherKey = pemOf(generateKeyPairSync("ed25519").privateKey);
const good = serviceMonitor("shop/good");
const at = (name: string): { name: string; key: string } => ({ name: "tls", key: name });
const ca = { ca: { secret: at("ca.crt") } };
const pair = { cert: { secret: at("tls.crt") }, keySecret: at("tls.key") };

/** The problem of a key alone. */
function keyProblem(text: string): string | undefined {
  return pairProblem(undefined, { text, hash: text });
}

function pemOf(privateKey: ReturnType<typeof generateKeyPairSync>["privateKey"]): string {
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The problem of a monitor with these certificates, after a check that the other one has its job. */
function problemsOf(tlsConfig: object, values: Record<string, string>): string[] {
  const monitor = serviceMonitor("shop/web", { endpoints: [{ scheme: "https", tlsConfig }] });
  const result = renderObjects(prometheus(), [monitor, good, secret("shop/tls", values)]);
  expect(result.jobs.map(({ name }) => name)).toContain("serviceMonitor/shop/good/0");
  return result.rejected.flatMap(({ problems }) => problems.map(({ message }) => message));
}

test.each<[what: string, tlsConfig: object, values: Record<string, string>]>([
  ["an authority", ca, { "ca.crt": cert }],
  ["an authority among others that cannot be read", ca, { "ca.crt": `A bundle\n${unreadable}${cert}` }],
  ["a certificate with its key", { ...ca, ...pair }, { "ca.crt": cert, "tls.crt": cert, "tls.key": key }],
  ["a certificate and its key in one text", pair, { "tls.crt": key + cert, "tls.key": cert + key }],
  ["a chain whose rest cannot be read", pair, { "tls.crt": cert + unreadable, "tls.key": key }],
  ["an authority that is optional and missing", { ca: { secret: { ...at("gone"), optional: true } } }, {}],
])("%s is taken", (_, tlsConfig, values) => {
  expect(problemsOf(tlsConfig, values)).toEqual([]);
});

const noCertificate =
  "spec.endpoints[0].tlsConfig.ca.secret names the key «ca.crt» of the Secret shop/tls, which has no certificate in PEM.";
const noLeaf =
  "spec.endpoints[0].tlsConfig.cert.secret names the key «tls.crt» of the Secret shop/tls, which does not begin with a certificate in PEM.";
const noKey =
  "spec.endpoints[0].tlsConfig.keySecret names the key «tls.key» of the Secret shop/tls, which is no private key in PEM that a collector can read.";
const otherPair =
  "spec.endpoints[0].tlsConfig.keySecret names the key «tls.key» of the Secret shop/tls, which does not belong to the certificate.";

test.each<[what: string, problem: string, values: Record<string, string>]>([
  ["nothing", noCertificate, { "ca.crt": "" }],
  ["a text", noCertificate, { "ca.crt": "hush" }],
  ["a key", noCertificate, { "ca.crt": key }],
  ["a certificate that is cut off", noCertificate, { "ca.crt": cert.slice(0, 300) }],
  ["a certificate that cannot be read", noCertificate, { "ca.crt": unreadable }],
  ["a certificate that cannot be read", noLeaf, { "tls.crt": unreadable + cert, "tls.key": key }],
  ["a text", noKey, { "tls.crt": cert, "tls.key": "hush" }],
  ["the key of another certificate", otherPair, { "tls.crt": cert, "tls.key": otherKey }],
])("%s rejects the monitor alone, and the Secret is named: %s", (_, problem, values) => {
  expect(problemsOf("ca.crt" in values ? ca : pair, values)).toEqual([problem]);
});

test("so does a key that only other programs read, or that has a password", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
  expect(keyProblem(pemOf(privateKey))).toBe("key");
  const options = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "hush" } as const;
  const locked = generateKeyPairSync("ed25519").privateKey.export(options).toString();
  expect(keyProblem(locked)).toBe("key");
  const { privateKey: usual } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const sec1 = usual.export({ type: "sec1", format: "pem" }).toString();
  const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  expect(keyProblem(parameters + sec1)).toBeUndefined();
});

test("a remote write with a bad authority is left out, with which no collector would start", () => {
  const remoteWrite = [{ url: "http://bad", tlsConfig: ca }, { url: "http://good" }];
  const values = secret("monitoring/tls", { "ca.crt": "hush" });
  const objects = [metricsInstance("shop/main", {}), values];
  const { sections, rejected } = renderObjects(metricsAgent({ remoteWrite }), objects);
  expect(sections["remote_write"]).toMatchObject([{ url: "http://good" }]);
  expect(rejected[0]?.problems[0]?.path).toBe("spec.remoteWrite[0].tlsConfig.ca.secret");
});
