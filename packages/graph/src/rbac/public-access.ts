import type { NodeRef } from "../model/node.ts";
import type { PolicyRule } from "../model/object-facts.ts";
import { nodeText } from "./access.ts";
import { finding, type RbacFinding, type Severity } from "./finding.ts";
import type { Rbac, RbacBinding } from "./rbac.ts";
import { ruleText } from "./rule.ts";
import {
  accountsGroup,
  anonymousUser,
  authenticatedGroup,
  groupRef,
  subjectKey,
  unauthenticatedGroup,
  userRef,
} from "./subject.ts";

interface Everybody {
  readonly who: string;
  readonly reading: Severity;
  readonly writing: Severity;
}

const anonymous: Everybody = {
  who: "everybody who reaches the API server",
  reading: "high",
  writing: "critical",
};
const everybody: ReadonlyMap<string, Everybody> = new Map(
  (
    [
      [userRef(anonymousUser), anonymous],
      [groupRef(unauthenticatedGroup), anonymous],
      [
        groupRef(authenticatedGroup),
        { who: "everybody who is authenticated, every pod included", reading: "medium", writing: "high" },
      ],
      [groupRef(accountsGroup), { who: "every ServiceAccount", reading: "low", writing: "high" }],
    ] satisfies [NodeRef, Everybody][]
  ).map(([subject, each]) => [subjectKey(subject), each]),
);

/** Bindings that give everybody more than is needed to find out what the API server has. */
export function publicFindings(rbac: Rbac, binding: RbacBinding): RbacFinding[] {
  const role = rbac.roleOf(binding);
  if (!role) return [];
  return binding.subjects.flatMap(({ subject, key, at }) => {
    const everyone = everybody.get(key);
    if (!everyone) return [];
    const isForPaths = binding.node.namespace === "";
    const further = [...role.rules.entries()].filter(
      ([, rule]) => !isDiscovery(rule) && (isForPaths || rule.resources.length > 0),
    );
    if (further.length === 0) return [];
    const isHarmful = further.some(([, rule]) => !isReading(rule) || readsSecrets(rule));
    const texts = further.map(([, rule]) => `"${ruleText(rule)}"`).join(", ");
    return [
      finding({
        code: "PublicAccess",
        severity: isHarmful ? everyone.writing : everyone.reading,
        node: binding.node,
        detail: nodeText(subject),
        message: `${nodeText(binding.node)} gives ${everyone.who} (${nodeText(subject)}) more than discovery: ${texts}.`,
        evidence: [
          { node: binding.node, at },
          ...further.map(([index]) => ({ node: role.node, at: `/rules/${index}` })),
        ],
        isBuiltIn: false,
      }),
    ];
  });
}

const discoveryPaths =
  /^\/(?:(?:healthz|livez|readyz|version|api|apis|openapi|openid\/v1\/jwks|\.well-known\/openid-configuration)(?:\/.*)?)$/;
const reading: ReadonlySet<string> = new Set(["get", "list", "watch", "head"]);
const selfReviews: ReadonlySet<string> = new Set([
  "selfsubjectaccessreviews",
  "selfsubjectrulesreviews",
  "selfsubjectreviews",
]);

/** Which paths there are, which kinds, how the API server is, and what one may do oneself. */
function isDiscovery(rule: PolicyRule): boolean {
  if (rule.resources.length === 0) {
    return (
      isReading(rule) && rule.nonResourceURLs.every((each) => discoveryPaths.test(each.replace(/\*+$/, "")))
    );
  }
  return (
    (rule.verbs.every((each) => each === "create") &&
      rule.resources.every((each) => selfReviews.has(each))) ||
    (isReading(rule) && rule.resources.every((each) => each === "clustertrustbundles"))
  );
}

function isReading({ verbs }: PolicyRule): boolean {
  return verbs.every((each) => reading.has(each));
}

function readsSecrets({ resources }: PolicyRule): boolean {
  return resources.some((each) => each === "*" || each === "secrets");
}
