import { labelRequirementsOf, matchesLabels } from "@bowline/core";
import { seededRandom } from "@bowline/core/testing";
import { startControlPlane, type ApiServer } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { nodeKey } from "../model/node.ts";
import type { PolicyRule } from "../model/object-facts.ts";
import { allows, whoCan } from "./access.ts";
import { rbacFindings } from "./findings.ts";
import { compileRbac, type Rbac } from "./rbac.ts";
import { ruleOrigins } from "./rule-origins.ts";
import { userOf } from "./subject.ts";
import { AccessReviews } from "./testing/access-reviews.ts";
import { listedFacts } from "./testing/listed-facts.ts";
import { namespaces, RandomRbac, type Question } from "./testing/random-rbac.ts";

/** Of the roles, the bindings and the questions: hand back the one of a failed run. */
const seed = Number(process.env["RBAC_SEED"] ?? 14);
const questions = 3_000;
const requests = 60;
const waiting = { timeout: 60_000, interval: 100 };

let cluster: ApiServer;
let reviews: AccessReviews;
let rbac: Rbac;
/** Before anybody has added anything. */
let fresh: Rbac;
const random = new RandomRbac(seededRandom(seed));

beforeAll(async () => {
  cluster = await startControlPlane();
  reviews = new AccessReviews(cluster);
  await reviews.all(namespaces, (name) =>
    reviews.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
  );
  fresh = compileRbac(await listedFacts(cluster));
  await reviews.all(random.objects(), (object) => reviews.create(object));
  await vi.waitFor(async () => {
    rbac = compileRbac(await listedFacts(cluster));
    const late = notGathered(rbac);
    if (late.length > 0) throw new Error(`Not gathered yet: ${late.join(", ")}.`);
  }, waiting);
  await seenByAuthorizer();
}, 120_000);

afterAll(async () => {
  reviews?.[Symbol.dispose]();
  await cluster?.stop();
});

/** Roles into which the controller has not copied yet what they gather. */
function notGathered(known: Rbac): string[] {
  const keys = (rules: Iterable<PolicyRule>) => new Set(Array.from(rules, (rule) => JSON.stringify(rule)));
  const gathering = [...known.roles.values()].filter(({ aggregates }) => aggregates.length > 0);
  const late = gathering.filter((role) => {
    const selectors = role.aggregates.map((each) => labelRequirementsOf(each));
    const sources = [...known.roles.values()].filter(
      ({ node, labels }) =>
        node.kind === "ClusterRole" &&
        node.name !== role.node.name &&
        selectors.some((each) => matchesLabels(each, labels)),
    );
    const wanted = keys(sources.flatMap(({ rules }) => rules));
    return wanted.symmetricDifference(keys(role.rules)).size > 0;
  });
  return late.map(({ node }) => node.name);
}

/** The authorizer follows each kind by a watch of its own: the last object of each has come once these two decide. */
async function seenByAuthorizer(): Promise<void> {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const rules = [{ verbs: ["get"], apiGroups: ["last.example"], resources: ["things"] }];
  const places = [{ name: "last", namespace: "one" }, { name: "last" }];
  for (const metadata of places) {
    const prefix = "namespace" in metadata ? "" : "Cluster";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: `${prefix}Role`, name: "last" };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: `last${prefix}` }];
    await reviews.create({ apiVersion, kind: `${prefix}Role`, metadata, rules });
    await reviews.create({ apiVersion, kind: `${prefix}RoleBinding`, metadata, roleRef, subjects });
  }
  const request = { verb: "get", group: "last.example", resource: "things", namespace: "one" };
  for (const name of ["last", "lastCluster"]) {
    await vi.waitFor(async () => {
      const { allowed } = await reviews.ask({ name, groups: [] }, request);
      if (!allowed) throw new Error(`The authorizer does not know yet what ${name} may do.`);
    }, waiting);
  }
}

describe(`decides as the API server does, seed ${seed}`, () => {
  test(`about ${questions} random questions`, async () => {
    const asked = Array.from({ length: questions }, () => random.question(rbac));
    const answers = await reviews.all(asked, ({ user, request }) => reviews.ask(user, request));
    const differences = asked.flatMap((question, index) => {
      const theirs = answers[index];
      const ours = allows(rbac, question.user, question.request);
      return theirs?.allowed === ours.isAllowed ? [] : [{ question, theirs, ours: ours.reason }];
    });
    expect(differences).toEqual([]);
    const allowed = answers.filter((each) => each.allowed).length;
    // One that answers "no" to everything would be right about most of what is merely random.
    expect(allowed).toBeGreaterThan(questions / 3);
    expect(allowed).toBeLessThan((questions * 2) / 3);
    const bindings = asked.map((question, index) => missingBinding(question, answers[index]?.reason ?? ""));
    expect(bindings.filter((each) => each !== undefined)).toEqual([]);
  });

  test(`about everybody who can do one of ${requests} things`, async () => {
    const subjects = [...rbac.subjects()];
    const asked = Array.from({ length: requests }, () => random.anyRequest(rbac));
    const pairs = asked.flatMap((request) => {
      const holders = whoCan(rbac, request);
      return subjects.map((subject) => ({ subject, request, holders, user: userOf(subject) }));
    });
    const answers = await reviews.all(pairs, ({ user, request }) => reviews.ask(user, request));
    const differences = pairs.flatMap(({ subject, request, holders, user }, index) =>
      answers[index]?.allowed === holders.of(user).length > 0 ? [] : [{ subject, request }],
    );
    expect(differences).toEqual([]);
    expect(answers.filter((each) => each.allowed).length).toBeGreaterThan(requests);
  });

  test("every rule that was gathered leads to one that was written", () => {
    const gathering = [...rbac.roles.values()].filter(({ aggregates }) => aggregates.length > 0);
    const refs = gathering.flatMap(({ node, rules }) =>
      rules.map((_, index) => ({ role: node, index, at: `/rules/${index}` })),
    );
    expect(refs.length).toBeGreaterThan(50);
    for (const ref of refs) {
      const origins = ruleOrigins(rbac, ref);
      expect(origins).not.toEqual([]);
      for (const { role } of origins) expect(rbac.roles.get(nodeKey(role))?.aggregates).toEqual([]);
    }
  });
});

test("of a cluster that nobody has added anything to, everything that is found is built in", () => {
  const findings = rbacFindings(fresh);
  expect(findings.filter(({ isBuiltIn }) => !isBuiltIn)).toEqual([]);
  expect(findings.filter(({ code }) => code === "PublicAccess" || code === "MissingRole")).toEqual([]);
  const admins = findings.filter(({ code }) => code === "ClusterAdmin");
  expect(admins.map(({ node }) => node.name)).toEqual(["system:masters"]);
});

/** The binding and the role that the API server gives as its reason, if who-can does not name them too. */
function missingBinding({ user, request }: Question, reason: string): string | undefined {
  const [, kind, place = "", role] = /allowed by (\w+) "([^"]+)" of \w+ "([^"]+)"/.exec(reason) ?? [];
  if (kind === undefined) return undefined;
  const [name, namespace = ""] = place.split("/");
  const isNamed = whoCan(rbac, request)
    .of(user)
    .flatMap(({ grants }) => grants)
    .some(
      (grant) =>
        grant.binding.kind === kind &&
        grant.binding.name === name &&
        grant.binding.namespace === namespace &&
        grant.rule.role.name === role,
    );
  return isNamed ? undefined : reason;
}
