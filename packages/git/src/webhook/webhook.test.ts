import { createHmac } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { normaliseUrl, readWebhook, type WebhookDelivery } from "../index.ts";

const secret = "hook-secret";
const hmac = (body: string, key = secret): string => createHmac("sha256", key).update(body).digest("hex");

const repository = {
  clone_url: "https://git.example.com/team/app.git",
  ssh_url: "git@git.example.com:team/app.git",
  html_url: "https://git.example.com/team/app",
};
const push = JSON.stringify({ ref: "refs/heads/main", repository });
const gitlabPush = JSON.stringify({
  object_kind: "tag_push",
  ref: "refs/tags/v1",
  project: {
    git_http_url: "https://gitlab.example.com/g/app.git",
    git_ssh_url: "git@gitlab.example.com:g/app.git",
  },
});
const cloudPush = JSON.stringify({
  repository: { links: { html: { href: "https://bitbucket.org/team/app" } } },
  push: {
    changes: [{ new: { type: "branch", name: "main" } }, { new: null, old: { type: "tag", name: "v1" } }],
  },
});
const serverPush = JSON.stringify({
  repository: { links: { clone: [{ href: "https://me@bb.example.com/scm/team/app.git", name: "http" }] } },
  changes: [{ ref: { id: "refs/heads/main" }, refId: "refs/heads/main" }],
});
const plainPush = JSON.stringify({ repository: "https://git.example.com/x.git", refs: ["refs/heads/a"] });

const deliver = (body: string, headers: Record<string, string | string[]>): WebhookDelivery =>
  readWebhook({ body: Buffer.from(body), headers, secret });

const githubHeaders = (body: string) => ({
  "x-github-event": "push",
  "x-hub-signature-256": `sha256=${hmac(body)}`,
});

const app = ["https://git.example.com/team/app", "ssh://git@git.example.com/team/app"];

describe("a delivery", () => {
  interface Case {
    readonly provider: string;
    readonly body: string;
    readonly headers: Record<string, string>;
    readonly repositories: readonly string[];
    readonly refs: readonly string[];
  }

  it.each<Case>([
    {
      provider: "github",
      body: push,
      headers: githubHeaders(push),
      repositories: app,
      refs: ["refs/heads/main"],
    },
    {
      provider: "gitea",
      body: push,
      headers: { "x-github-event": "push", "x-gitea-event": "push", "x-gitea-signature": hmac(push) },
      repositories: app,
      refs: ["refs/heads/main"],
    },
    {
      provider: "gitlab",
      body: gitlabPush,
      headers: { "x-gitlab-event": "Tag Push Hook", "x-gitlab-token": secret },
      repositories: ["https://gitlab.example.com/g/app", "ssh://git@gitlab.example.com/g/app"],
      refs: ["refs/tags/v1"],
    },
    {
      provider: "bitbucket",
      body: cloudPush,
      headers: { "x-event-key": "repo:push", "x-hub-signature": `sha256=${hmac(cloudPush)}` },
      repositories: ["https://bitbucket.org/team/app", "ssh://git@bitbucket.org/team/app"],
      refs: ["refs/heads/main", "refs/tags/v1"],
    },
    {
      provider: "bitbucket",
      body: serverPush,
      headers: { "x-event-key": "repo:refs_changed", "x-hub-signature": `sha256=${hmac(serverPush)}` },
      repositories: ["https://bb.example.com/scm/team/app"],
      refs: ["refs/heads/main"],
    },
    {
      provider: "plain",
      body: plainPush,
      headers: { authorization: `Bearer ${secret}` },
      repositories: ["https://git.example.com/x"],
      refs: ["refs/heads/a"],
    },
    {
      provider: "plain",
      body: plainPush,
      headers: { "x-hub-signature-256": hmac(plainPush) },
      repositories: ["https://git.example.com/x"],
      refs: ["refs/heads/a"],
    },
  ])(
    "of $provider says which repository and which refs",
    ({ provider, body, headers, repositories, refs }) => {
      expect(deliver(body, headers)).toEqual({ accepted: true, provider, event: "push", repositories, refs });
    },
  );

  it("may be a form, as GitHub sends where nobody chose JSON", () => {
    const body = new URLSearchParams({ payload: push }).toString();
    const headers = { ...githubHeaders(body), "content-type": "application/x-www-form-urlencoded" };
    expect(deliver(body, headers)).toMatchObject({ accepted: true, refs: ["refs/heads/main"] });
  });

  it("that only tests the hook is a ping", () => {
    const headers = { ...githubHeaders(push), "x-github-event": "ping" };
    expect(deliver(push, headers)).toMatchObject({ accepted: true, event: "ping" });
  });

  it.each<[string, string, Record<string, string | string[]>]>([
    [
      "badSignature",
      push,
      { ...githubHeaders(push), "x-hub-signature-256": `sha256=${hmac(push, "other")}` },
    ],
    ["badSignature", `${push} `, githubHeaders(push)],
    ["badSignature", push, { ...githubHeaders(push), "x-hub-signature-256": "sha256=" }],
    ["badSignature", gitlabPush, { "x-gitlab-event": "Push Hook", "x-gitlab-token": "hook-secre" }],
    ["badSignature", plainPush, { authorization: "Bearer hook-secret2" }],
    ["unsigned", push, { "x-github-event": "push" }],
    ["unsigned", push, { "x-github-event": "push", "x-hub-signature-256": [hmac(push), hmac(push)] }],
    ["unsigned", push, { "x-github-event": "push", authorization: `Bearer ${secret}` }],
    ["unsigned", plainPush, { authorization: `Basic ${secret}` }],
    ["unknownSender", push, {}],
    ["notPush", push, { ...githubHeaders(push), "x-github-event": "issues" }],
    ["unreadable", "[]", githubHeaders("[]")],
    ["unreadable", "{", githubHeaders("{")],
    ["noRepository", "{}", githubHeaders("{}")],
  ])("is refused: %s", (reason, body, headers) => {
    expect(deliver(body, headers)).toMatchObject({
      accepted: false,
      reason,
      message: expect.stringMatching(/\.$/u),
    });
  });

  it("is refused when it is too large, whoever signed it, and where the hook has no secret", () => {
    const large = `${push}${" ".repeat(1024 * 1024)}`;
    expect(deliver(large, githubHeaders(large))).toMatchObject({ reason: "tooLarge" });
    const headers = { "x-github-event": "push", "x-hub-signature-256": hmac(push, "") };
    expect(readWebhook({ body: Buffer.from(push), headers, secret: "" })).toMatchObject({
      reason: "badSignature",
    });
  });
});

describe("hostile deliveries", () => {
  const senders = ["x-github-event", "x-gitea-event", "x-gitlab-event", "x-event-key"];
  const events = ["push", "ping", "Push Hook", "repo:push", "repo:refs_changed", "diagnostics:ping"];
  const keys = [
    "repository",
    "project",
    "links",
    "html",
    "href",
    "clone",
    "push",
    "changes",
    "new",
    "name",
    "ref",
  ];
  const hostile = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(
        null,
        0,
        "push",
        "refs/heads/main",
        "refs/heads/a b",
        "https://-x/y",
        "ssh://h/p",
        "__proto__",
      ),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys, "object_kind", "clone_url"), tie("value"), { maxKeys: 5 }),
    ),
  })).value;

  it("with the right secret end in an answer, and never in an address or ref of another form", () => {
    fc.assert(
      fc.property(
        hostile,
        fc.constantFrom(...senders),
        fc.constantFrom(...events),
        (value, sender, event) => {
          const body = JSON.stringify(value);
          const signed = {
            "x-hub-signature": hmac(body),
            "x-hub-signature-256": hmac(body),
            "x-gitlab-token": secret,
          };
          const found = deliver(body, { [sender]: event, ...signed });
          const { repositories, refs } = found.accepted ? found : { repositories: [], refs: [] };
          expect(repositories.map(normaliseUrl)).toEqual(repositories);
          expect(refs.filter((ref) => !/^refs\/\S+$/u.test(ref))).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("without the secret are never accepted, whatever their bytes and headers", () => {
    const names = [...senders, "x-hub-signature", "x-hub-signature-256", "x-gitlab-token", "authorization"];
    const headers = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.array(fc.string())));
    fc.assert(
      fc.property(fc.uint8Array(), headers, (bytes, given) => {
        const found = readWebhook({ body: Buffer.from(bytes), headers: given, secret });
        expect(found.accepted).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
