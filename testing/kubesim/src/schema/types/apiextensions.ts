import type { TypeTable } from "../type-language.ts";

export const apiextensionsTypes: TypeTable = {
  prefix: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
  source: `
CustomResourceDefinition: Adds a kind to the API.
  metadata~: meta.ObjectMeta
  spec!~: CustomResourceDefinitionSpec
  status~: CustomResourceDefinitionStatus
CustomResourceDefinitionSpec: What is wanted of the custom resource definition.
  conversion: CustomResourceConversion
  group!: string
  names!~: CustomResourceDefinitionNames
  preserveUnknownFields: bool
  scope!: string enum(Cluster, Namespaced)
  versions!: [CustomResourceDefinitionVersion]
CustomResourceConversion: How objects are converted between versions.
  strategy!: string enum(None, Webhook)
  webhook: WebhookConversion
WebhookConversion: The webhook that converts.
  clientConfig: WebhookClientConfig
  conversionReviewVersions!: [string]
WebhookClientConfig: How to reach the webhook.
  caBundle: bytes
  service: ServiceReference
  url*: string
ServiceReference: A service and a path.
  name!, namespace!, path*: string
  port*: int32
CustomResourceDefinitionNames: The names the kind is known by.
  categories: [string]
  kind!, listKind, plural!: string
  shortNames: [string]
  singular: string
CustomResourceDefinitionVersion: A version of the kind.
  additionalPrinterColumns: [CustomResourceColumnDefinition]
  deprecated: bool
  deprecationWarning*, name!: string
  schema: CustomResourceValidation
  served!, storage!: bool
  subresources: CustomResourceSubresources
CustomResourceColumnDefinition: A column of the table kubectl prints.
  description, format, jsonPath!, name!: string
  priority: int32
  type!: string
CustomResourceValidation: The schema of the objects.
  openAPIV3Schema: any
CustomResourceSubresources: The subresources of the kind.
  scale: CustomResourceSubresourceScale
  status: CustomResourceSubresourceStatus
CustomResourceSubresourceScale: Where the numbers of replicas are found.
  labelSelectorPath*, specReplicasPath!, statusReplicasPath!: string
CustomResourceSubresourceStatus: Turns on the status subresource.
CustomResourceDefinitionStatus: What was last seen of the custom resource definition.
  acceptedNames~: CustomResourceDefinitionNames
  conditions~: [CustomResourceDefinitionCondition]
  storedVersions~: [string]
CustomResourceDefinitionCondition: One aspect of the state of the custom resource definition.
  lastTransitionTime: time
  message, reason, status!, type!: string
`,
};
