import type { HeaderList } from "@bowline/protocol";

const noTrailers: HeaderList = [];
const allowed = /^x-(?!forwarded-|remote-|real-ip$)/iu;

/** Kubernetes reads no trailers. Those of a program behind it are its own; whatever has a meaning on the way has not. */
export function requestTrailers(raw: HeaderList): HeaderList {
  if (raw.length === 0) return noTrailers;
  return raw.filter((_, index) => allowed.test(raw[index - (index % 2)] ?? ""));
}
