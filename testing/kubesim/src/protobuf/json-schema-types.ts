import { apiextensionsTypes } from "../schema/types/apiextensions.ts";
import type { TypeTable } from "../schema/type-language.ts";

/**
 * The schemas inside CustomResourceDefinitions. To the rest of the server they are JSON of any shape, checked by
 * rules of their own; here they are messages, and these are their fields.
 */
export const jsonSchemaTypes: TypeTable = {
  prefix: apiextensionsTypes.prefix,
  source: `
JSONSchemaProps: A schema.
  id, $schema, $ref*, description, type, format, title, pattern: string
  default, example: any
  maximum*, minimum*, multipleOf*: number
  exclusiveMaximum, exclusiveMinimum, uniqueItems, nullable: bool
  maxLength*, minLength*, maxItems*, minItems*, maxProperties*, minProperties*: int64
  enum: [any]
  required: [string]
  items: JSONSchemaPropsOrArray
  allOf, anyOf, oneOf: [JSONSchemaProps]
  not: JSONSchemaProps
  properties, patternProperties, definitions: {JSONSchemaProps}
  additionalItems, additionalProperties: JSONSchemaPropsOrBool
  dependencies: {JSONSchemaPropsOrStringArray}
  externalDocs: ExternalDocumentation
  x-kubernetes-embedded-resource, x-kubernetes-int-or-string, x-kubernetes-preserve-unknown-fields*: bool
  x-kubernetes-list-map-keys: [string]
  x-kubernetes-list-type*, x-kubernetes-map-type*: string
  x-kubernetes-validations: [ValidationRule]
ValidationRule: A rule in CEL.
  rule!, message, messageExpression, reason*, fieldPath: string
  optionalOldSelf*: bool
ExternalDocumentation: Where to read on.
  description, url: string
JSONSchemaPropsOrArray: One schema, or one for each item.
  schema: JSONSchemaProps
  list: [JSONSchemaProps]
JSONSchemaPropsOrBool: A schema, or whether anything is allowed.
  schema: JSONSchemaProps
  allows~: bool
JSONSchemaPropsOrStringArray: A schema, or the names of properties.
  schema: JSONSchemaProps
  list: [string]
`,
};
