import { apiextensionsTypes } from "../../schema/types/apiextensions.ts";
import type { NumberTable } from "../field-numbers.ts";

export const apiextensionsNumbers: NumberTable = {
  prefix: apiextensionsTypes.prefix,
  source: `
CustomResourceDefinition: metadata spec status
CustomResourceDefinitionSpec: group 3 names scope 7 versions 9 conversion preserveUnknownFields
CustomResourceConversion: strategy webhook
WebhookConversion: 2 clientConfig conversionReviewVersions
WebhookClientConfig: service caBundle url
ServiceReference: namespace name path port
CustomResourceDefinitionNames: plural singular shortNames kind listKind categories
CustomResourceDefinitionVersion: name served storage schema subresources additionalPrinterColumns deprecated
  deprecationWarning
CustomResourceColumnDefinition: name type format description priority jsonPath
CustomResourceValidation: openAPIV3Schema
CustomResourceSubresources: status scale
CustomResourceSubresourceScale: specReplicasPath statusReplicasPath labelSelectorPath
CustomResourceSubresourceStatus:
CustomResourceDefinitionStatus: conditions acceptedNames storedVersions
CustomResourceDefinitionCondition: type status lastTransitionTime reason message
JSONSchemaProps: id $schema $ref description type format title default maximum exclusiveMaximum minimum
  exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems multipleOf enum maxProperties
  minProperties required items allOf oneOf anyOf not properties additionalProperties patternProperties
  dependencies additionalItems definitions externalDocs example nullable x-kubernetes-preserve-unknown-fields
  x-kubernetes-embedded-resource x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type
  x-kubernetes-map-type x-kubernetes-validations
ValidationRule: rule message messageExpression reason fieldPath optionalOldSelf
ExternalDocumentation: description url
JSONSchemaPropsOrArray: schema list
JSONSchemaPropsOrBool: allows schema
JSONSchemaPropsOrStringArray: schema list
`,
};
