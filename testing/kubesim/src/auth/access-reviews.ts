import { isRecord } from "@bowline/core";

import { readPath, readRecord, readString, readStrings, type JsonRecord } from "../store/json-value.ts";
import { invalid } from "../store/status-errors.ts";
import type { Authenticator } from "./authenticator.ts";
import type { AccessQuestion, RbacAuthorizer } from "./rbac-authorizer.ts";
import { defaultAudience } from "./service-account-tokens.ts";
import type { UserInfo } from "./user-info.ts";

interface ReviewContext {
  readonly authorizer: RbacAuthorizer;
  readonly authenticator: Authenticator;
  /** Who asks. */
  readonly user: UserInfo;
  /** The namespace of the path, for local reviews. */
  readonly namespace: string | undefined;
}

type Review = (body: JsonRecord, context: ReviewContext) => JsonRecord;

/** The questions that clients may ask the server about users; the answer is the object with a status. */
export const reviews: Readonly<Record<string, Review>> = {
  subjectaccessreviews: (body, context) => withStatus(body, accessStatus(context, userOf(body), body)),
  localsubjectaccessreviews: (body, context) => withStatus(body, accessStatus(context, userOf(body), body)),
  selfsubjectaccessreviews: (body, context) => withStatus(body, accessStatus(context, context.user, body)),
  selfsubjectrulesreviews: (body, context) =>
    withStatus(body, rulesStatus(context, readString(body, "spec.namespace"))),
  selfsubjectreviews: (body, { user }) => withStatus(body, { userInfo: userStatus(user) }),
  tokenreviews: (body, context) => withStatus(body, tokenStatus(context, body)),
};

function withStatus(body: JsonRecord, status: JsonRecord): JsonRecord {
  return { ...body, metadata: { creationTimestamp: null, ...readRecord(body, "metadata") }, status };
}

function accessStatus(context: ReviewContext, user: UserInfo, body: JsonRecord): JsonRecord {
  const { allowed, reason } = context.authorizer.decide(user, questionOf(body, context.namespace));
  return { allowed, ...(reason === "" ? {} : { reason }) };
}

function questionOf(body: JsonRecord, pathNamespace: string | undefined): AccessQuestion {
  const path = readRecord(body, "spec.nonResourceAttributes");
  if (path) return { verb: readString(path, "verb") ?? "", path: readString(path, "path") ?? "" };
  const asked = readRecord(body, "spec.resourceAttributes");
  if (!asked) {
    throw invalid({ group: "authorization.k8s.io", kind: "SubjectAccessReview" }, "", [
      {
        field: "spec.resourceAttributes",
        reason: "FieldValueInvalid",
        message:
          "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
      },
    ]);
  }
  const subresource = readString(asked, "subresource");
  const resource = readString(asked, "resource") ?? "";
  const namespace = readString(asked, "namespace") ?? pathNamespace;
  const name = readString(asked, "name");
  return {
    verb: readString(asked, "verb") ?? "",
    group: readString(asked, "group") ?? "",
    resource: subresource ? `${resource}/${subresource}` : resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

function userOf(body: JsonRecord): UserInfo {
  const groups = readPath(body, "spec.groups") === undefined ? "spec.group" : "spec.groups";
  return { name: readString(body, "spec.user") ?? "", groups: readStrings(body, groups) };
}

function rulesStatus(context: ReviewContext, namespace: string | undefined): JsonRecord {
  const resourceRules: JsonRecord[] = [];
  const nonResourceRules: JsonRecord[] = [];
  for (const { rule } of context.authorizer.rulesFor(context.user, namespace)) {
    if (readStrings(rule, "nonResourceURLs").length > 0) {
      nonResourceRules.push({ verbs: rule["verbs"], nonResourceURLs: rule["nonResourceURLs"] });
    } else {
      const { verbs, apiGroups, resources, resourceNames } = rule;
      resourceRules.push({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames === undefined ? {} : { resourceNames }),
      });
    }
  }
  return { resourceRules, nonResourceRules, incomplete: false };
}

function tokenStatus(context: ReviewContext, body: JsonRecord): JsonRecord {
  const found = context.authenticator.userOfToken(readString(body, "spec.token") ?? "");
  const wanted = readStrings(body, "spec.audiences");
  const shared =
    found?.audiences.filter((each) => (wanted.length > 0 ? wanted : [defaultAudience]).includes(each)) ?? [];
  if (!found || shared.length === 0) return { user: {}, error: "[invalid bearer token]" };
  return { authenticated: true, user: userStatus(found.user), audiences: shared };
}

function userStatus(user: UserInfo): JsonRecord {
  return {
    username: user.name,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    groups: user.groups,
    ...(isRecord(user.extra) ? { extra: user.extra } : {}),
  };
}
