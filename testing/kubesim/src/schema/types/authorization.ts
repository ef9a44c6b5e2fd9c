import type { TypeTable } from "../type-language.ts";

export const authorizationTypes: TypeTable = {
  prefix: "io.k8s.api.authorization.v1",
  source: `
SubjectAccessReview: Asks whether somebody may do something.
  metadata~: meta.ObjectMeta
  spec!~: SubjectAccessReviewSpec
  status~: SubjectAccessReviewStatus
SubjectAccessReviewSpec: What is wanted of the subject access review.
  extra: {[string]}
  groups: [string]
  nonResourceAttributes: NonResourceAttributes
  resourceAttributes: ResourceAttributes
  uid, user: string
NonResourceAttributes: A request to a path that is no resource.
  path, verb: string
ResourceAttributes: A request to a resource.
  group, name, namespace, resource, subresource, verb, version: string
SubjectAccessReviewStatus: What was last seen of the subject access review.
  allowed!, denied: bool
  evaluationError, reason: string
SelfSubjectAccessReview: Asks whether the caller may do something.
  metadata~: meta.ObjectMeta
  spec!~: SelfSubjectAccessReviewSpec
  status~: SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec: What is wanted of the self subject access review.
  nonResourceAttributes: NonResourceAttributes
  resourceAttributes: ResourceAttributes
LocalSubjectAccessReview: Asks whether somebody may do something in one namespace.
  metadata~: meta.ObjectMeta
  spec!~: SubjectAccessReviewSpec
  status~: SubjectAccessReviewStatus
SelfSubjectRulesReview: Lists what the caller may do in a namespace.
  metadata~: meta.ObjectMeta
  spec!~: SelfSubjectRulesReviewSpec
  status~: SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec: What is wanted of the self subject rules review.
  namespace: string
SubjectRulesReviewStatus: What the caller may do.
  evaluationError: string
  incomplete!: bool
  nonResourceRules!: [NonResourceRule]
  resourceRules!: [ResourceRule]
NonResourceRule: Verbs allowed on paths.
  nonResourceURLs, verbs!: [string]
ResourceRule: Verbs allowed on resources.
  apiGroups, resourceNames, resources, verbs!: [string]
`,
};
