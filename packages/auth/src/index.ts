export { openAccess, type Access, type Issued, type OpenAccess } from "./access.ts";
export type { Identity } from "./authentication/identity.ts";
export { requireRole, type ObjectChange } from "./authorization/authorize.ts";
export { grantsFor, type ClusterAccess } from "./authorization/grants-for.ts";
export { permissionOf, rules, type Verb } from "./authorization/rules.ts";
export type { OidcSettings } from "./oidc/oidc-settings.ts";
export { bootstrapAdmin } from "./tokens/bootstrap-admin.ts";
export { newTokenSecret, tokenWrite } from "./tokens/token-secret.ts";
