import { describe, expect, test } from "vitest";

import { checkUpdate } from "../kind/validate-write.ts";
import { problemsOf } from "../testing/problems-of.ts";
import { minimalSpecs } from "../testing/samples.ts";
import { AccessGrant } from "./access-grant.ts";
import { Cluster } from "./cluster.ts";
import { Credential } from "./credential.ts";
import { ConfigSource } from "./config-source.ts";
import { GraphQuestion } from "./graph-question.ts";
import { Token } from "./token.ts";
import { User } from "./user.ts";
import { WorkloadDefinition } from "./workload-definition.ts";
import { WorkloadInstance } from "./workload-instance.ts";
import { WorkloadPlacement } from "./workload-placement.ts";

describe("a Cluster", () => {
  const eks = { credential: "aws", nodeGroups: [{ name: "main", instanceType: "m7g.large", maxSize: 3 }] };
  const topology = { class: "small", kubernetesVersion: "1.36" };

  test.each([
    ["existing, by default", {}],
    ["existing, somewhere", { provider: "existing", region: "eu-central-1" }],
    ["of kind, without settings", { provider: "kind" }],
    ["of kind", { provider: "kind", kind: { nodes: 3, kubernetesVersion: "1.36" } }],
    ["of eks", { provider: "eks", region: "eu-central-1", eks }],
    ["made by a program", { provider: "exec", exec: { command: "k3d" } }],
    ["of Cluster API", { provider: "clusterapi", clusterapi: { managementCluster: "mgmt", topology } }],
    ["deleted by itself", { expiresAt: "2027-01-01T00:00:00Z", autoDelete: true }],
  ])("may be %s", (_, spec) => {
    expect(problemsOf(Cluster, spec)).toEqual([]);
  });

  test.each([
    [{ kind: { nodes: 1 } }, ["spec.kind is only allowed when spec.provider is kind"]],
    [{ provider: "kind", region: "eu", eks }, ["spec.eks is only allowed when spec.provider is eks"]],
    [
      { provider: "eks" },
      ["spec.eks is required when spec.provider is eks", "spec.region is required when spec.provider is eks"],
    ],
    [
      {
        provider: "eks",
        region: "eu",
        eks: { ...eks, nodeGroups: [{ name: "a", instanceType: "m", minSize: 5, maxSize: 3 }] },
      },
      ["spec.eks.nodeGroups[0].minSize must be at most maxSize, which is 3"],
    ],
    [
      { provider: "kind", maxNodes: 2, kind: { nodes: 3 } },
      ["spec.kind.nodes must be at most spec.maxNodes, which is 2"],
    ],
    [
      { provider: "eks", region: "eu", maxNodes: 2, eks },
      ["spec.eks.nodeGroups may have 3 machines together, which is more than spec.maxNodes, 2"],
    ],
    [
      { provider: "eks", region: "eu", eks: { ...eks, network: { vpcId: "vpc-0123456789" } } },
      ["spec.eks.network must have both vpcId and subnetIds, or neither"],
    ],
    [
      { provider: "clusterapi", clusterapi: { managementCluster: "mgmt" } },
      ["spec.clusterapi must have either template or topology"],
    ],
    [{ provider: "exec" }, ["spec.exec is required when spec.provider is exec"]],
    [{ autoDelete: true }, ["spec.autoDelete is only allowed with spec.expiresAt"]],
    [{ provider: "gke" }, ["spec.provider must be one of existing, exec, clusterapi, kind, eks"]],
  ])("may not be %j", (spec, problems) => {
    expect(problemsOf(Cluster, spec)).toEqual(problems);
  });
});

describe("a ConfigSource", () => {
  const git = { url: "https://git.example.com/fleet.git" };

  test.each([
    { git, actsAs: "ada" },
    {
      git,
      actsAs: "ada",
      kinds: ["Cluster"],
      prune: false,
      allowEmpty: true,
      pruneLimit: { count: 0, percent: 0 },
    },
    { git, actsAs: "ada@example.com", approved: { commit: "0".repeat(40) }, paused: { reason: "moving" } },
  ])("may be %j", (spec) => {
    expect(problemsOf(ConfigSource, spec)).toEqual([]);
  });

  test.each([
    [{ git }, "spec.actsAs is required"],
    [{ git, actsAs: "ada", kinds: [] }, "spec.kinds must have at least 1 item"],
    [{ git: { ...git, interval: "1s" }, actsAs: "ada" }, "spec.git.interval must be at least 10s"],
    [
      { git, actsAs: "ada", approved: { commit: "main" } },
      "spec.approved.commit must be the full hash of a commit",
    ],
  ])("may not be %j", (spec, problem) => {
    expect(problemsOf(ConfigSource, spec)).toEqual([problem]);
  });

  test.each(["Credential", "Token", "User", "Session", "ConfigSource", "WorkloadPlacement"])(
    "never takes a %s from git",
    (kind) => {
      const [problem] = problemsOf(ConfigSource, { git, actsAs: "ada", kinds: [kind] });
      expect(problem).toContain("spec.kinds[0] must be one of Cluster, AccessGrant");
    },
  );
});

describe("a GraphQuestion", () => {
  const hook = (url: string): object => ({
    question: "exposure",
    webhook: { url, secret: "sixteen-characters" },
  });

  test.each([
    { question: "exposure" },
    { question: "who-can", parameters: { verb: "get", resource: "secrets", limit: "10" } },
    hook("https://alerts.example.com/bowline"),
  ])("may be %j", (spec) => {
    expect(problemsOf(GraphQuestion, spec)).toEqual([]);
  });

  test.each([
    [{ question: "who-can", parameters: { verb: "get" } }, ["spec.parameters.resource is required"]],
    [
      { question: "exposure", parameters: { at: "2026-01-01T00:00:00Z" } },
      ["spec.parameters.at is no parameter of a question that is watched"],
    ],
    [{ question: "exposure", parameters: { limit: "0" } }, ["spec.parameters.limit must be at least 1"]],
    [
      hook("http://alerts.example.com"),
      ["spec.webhook.url must be an address that starts with https://, without user name or password"],
    ],
  ])("may not be %j", (spec, problems) => {
    expect(problemsOf(GraphQuestion, spec)).toEqual(problems);
  });
});

describe("a WorkloadDefinition", () => {
  const git = (source: object): object => ({
    source: { git: { url: "https://git.example.com/a.git", ...source } },
  });

  test.each([
    {},
    {
      url: "ssh://git@git.example.com:2222/team/app.git",
      ref: "release/1.x",
      path: "deploy/prod",
      interval: "1h30m",
    },
    { url: "file:///srv/git/app.git", ref: "v1.2.3+build", interval: "10s", credential: "git" },
  ])("may come from git: %j", (source) => {
    expect(problemsOf(WorkloadDefinition, git(source))).toEqual([]);
  });

  test.each([
    [
      { url: "http://git.example.com/a" },
      "spec.source.git.url must be an address that starts with https://, ssh:// or file:///",
    ],
    [
      { url: "ext::sh -c id" },
      "spec.source.git.url must be an address that starts with https://, ssh:// or file:///",
    ],
    [
      { url: "--upload-pack=id" },
      "spec.source.git.url must be an address that starts with https://, ssh:// or file:///",
    ],
    [
      { url: "https://editor:s3cret@example.com/a" },
      "spec.source.git.url must not contain a password; put it into a Credential and name it in credential",
    ],
    [
      { url: "https://s3cret@example.com/a" },
      "spec.source.git.url must not contain a user name; put it into a Credential and name it in credential",
    ],
    [{ ref: "--help" }, /^spec\.source\.git\.ref must be a branch, a tag or a commit/],
    [{ ref: "a..b" }, "spec.source.git.ref is not a name that git allows"],
    [{ ref: "main.lock" }, "spec.source.git.ref is not a name that git allows"],
    [{ path: "/etc" }, "spec.source.git.path must be relative to the root of the repository"],
    [{ path: "a/../../b" }, "spec.source.git.path must not lead out of the repository"],
    [{ interval: "9.9s" }, "spec.source.git.interval must be at least 10s"],
    [{ interval: "25h" }, "spec.source.git.interval must be at most 24h"],
    [{ interval: "often" }, "spec.source.git.interval must be a duration such as 30s, 5m or 1h30m"],
    [{ interval: "1d" }, "spec.source.git.interval must be a duration such as 30s, 5m or 1h30m"],
  ])("may not come from %j", (source, expected) => {
    const problems = problemsOf(WorkloadDefinition, git(source));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });

  const inline = (manifests: string): object => ({ source: { inline: { manifests } } });
  const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n";

  test("holds 1 MiB of manifests, counted in bytes", () => {
    const filled = (length: number, letter: string): object =>
      inline(`${configMap}#${letter.repeat(length - configMap.length - 1)}`);
    expect(problemsOf(WorkloadDefinition, filled(1024 * 1024, "a"))).toEqual([]);
    expect(problemsOf(WorkloadDefinition, filled(512 * 1024 + 100, "ä"))).toEqual([
      "spec.source.inline.manifests has a problem: the text is longer than 1048576 bytes in UTF-8",
    ]);
    expect(problemsOf(WorkloadDefinition, filled(1024 * 1024 + 1, "a"))).toEqual([
      "spec.source.inline.manifests must be at most 1048576 characters long",
    ]);
  });

  test("tells all that is wrong with its manifests, each with its place", () => {
    const manifests = `${configMap}---\na: [\n---\n${configMap}---\nkind: Pod\n`;
    const [broken, ...others] = problemsOf(WorkloadDefinition, inline(manifests));
    expect(broken).toMatch(
      /^spec\.source\.inline\.manifests has a problem: document 2, line \d: this is not YAML: /,
    );
    expect(others).toEqual(
      [
        "document 3, line 7: ConfigMap web: the same object is on line 1 already",
        "document 4, line 11: Pod: apiVersion is missing",
        "document 4, line 11: Pod: metadata.name is missing",
      ].map((problem) => `spec.source.inline.manifests has a problem: ${problem}`),
    );
    expect(problemsOf(WorkloadDefinition, inline("# nothing\n"))).toEqual([
      "spec.source.inline.manifests has a problem: there are no Kubernetes objects in it",
    ]);
  });

  test("declares every parameter that its manifests refer to", () => {
    const source = {
      inline: {
        manifests: `${configMap}data: {a: "\${{ host }}", b: "\${{ hots }}", c: "\${{ cluster.name }}", d: "\${{"}\n`,
      },
    };
    expect(
      problemsOf(WorkloadDefinition, { source, parameters: [{ name: "host" }, { name: "unused" }] }),
    ).toEqual(
      [
        "data.d: has a ${{ without }}; write $${{ for the characters themselves",
        "data.b: refers to the parameter hots, which is not in spec.parameters; did you mean «host»?",
      ].map((problem) => `spec.source.inline.manifests has a problem: ConfigMap web: ${problem}`),
    );
  });

  test("has parameters that are told apart, and required ones have no default", () => {
    const source = { inline: { manifests: configMap } };
    expect(problemsOf(WorkloadDefinition, { source, parameters: [{ name: "a" }, { name: "a" }] })).toEqual([
      "spec.parameters[1] has the same name as an item before it",
    ]);
    expect(
      problemsOf(WorkloadDefinition, { source, parameters: [{ name: "a", required: true, default: "b" }] }),
    ).toEqual(["spec.parameters[0].default must not be set for a parameter that is required"]);
  });

  test("has parameters of four types, and defaults that fit them", () => {
    const source = { inline: { manifests: configMap } };
    const given = (type: string, text: string): object => ({
      source,
      parameters: [{ name: "a", type, default: text }],
    });
    const right = [
      ["string", "yes"],
      ["integer", "3"],
      ["number", "0.5"],
      ["boolean", "true"],
    ] as const;
    for (const [type, text] of right) expect(problemsOf(WorkloadDefinition, given(type, text))).toEqual([]);
    expect(problemsOf(WorkloadDefinition, given("integer", "3.5"))).toEqual([
      "spec.parameters[0].default must be a whole number such as 3",
    ]);
    expect(problemsOf(WorkloadDefinition, given("number", "half"))).toEqual([
      "spec.parameters[0].default must be a number such as 0.5",
    ]);
    expect(problemsOf(WorkloadDefinition, given("boolean", "yes"))).toEqual([
      "spec.parameters[0].default must be true or false",
    ]);
    expect(problemsOf(WorkloadDefinition, given("list", "a"))[0]).toMatch(
      /^spec\.parameters\[0\]\.type must be/,
    );
  });
});

describe("a Credential", () => {
  test.each([
    ["basic", { username: "a", password: "b" }],
    ["token", { token: "a" }],
    ["ssh-key", { privateKey: "a", knownHosts: "b" }],
    ["registry", { server: "a", username: "b", password: "c" }],
    ["aws", { accessKeyId: "a", secretAccessKey: "b" }],
    [
      "aws",
      { roleArn: "arn:aws:iam::111122223333:role/bowline", externalId: "x1", sessionTags: "team=a,cost=4 2" },
    ],
    ["opaque", { "any.thing": "a" }],
  ])("of type %s has its keys", (type, data) => {
    expect(problemsOf(Credential, { type, data })).toEqual([]);
  });

  test.each([
    [{ sessionToken: "t" }, ["spec.data.accessKeyId", "spec.data.secretAccessKey"]],
    [{ accessKeyId: "a", roleArn: "arn:aws:iam::111122223333:role/a" }, ["spec.data.secretAccessKey"]],
    [{ accessKeyId: "a", secretAccessKey: "b", externalId: "x1" }, ["spec.data.roleArn"]],
    [{ roleArn: "role/a" }, ["spec.data.roleArn"]],
    [{ roleArn: "arn:aws:iam::111122223333:role/a", externalId: "a b" }, ["spec.data.externalId"]],
    [{ roleArn: "arn:aws:iam::111122223333:role/a", sessionTags: "team" }, ["spec.data.sessionTags"]],
  ])("of AWS with %j is told what it lacks", (data, paths) => {
    const problems = problemsOf(Credential, { type: "aws", data: { ...data } });
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual(paths);
  });

  test("says which keys are missing and which do not belong, and never shows a value", () => {
    const problems = problemsOf(Credential, { type: "basic", data: { username: "a", pasword: "s3cret" } });
    expect(problems).toEqual([
      "spec.data.password is required for a Credential of type basic",
      'spec.data["pasword"] does not belong to a Credential of type basic; did you mean «password»?',
    ]);
  });
});

describe("an AccessGrant", () => {
  const grant = {
    subjects: [{ group: "ops" }],
    clusters: { selector: {} },
    kubernetes: { groups: ["view"] },
  };

  test("may name clusters or select them", () => {
    expect(problemsOf(AccessGrant, grant)).toEqual([]);
    expect(problemsOf(AccessGrant, { ...grant, clusters: { names: ["a"], selector: {} } })).toEqual([
      "spec.clusters must have exactly one of names, selector",
    ]);
  });

  test("is for a user or for a group", () => {
    expect(problemsOf(AccessGrant, { ...grant, subjects: [{ user: "editor", group: "ops" }] })).toEqual([
      "spec.subjects[0] must have exactly one of user, group",
    ]);
  });

  test("does not let anything but printable text into the headers of impersonation", () => {
    const problems = problemsOf(AccessGrant, {
      ...grant,
      kubernetes: { user: "a\r\nX-Remote-Group: system:masters" },
    });
    expect(problems).toEqual(["spec.kubernetes.user must be printable ASCII without a space first or last"]);
  });
});

test("a User has a role that exists", () => {
  expect(problemsOf(User, { role: "root" })).toEqual(["spec.role must be one of viewer, editor, admin"]);
});

test("a Token has a user", () => {
  expect(problemsOf(Token, {})).toEqual(["spec.user is required"]);
});

describe("a WorkloadInstance", () => {
  const instance = (spec: object): object => ({
    definition: "web",
    placement: { clusters: ["prod-eu-1"] },
    ...spec,
  });

  test.each([
    {},
    { conflicts: "leave", drift: "off", pruneLimit: { count: 0 } },
    {
      ignore: [
        {
          kind: "Deployment",
          group: "apps",
          paths: ["spec.replicas", 'spec.template.spec.containers[name="web"].image'],
        },
      ],
    },
    {
      ignore: [{ kind: "ConfigMap", name: "web", paths: ['data["a/b"]'] }],
      actingUser: "somebody@example.com",
    },
    { approved: { revision: `sha256:${"a".repeat(64)}`, wave: 2, failures: 1 } },
    { limit: 3, spread: { by: "region", max: 2, min: 2 }, dependsOn: [{ instance: "database" }] },
    { paused: {}, revision: { pin: `sha256:${"a".repeat(64)}` } },
    {
      overrides: [
        {
          selector: {},
          patches: [
            { target: { kind: "Deployment" }, patch: { merge: { spec: { replicas: null } } } },
            { target: { kind: "Deployment" }, patch: { json: [{ op: "remove", path: "/spec/replicas" }] } },
          ],
        },
      ],
    },
    { rollout: { waves: [{ clusters: { percent: 10 }, soak: "1h" }], onFailure: "rollback" } },
  ])("may say %j", (spec) => {
    expect(problemsOf(WorkloadInstance, instance(spec))).toEqual([]);
  });

  test.each([
    [{ conflicts: "force" }, "spec.conflicts must be one of takeover, fail, leave"],
    [{ drift: "on" }, "spec.drift must be one of correct, report, off"],
    [{ pruneLimit: { percent: 101 } }, "spec.pruneLimit.percent must be at most 100"],
    [
      { ignore: [{ kind: "Deployment", paths: ["/spec/replicas"] }] },
      /^spec\.ignore\[0\]\.paths\[0\] must be a path such as/,
    ],
    [{ ignore: [{ kind: "Deployment", paths: [] }] }, /^spec\.ignore\[0\]\.paths must/],
    [{ approved: { revision: "latest" } }, "spec.approved.revision must be a content hash"],
    [{ actingUser: "two\nlines" }, /^spec\.actingUser must be printable ASCII/],
    [
      { rollout: { waves: [{ clusters: { percent: 10, count: 1 } }] } },
      /^spec\.rollout\.waves\[0\]\.clusters must/,
    ],
    [{ rollout: { deadline: "0s" } }, "spec.rollout.deadline must be between 1s and 720h"],
    [
      { rollout: { waves: [{ clusters: { count: 1 }, soak: "800h" }] } },
      "spec.rollout.waves[0].soak must be at most 720h",
    ],
    [
      {
        overrides: [
          {
            selector: {},
            patches: [{ target: { kind: "A" }, patch: { json: [{ op: "add", path: "/a" }] } }],
          },
        ],
      },
      "spec.overrides[0].patches[0].patch.json[0] needs a value to add",
    ],
    [
      { overrides: [{ selector: { matchExpressions: [{ key: "a", operator: "In" }] } }] },
      /^spec\.overrides\[0\]\.selector\.matchExpressions\[0\]\.values must not be empty/,
    ],
    [{ dependsOn: [{ instance: "a" }, { instance: "a" }] }, /^spec\.dependsOn\[1\]/],
  ])("may not say %j", (spec, expected) => {
    const problems = problemsOf(WorkloadInstance, instance(spec));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });
});

describe("a WorkloadPlacement", () => {
  const placement = minimalSpecs["WorkloadPlacement"] ?? {};

  test("belongs to one instance and one cluster for good", () => {
    const object = { spec: placement };
    const moved = { spec: { ...placement, cluster: "prod-eu-2", instance: "api", revision: "sha256:1" } };
    expect(checkUpdate(WorkloadPlacement, object, moved).map(({ path }) => path)).toEqual([
      "spec.instance",
      "spec.cluster",
    ]);
  });

  test("says what to apply and in whose name", () => {
    expect(problemsOf(WorkloadPlacement, placement)).toEqual([]);
    expect(problemsOf(WorkloadPlacement, { ...placement, revision: "1", actingUser: undefined })).toEqual([
      "spec.revision must be a content hash",
      "spec.actingUser is required",
    ]);
  });
});
