import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemClock } from "@bowline/core";
import { certificateNames } from "@bowline/tls";
import { issueServingCertificate, makeAuthority } from "@bowline/tls/issue";
import { describe, expect, onTestFinished, test } from "vitest";

import { NatsUnderTest } from "../testing/nats-under-test.ts";
import { JetStreamBroker } from "./jetstream-broker.ts";
import { connectionOptions, publicAddress, type NatsOptions } from "./dial-nats.ts";

/** Resolves when the way is good; rejects with why it is not. */
async function tryOut(nats: NatsOptions): Promise<void> {
  const broker = new JetStreamBroker({ nats, clock: systemClock, random: Math.random });
  onTestFinished(() => broker.close());
  await broker.check(new AbortController().signal);
}

async function runningNats(settings?: string): Promise<NatsUnderTest> {
  const nats = await NatsUnderTest.create(settings);
  await nats.start();
  return nats;
}

/** A certificate for a server on loopback, and the CA that signed it. */
async function makeCertificates() {
  const nowMs = systemClock.now();
  const authority = await makeAuthority(nowMs);
  const names = certificateNames(["localhost"]);
  return { ca: authority.cert, ...(await issueServingCertificate(authority, { names, nowMs })) };
}

describe("The way to NATS", () => {
  test("takes a user and a password, or a token, from the address", async () => {
    const users = await runningNats('authorization { user: "editor", password: "p@ss word" }');
    await tryOut({ url: users.url.replace("//", "//editor:p%40ss%20word@") });
    const refusal: unknown = await tryOut({ url: users.url.replace("//", "//editor:wrong@") }).catch(
      (thrown: unknown) => thrown,
    );
    expect(refusal).toMatchObject({ code: "BrokerUnavailable" });
    expect(String(refusal)).not.toContain("wrong");
    const tokens = await runningNats('authorization { token: "s3cret" }');
    await tryOut({ url: tokens.url.replace("//", "//s3cret@") });
  });

  test("goes over TLS where a CA is given, and trusts no other", async () => {
    const { ca, cert, key } = await makeCertificates();
    const nats = await NatsUnderTest.create('tls { cert_file: "server.pem", key_file: "server.key" }');
    const caFile = join(nats.folder, "ca.pem");
    await writeFile(caFile, ca);
    await writeFile(join(nats.folder, "server.pem"), cert);
    await writeFile(join(nats.folder, "server.key"), key);
    await nats.start();
    const url = `tls://localhost:${nats.port}`;
    await tryOut({ url, caFile });
    await expect(tryOut({ url })).rejects.toMatchObject({
      message: expect.stringContaining("self-signed certificate"),
    });
  });

  test("does not go on in the clear where TLS is wanted", async () => {
    const nats = await runningNats();
    const caFile = join(nats.folder, "ca.pem");
    await writeFile(caFile, "");
    const wanted = { message: expect.stringContaining("does not support 'tls'") };
    await expect(tryOut({ url: nats.url, caFile })).rejects.toMatchObject(wanted);
    await expect(tryOut({ url: nats.url.replace("nats:", "tls:") })).rejects.toMatchObject(wanted);
  });

  test("reads the credentials file for every connection, and says when it cannot", async () => {
    const url = "nats://127.0.0.1:1";
    await expect(tryOut({ url, credentialsFile: "/nowhere/bowline.creds" })).rejects.toMatchObject({
      code: "BrokerUnavailable",
      message: expect.stringContaining("/nowhere/bowline.creds"),
    });
  });

  test("may lead to several servers", async () => {
    const url = "nats://editor:secret@a:4222, nats://b:4222";
    expect(await connectionOptions({ url })).toEqual({
      servers: ["a:4222", "b:4222"],
      user: "editor",
      pass: "secret",
    });
    expect(publicAddress(url)).toBe("nats://a:4222,nats://b:4222");
  });

  test("does not begin at an address of something else, nor is what may be a password repeated", async () => {
    await expect(connectionOptions({ url: "http://a:secret@b" })).rejects.toMatchObject({
      message: "The address of NATS must look like nats://host:4222.",
    });
  });
});
