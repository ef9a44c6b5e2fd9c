/** As much of a browser's Trusted Types as is needed; TypeScript does not know them yet. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (address: string) => string }): WorkerPolicy;
}

interface WorkerPolicy {
  /** A `TrustedScriptURL`, which stands wherever a worker takes an address. */
  createScriptURL(address: string): string | URL;
}

const rules = { createScriptURL: requireOwn };

/** The one policy that the headers of the page allow. A browser that has no Trusted Types asks for none. */
const policy: WorkerPolicy =
  (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("bowline-worker", rules) ??
  rules;

/**
 * The address of a script of ours, as a worker takes it: the policy of the page lets nothing else be one. Get it by
 * `import address from "./some-worker.ts?worker&url"`, and give the worker the type "module".
 */
export function trustedWorker(address: string): string | URL {
  return policy.createScriptURL(address);
}

function requireOwn(address: string): string {
  const { origin, pathname } = new URL(address, location.href);
  if (origin === location.origin && pathname.startsWith(import.meta.env.BASE_URL)) return address;
  throw new TypeError(`A worker cannot be of ${origin}${pathname}.`);
}
