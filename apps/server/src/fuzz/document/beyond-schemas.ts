/**
 * Everything that is refused with 422 although it follows the document: rules that JSON Schema cannot say. A request
 * that is refused for another reason than these is one that the document should have told about.
 */
export const rulesBeyondSchemas: readonly RegExp[] = [
  // Between fields
  /^is only allowed when spec\.provider is /u,
  /^is required when spec\.provider is eks$/u,
  /^must be at most maxSize, which is /u,
  /^must (?:not )?be empty with the operator /u,
  /^must not be set for a parameter that is required$/u,
  /^has the same \w+ as an item before it$/u,
  /^is required for a Credential of type /u,
  /^does not belong to a Credential of type /u,
  /^is required when spec\.type changes$/u,
  // Of texts
  /^must be an address that starts with https/u,
  /^must not contain a (?:password|user name); /u,
  /^is not a name that git allows$/u,
  /^must be relative to the root of the repository$/u,
  /^must not lead out of the repository$/u,
  /^must be at (?:least 10s|most 24h)$/u,
  /^must be at most 1 MiB in UTF-8$/u,
  /^must not contain NUL characters$/u,
  /^must be valid Unicode$/u,
  /^is not allowed as a key$/u,
  // Between the request and what is there
  /^must be the name in the address$/u,
  /^cannot be changed/u,
  /^must be the name of a \w+; there is no "/u,
];
